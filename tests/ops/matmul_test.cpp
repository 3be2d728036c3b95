#include "likely/ops/matmul.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using Inputs = std::vector<Tensor>;

// The definition, written with at(): both operands have at least two axes.
Tensor by_definition(const Tensor& a, const Tensor& b) {
  const Shape batch =
      broadcast_shapes("test", a.shape().sub(0, a.rank() - 2), b.shape().sub(0, b.rank() - 2));
  Shape whole_a = batch;
  Shape whole_b = batch;
  const std::int64_t m = a.dim(-2), k = a.dim(-1), n = b.dim(-1);
  whole_a.push_back(m);
  whole_a.push_back(k);
  whole_b.push_back(k);
  whole_b.push_back(n);
  const std::vector<double> x = expand(a, whole_a).to_vector<double>();
  const std::vector<double> y = expand(b, whole_b).to_vector<double>();
  std::vector<double> z;
  for (std::int64_t t = 0; t < batch.size(); ++t) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = 0.0;
        for (std::int64_t l = 0; l < k; ++l) {
          sum += x[static_cast<std::size_t>((t * m + i) * k + l)] *
                 y[static_cast<std::size_t>((t * k + l) * n + j)];
        }
        z.push_back(sum);
      }
    }
  }
  Shape shape = batch;
  shape.push_back(m);
  shape.push_back(n);
  return tensor(z, shape);
}

void expect_product(const Tensor& a, const Tensor& b) {
  const Tensor expected = by_definition(a, b);
  const Tensor got = matmul(a, b);
  ASSERT_EQ(got.shape(), expected.shape());
  EXPECT_TRUE(allclose(got, expected, 1e-12, 1e-12)) << a.shape().string() << " x " << b.shape().string();
  const Tensor single = matmul(a.to(DType::f32), b.to(DType::f32));
  EXPECT_EQ(single.dtype(), DType::f32);
  EXPECT_TRUE(allclose(single.to(DType::f64), expected, 1e-5, 1e-5));
}

TEST(Matmul, MultipliesMatrices) {
  expect_product(numbers({3, 4}), numbers({4, 5}, 1.0, 1));
  expect_product(numbers({1, 1}), numbers({1, 1}, 1.0, 1));
  expect_product(numbers({37, 65}), numbers({65, 41}, 1.0, 1));
  expect_product(numbers({1, 7}), numbers({7, 1}, 1.0, 1));
  EXPECT_TRUE(array_equal(matmul(tensor({{1.0, 2.0}, {3.0, 4.0}}), tensor({{5.0, 6.0}, {7.0, 8.0}})),
                          tensor({{19.0, 22.0}, {43.0, 50.0}})));
}

TEST(Matmul, MultipliesVectors) {
  const Tensor v = tensor({1.0, 2.0, 3.0});
  const Tensor m = tensor({{1.0, 0.0}, {0.0, 2.0}, {1.0, 1.0}});
  EXPECT_TRUE(array_equal(matmul(v, v), tensor(14.0)));
  EXPECT_TRUE(array_equal(matmul(v, m), tensor({4.0, 7.0})));
  EXPECT_TRUE(array_equal(matmul(transpose(m), v), tensor({4.0, 7.0})));
  const Tensor stack = numbers({2, 4, 3});
  const Tensor w = numbers({3}, 1.0, 5);
  const Tensor expected = reshape(by_definition(stack, reshape(w, {3, 1})), {2, 4});
  EXPECT_TRUE(allclose(matmul(stack, w), expected, 1e-12, 1e-12));
  const Tensor wide = numbers({2, 3, 4});
  EXPECT_TRUE(
      allclose(matmul(w, wide), reshape(by_definition(reshape(w, {1, 3}), wide), {2, 4}), 1e-12, 1e-12));
}

TEST(Matmul, BroadcastsLeadingAxes) {
  expect_product(numbers({2, 3, 4}), numbers({2, 4, 5}, 1.0, 1));
  expect_product(numbers({2, 3, 4}), numbers({4, 5}, 1.0, 1));
  expect_product(numbers({3, 4}), numbers({2, 4, 5}, 1.0, 1));
  expect_product(numbers({6, 1, 3, 4}), numbers({2, 4, 5}, 1.0, 1));
  expect_product(numbers({1, 2, 3, 4}), numbers({5, 1, 4, 2}, 1.0, 1));
  expect_product(numbers({2, 1, 2, 3, 4}), numbers({1, 3, 1, 4, 2}, 1.0, 1));
  expect_product(numbers({5, 1, 4}), numbers({1, 4, 2}, 1.0, 1));
}

