#include "likely/ops/einsum.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "likely/core/create.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using Inputs = std::vector<Tensor>;

double element(const Tensor& x, const std::string& letters, const std::map<char, std::int64_t>& at) {
  Tensor part = x;
  for (const char letter : letters) part = select(part, 0, at.at(letter));
  return part.item();
}

// The definition: a loop over all values of all letters.
Tensor by_definition(const std::vector<std::string>& terms, const std::string& result,
                     const Inputs& operands) {
  std::map<char, std::int64_t> sizes;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (std::size_t axis = 0; axis < terms[i].size(); ++axis) {
      sizes[terms[i][axis]] = operands[i].dim(static_cast<int>(axis));
    }
  }
  Shape shape;
  for (const char letter : result) shape.push_back(sizes[letter]);
  const Strides strides = row_major_strides(shape);
  std::vector<double> sums(static_cast<std::size_t>(shape.size()));
  std::map<char, std::int64_t> at;
  for (const auto& [letter, size] : sizes) at[letter] = 0;
  for (bool more = shape.size() > 0; more;) {
    double product = 1.0;
    for (std::size_t i = 0; i < terms.size(); ++i) product *= element(operands[i], terms[i], at);
    std::int64_t place = 0;
    for (std::size_t i = 0; i < result.size(); ++i) place += at[result[i]] * strides[static_cast<int>(i)];
    sums[static_cast<std::size_t>(place)] += product;
    more = false;
    for (auto& [letter, value] : at) {
      if (++value < sizes[letter]) {
        more = true;
        break;
      }
      value = 0;
    }
  }
  return tensor(sums, shape);
}

void expect_sum(const std::vector<std::string>& terms, const std::string& result, const Inputs& operands) {
  std::string text;
  for (const std::string& term : terms) text += (text.empty() ? "" : ",") + term;
  text += "->" + result;
  const Tensor expected = by_definition(terms, result, operands);
  const Tensor got = einsum(text, operands);
  ASSERT_EQ(got.shape(), expected.shape()) << text;
  EXPECT_TRUE(allclose(got, expected, 1e-11, 1e-11)) << text;
}

TEST(Einsum, IsTheSumOverAllIndices) {
  const Tensor a = numbers({3, 4});
  const Tensor b = numbers({4, 5}, 1.0, 1);
  const Tensor c = numbers({5, 3}, 1.0, 2);
  const Tensor v = numbers({4}, 1.0, 3);
  expect_sum({"ij"}, "ij", {a});
  expect_sum({"ij"}, "ji", {a});
  expect_sum({"ij"}, "i", {a});
  expect_sum({"ij"}, "", {a});
  expect_sum({"ij", "jk"}, "ik", {a, b});
  expect_sum({"ij", "jk"}, "ki", {a, b});
  expect_sum({"ij", "jk"}, "ijk", {a, b});
  expect_sum({"ij", "jk"}, "", {a, b});
  expect_sum({"ij", "jk"}, "j", {a, b});
  expect_sum({"ij", "kl"}, "ik", {a, b});
  expect_sum({"ij", "j"}, "i", {a, v});
  expect_sum({"j", "j"}, "", {v, v});
  expect_sum({"i", "j"}, "ij", {v, v});
  expect_sum({"ij", "ij"}, "ij", {a, a});
  expect_sum({"ij", "ji"}, "i", {a, transpose(a)});
  expect_sum({"ij", "jk", "ki"}, "", {a, b, c});
  expect_sum({"ij", "jk", "kl", "j"}, "li", {a, b, c, v});
  expect_sum({"i", "j", "k"}, "kij", {v, v, v});
  const Tensor q = numbers({2, 3, 2, 4});
  const Tensor k = numbers({2, 5, 2, 4}, 1.0, 1);
  expect_sum({"bthd", "bshd"}, "bhts", {q, k});
  expect_sum({"bthd", "bthd"}, "bh", {q, q});
  expect_sum({"bij", "bjk", "bk"}, "bi", {numbers({2, 3, 4}), numbers({2, 4, 3}), numbers({2, 3})});
}

TEST(Einsum, TakesDiagonals) {
  const Tensor square = numbers({4, 4});
  const Tensor cube = numbers({3, 3, 3});
  expect_sum({"ii"}, "", {square});
  expect_sum({"ii"}, "i", {square});
  expect_sum({"iii"}, "i", {cube});
  expect_sum({"iij"}, "j", {cube});
  expect_sum({"iji", "jj"}, "ij", {cube, numbers({3, 3})});
}

TEST(Einsum, ImpliesTheResult) {
  const Tensor a = numbers({3, 4});
  const Tensor b = numbers({4, 5}, 1.0, 1);
  EXPECT_TRUE(array_equal(einsum("ij,jk", {a, b}), einsum("ij,jk->ik", {a, b})));
  EXPECT_TRUE(array_equal(einsum("ba", {a}), transpose(a)));
  EXPECT_TRUE(array_equal(einsum(" i j , j k -> k i ", {a, b}), einsum("ij,jk->ki", {a, b})));
  EXPECT_TRUE(array_equal(einsum("aA", {a}), transpose(a)));
  EXPECT_EQ(einsum("ii", {numbers({3, 3})}).shape(), Shape{});
}