TEST(Matmul, TakesAnyStrides) {
  const Tensor a = numbers({4, 3});
  const Tensor b = numbers({5, 4}, 1.0, 1);
  expect_product(transpose(a), transpose(b));
  expect_product(transpose(a), numbers({4, 5}));
  expect_product(numbers({3, 4}), transpose(b));
  const Tensor wide = numbers({6, 8});
  expect_product(slice(wide, 1, {.start = 1, .stop = 5}), transpose(b));
  expect_product(slice(wide, 1, {.step = 2}), transpose(b));
  expect_product(slice(wide, 1, {.start = 3, .stop = {}, .step = -1}),
                 slice(numbers({8, 3}), 0, {.step = 2}));
  expect_product(slice(wide, 0, {.step = -2}), numbers({8, 2}));
  expect_product(expand(numbers({1, 4}), {3, 4}), expand(numbers({4, 1}), {4, 2}));
  // Heads of attention: (batch, time, head, width) seen as (batch, head, time, width).
  const Tensor query = permute(numbers({2, 5, 3, 4}), {0, 2, 1, 3});
  const Tensor key = permute(numbers({2, 5, 3, 4}, 1.0, 2), {0, 2, 1, 3});
  expect_product(query, transpose(key));
  expect_product(permute(numbers({4, 3, 2}), {2, 1, 0}), numbers({4, 2}));
  expect_product(slice(numbers({4, 1, 6}), 0, {.step = 2}), numbers({6, 2}));
}

TEST(Matmul, TakesNoElements) {
  EXPECT_TRUE(array_equal(matmul(zeros({2, 0}), zeros({0, 3})), zeros({2, 3})));
  EXPECT_EQ(matmul(zeros({0, 4}), zeros({4, 3})).shape(), (Shape{0, 3}));
  EXPECT_EQ(matmul(zeros({0, 2, 4}), zeros({4, 3})).shape(), (Shape{0, 2, 3}));
  EXPECT_TRUE(array_equal(matmul(zeros({3, 2, 0}), zeros({3, 0, 1})), zeros({3, 2, 1})));
  EXPECT_TRUE(array_equal(matmul(zeros({0}), zeros({0})), tensor(0.0)));
  check_gradients("matmul", [](const Inputs& x) { return matmul(x[0], x[1]); },
                  {zeros({2, 0}), zeros({0, 3})});
}

TEST(Matmul, MeetsInTheLargerType) {
  const Tensor whole = tensor({{1, 2}, {3, 4}});
  const Tensor product = matmul(whole, tensor({{1, 1}, {1, 0}}));
  EXPECT_TRUE(array_equal(product, tensor({{3, 1}, {7, 3}})));
  EXPECT_EQ(product.dtype(), DType::i64);
  EXPECT_EQ(matmul(whole, eye(2)).dtype(), DType::f32);
  EXPECT_EQ(matmul(eye(2, DType::f64), eye(2)).dtype(), DType::f64);
  const Tensor bits = tensor({{true, true}, {false, true}});
  EXPECT_TRUE(array_equal(matmul(bits, transpose(bits)), tensor({{2, 1}, {1, 1}})));
  const Tensor pair = tensor({{{1, 0}, {0, 1}}, {{0, 1}, {1, 0}}});
  EXPECT_TRUE(array_equal(matmul(pair, whole), tensor({{{1, 2}, {3, 4}}, {{3, 4}, {1, 2}}})));
  EXPECT_TRUE(
      array_equal(matmul(reshape(pair, {2, 1, 2, 2}), reshape(pair, {1, 2, 2, 2})),
                  tensor({{{{1, 0}, {0, 1}}, {{0, 1}, {1, 0}}}, {{{0, 1}, {1, 0}}, {{1, 0}, {0, 1}}}})));
}

TEST(Matmul, KeepsNonFiniteNumbersApart) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor a = tensor({{inf, 1.0}, {2.0, 3.0}}, DType::f64);
  const Tensor y = matmul(a, eye(2, DType::f64));
  EXPECT_EQ(y.at({0, 0}), inf);
  EXPECT_TRUE(std::isnan(y.at({0, 1})));
  EXPECT_EQ(y.at({1, 0}), 2.0);
  EXPECT_EQ(y.at({1, 1}), 3.0);
}