TEST(Einsum, BroadcastsFurtherAxes) {
  const Tensor a = numbers({2, 1, 3, 4});
  const Tensor b = numbers({5, 4, 2}, 1.0, 1);
  const Tensor expected = by_definition({"bij", "cjk"}, "bcik", {reshape(a, {2, 3, 4}), b});
  EXPECT_TRUE(allclose(einsum("...ij,...jk->...ik", {a, b}), expected, 1e-12, 1e-12));
  EXPECT_TRUE(allclose(einsum("...ij,...jk", {a, b}), expected, 1e-12, 1e-12));
  EXPECT_TRUE(array_equal(einsum("i...->...i", {b}), permute(b, {1, 2, 0})));
  EXPECT_TRUE(array_equal(einsum("...->...", {b}), b));
  EXPECT_TRUE(array_equal(einsum("...ii->...i", {numbers({2, 3, 3})}), diagonal(numbers({2, 3, 3}))));
  EXPECT_TRUE(allclose(einsum("ij,j...->i...", {numbers({2, 3}), numbers({3})}),
                       by_definition({"ij", "j"}, "i", {numbers({2, 3}), numbers({3})}), 1e-12, 1e-12));
  EXPECT_EQ(einsum("...,...->...", {numbers({1, 3}), numbers({1, 1})}).shape(), (Shape{1, 3}));
}

TEST(Einsum, TakesNoElementsAndWholeNumbers) {
  EXPECT_TRUE(array_equal(einsum("ij,jk->ik", {zeros({2, 0}), zeros({0, 3})}), zeros({2, 3})));
  EXPECT_EQ(einsum("ij,jk->ik", {zeros({0, 2}), zeros({2, 3})}).shape(), (Shape{0, 3}));
  EXPECT_TRUE(array_equal(einsum("ij,j->i", {tensor({{1, 2}, {3, 4}}), tensor({1, 1})}), tensor({3, 7})));
  EXPECT_TRUE(array_equal(einsum(",", {tensor(2.0), tensor(3.0)}), tensor(6.0)));
}

TEST(Einsum, HasGradients) {
  const auto sum_of = [](const char* text) { return [text](const Inputs& x) { return einsum(text, x); }; };
  check_gradients("product", sum_of("ij,jk->ki"), {numbers({2, 3}), numbers({3, 2}, 1.0, 1)});
  check_gradients("batch", sum_of("bij,bjk->bik"), {numbers({2, 2, 2}), numbers({2, 2, 1}, 1.0, 1)});
  check_gradients("diagonal", sum_of("iij->ji"), {numbers({2, 2, 3})});
  check_gradients("trace", sum_of("ii->"), {numbers({3, 3})});
  check_gradients("outer", sum_of("i,j->ji"), {numbers({2}), numbers({3}, 1.0, 1)});
  check_gradients("dots", sum_of("bi,bi->b"), {numbers({2, 3}), numbers({2, 3}, 1.0, 1)});
  check_gradients("chain", sum_of("ij,jk,kl->il"),
                  {numbers({2, 2}), numbers({2, 3}, 1.0, 1), numbers({3, 1}, 1.0, 2)});
  check_gradients("broadcast", sum_of("...i,...ij->...j"), {numbers({2, 1, 2}), numbers({3, 2, 2}, 1.0, 1)});
  check_gradients("lost", sum_of("ij,kl->k"), {numbers({2, 2}), numbers({3, 2}, 1.0, 1)});
}

TEST(Einsum, Refuses) {
  const Tensor a = zeros({2, 3});
  expect_refusal([&] { einsum("ij,jk->ik", {a}); }, "[einsum] \"ij,jk->ik\": 2 operands are named, 1 given");
  expect_refusal(
      [&] {
        einsum("ij,jk->ik", {a, a});
      },
      "[einsum] \"ij,jk->ik\": index 'j' has size 3 in operand 0 and 2 in operand 1");
  expect_refusal([&] { einsum("ii", {a}); },
                 "[einsum] \"ii\": index 'i' has size 2 in operand 0 and 3 in operand 0");
  expect_refusal([&] { einsum("ijk->i", {a}); },
                 "[einsum] \"ijk->i\": operand 0 has 2 dimensions, 3 are named");
  expect_refusal([&] { einsum("ijk...->i", {a}); },
                 "[einsum] \"ijk...->i\": operand 0 has 2 dimensions, 3 are named");
  expect_refusal([&] { einsum("ij->ik", {a}); },
                 "[einsum] \"ij->ik\": the result names index 'k', which no operand has");
  expect_refusal([&] { einsum("ij->ii", {a}); }, "[einsum] \"ij->ii\": the result names index 'i' twice");
  expect_refusal([&] { einsum("i1->i", {a}); }, "[einsum] \"i1->i\": unexpected '1' at position 1");
  expect_refusal([&] { einsum("ij>i", {a}); }, "[einsum] \"ij>i\": unexpected '>' at position 2");
  expect_refusal([&] { einsum("ij-i", {a}); }, "[einsum] \"ij-i\": unexpected '-' at position 2");
  expect_refusal([&] { einsum("ij->i->j", {a}); }, "[einsum] \"ij->i->j\": unexpected '-' at position 5");
  expect_refusal([&] { einsum("ij->i,j", {a}); }, "[einsum] \"ij->i,j\": unexpected ',' at position 5");
  expect_refusal([&] { einsum("..ij", {a}); }, "[einsum] \"..ij\": unexpected '.' at position 0");
  expect_refusal([&] { einsum("...i...", {a}); }, "[einsum] \"...i...\": '...' stands twice in one term");
  expect_refusal([&] { einsum("...i->i", {a}); },
                 "[einsum] \"...i->i\": the result must name '...', as the operands do");
  expect_refusal(
      [&] {
        einsum("...i,...i->...", {zeros({2, 1}), zeros({3, 1})});
      },
      "[einsum] \"...i,...i->...\": an axis of '...' has size 2 in operand 0 and 3 in operand 1");
  expect_refusal([&] { einsum("", {}); }, "[einsum] \"\": 1 operands are named, 0 given");
}

}  // namespace
}  // namespace likely