TEST(Matmul, HasGradients) {
  const auto product = [](const Inputs& x) { return matmul(x[0], x[1]); };
  check_gradients("matrices", product, {numbers({2, 3}), numbers({3, 4}, 1.0, 1)});
  check_gradients("one by one", product, {numbers({1, 1}), numbers({1, 1}, 1.0, 1)});
  check_gradients("vectors", product, {numbers({3}), numbers({3}, 1.0, 1)});
  check_gradients("vector, matrix", product, {numbers({3}), numbers({3, 2}, 1.0, 1)});
  check_gradients("matrix, vector", product, {numbers({2, 3}), numbers({3}, 1.0, 1)});
  check_gradients("vector, stack", product, {numbers({3}), numbers({2, 3, 2}, 1.0, 1)});
  check_gradients("stack, vector", product, {numbers({2, 2, 3}), numbers({3}, 1.0, 1)});
  check_gradients("stacks", product, {numbers({2, 2, 3}), numbers({2, 3, 2}, 1.0, 1)});
  check_gradients("stack, matrix", product, {numbers({2, 2, 3}), numbers({3, 2}, 1.0, 1)});
  check_gradients("matrix, stack", product, {numbers({2, 3}), numbers({2, 3, 2}, 1.0, 1)});
  check_gradients("broadcast", product, {numbers({2, 1, 2, 3}), numbers({1, 2, 3, 2}, 1.0, 1)});
  check_gradients("transposed", [](const Inputs& x) { return matmul(transpose(x[0]), transpose(x[1])); },
                  {numbers({3, 2}), numbers({4, 3}, 1.0, 1)});
  check_gradients("with itself", [](const Inputs& x) { return matmul(x[0], transpose(x[0])); },
                  {numbers({2, 3})});
  check_gradients(
      "strided",
      [](const Inputs& x) { return matmul(slice(x[0], 1, {.step = 2}), slice(x[1], 0, {.step = -2})); },
      {numbers({2, 4}), numbers({4, 3}, 1.0, 1)});
}

TEST(Matmul, SameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const Tensor a = numbers({4, 150, 130}).to(DType::f32);
  const Tensor b = numbers({4, 130, 170}, 1.0, 1).to(DType::f32);
  const Tensor flat = numbers({130, 170}, 1.0, 1);
  set_threads(1);
  const Tensor stacked = matmul(a, b);
  const Tensor shared = matmul(a.to(DType::f64), flat);
  for (const int n : {2, 3}) {
    set_threads(n);
    EXPECT_TRUE(array_equal(matmul(a, b), stacked)) << n;
    EXPECT_TRUE(array_equal(matmul(a.to(DType::f64), flat), shared)) << n;
  }
  set_threads(before);
}

TEST(Matmul, Refuses) {
  expect_refusal(
      [] {
        matmul(zeros({32, 100}), zeros({40, 10}));
      },
      "[matmul] inner dimensions differ: (32, 100) x (40, 10)");
  expect_refusal([] { matmul(zeros({3}), zeros({4})); }, "[matmul] inner dimensions differ: (3,) x (4,)");
  expect_refusal([] { matmul(zeros({}), zeros({4})); },
                 "[matmul] vectors or matrices are needed, got () x (4,)");
  expect_refusal(
      [] {
        matmul(zeros({2, 3, 4}), zeros({3, 4, 5}));
      },
      "[matmul] shapes do not broadcast: (2,) and (3,)");
}

TEST(Dot, IsTheSumOfProducts) {
  EXPECT_TRUE(array_equal(dot(tensor({1.0, 2.0}), tensor({3.0, 4.0})), tensor(11.0)));
  check_gradients("dot", [](const Inputs& x) { return dot(x[0], x[1]); },
                  {numbers({3}), numbers({3}, 1.0, 1)});
  expect_refusal([] { dot(zeros({2, 3}), zeros({3})); }, "[dot] two vectors are needed, got (2, 3) x (3,)");
  expect_refusal([] { dot(zeros({2}), zeros({3})); }, "[dot] lengths differ: (2,) x (3,)");
}

TEST(Outer, IsEveryProduct) {
  EXPECT_TRUE(array_equal(outer(tensor({1.0, 2.0}), tensor({3.0, 4.0, 5.0})),
                          tensor({{3.0, 4.0, 5.0}, {6.0, 8.0, 10.0}})));
  check_gradients("outer", [](const Inputs& x) { return outer(x[0], x[1]); },
                  {numbers({3}), numbers({2}, 1.0, 1)});
  expect_refusal(
      [] {
        outer(zeros({2, 3}), zeros({3}));
      },
      "[outer] two vectors are needed, got (2, 3) x (3,)");
}

}  // namespace
}  // namespace likely
