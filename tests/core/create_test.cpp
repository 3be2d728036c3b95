#include "likely/core/create.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using Floats = std::vector<float>;
using Integers = std::vector<std::int64_t>;

TEST(Create, FilledTensors) {
  EXPECT_EQ(zeros({2, 2}).to_vector<float>(), (Floats{0, 0, 0, 0}));
  EXPECT_EQ(ones({3}, DType::i64).to_vector<std::int64_t>(), (Integers{1, 1, 1}));
  EXPECT_EQ(full({2}, 2.5, DType::f64).to_vector<double>(), (std::vector<double>{2.5, 2.5}));
  EXPECT_EQ(full({2}, -2.0, DType::i64).to_vector<std::int64_t>(), (Integers{-2, -2}));
  EXPECT_EQ(full({1}, 7.0, DType::boolean).item(), 1.0);
  EXPECT_TRUE(std::signbit(full({1}, -0.0).item()));
  EXPECT_EQ(full({}, 3.0).item(), 3.0);
  EXPECT_EQ(zeros({0, 4}).size(), 0);
}

TEST(Create, WholeNumbersAreNeverCutWithoutAWord) {
  const std::string reason = " is no whole number that i64 holds";
  expect_refusal([] { full({2}, 2.5, DType::i64); }, "[full] 2.5" + reason);
  expect_refusal([] { full_like(tensor({1, 2}), 0.5); }, "[full] 0.5" + reason);
  expect_refusal([] { full({2}, std::nan(""), DType::i64); }, "[full] nan" + reason);
  expect_refusal([] { constant({2}, 1e30, DType::i64); }, "[full] 1e+30" + reason);
  expect_refusal([] { arange(0.0, 1.0, 0.25, DType::i64); }, "[arange] 0.25" + reason);
  expect_refusal([] { linspace(0.0, 1.0, 3, DType::i64); }, "[linspace] 0.5" + reason);
  expect_refusal([] { tensor({{1.0, 2.0}, {3.0, 0.1}}, DType::i64); }, "[tensor] 0.1" + reason);
  Tensor x = tensor({1, 2});
  expect_refusal([&] { x.set({1}, 1.5); }, "[set] 1.5" + reason);
  EXPECT_EQ(x.to_vector<std::int64_t>(), (Integers{1, 2}));
  x.set({1}, -0x1p63);
  EXPECT_EQ(x.to_vector<std::int64_t>(), (Integers{1, INT64_MIN}));
  expect_refusal([&] { x.set({0}, 0x1p63); }, "[set] 9.223372036854776e+18" + reason);
  EXPECT_EQ(tensor({0.5}).to(DType::i64).item(), 0.0);  // asked for
}

TEST(Create, LikeAnother) {
  const Tensor x = full({2, 3}, 4.0, DType::f64);
  for (const Tensor& y : {zeros_like(x), ones_like(x), full_like(x, 5.0)}) {
    EXPECT_EQ(y.shape(), x.shape());
    EXPECT_EQ(y.dtype(), x.dtype());
  }
  EXPECT_EQ(full_like(x, 5.0).at({1, 2}), 5.0);
}

TEST(Create, AConstantHoldsOneElement) {
  const Tensor x = constant({1000, 1000}, 2.0);
  EXPECT_TRUE(array_equal(x, full({1000, 1000}, 2.0)));
  EXPECT_EQ(x.strides(), (Strides{0, 0}));
  Tensor y = x;
  y.set({3, 4}, 1.0);
  EXPECT_EQ(y.at({3, 4}), 1.0);
  EXPECT_EQ(y.at({4, 3}), 2.0);
  EXPECT_EQ(x.at({3, 4}), 2.0);
}

TEST(Create, Arange) {
  EXPECT_EQ(arange(3).to_vector<std::int64_t>(), (Integers{0, 1, 2}));
  EXPECT_EQ(arange(0).size(), 0);
  EXPECT_EQ(arange(1.0, 2.0, 0.25).to_vector<float>(), (Floats{1, 1.25, 1.5, 1.75}));
  EXPECT_EQ(arange(2.0, 0.0, -1.0, DType::i64).to_vector<std::int64_t>(), (Integers{2, 1}));
  EXPECT_EQ(arange(2.0, 0.0).size(), 0);
  expect_refusal([] { arange(-1); }, "[arange] a count must not be negative, got -1");
  expect_refusal(
      [] { arange(0.0, 1.0, 0.0); },
      "[arange] start, stop and step must be finite and step not 0, got 0.000000, 1.000000, 0.000000");
}

TEST(Create, LinspaceEndsExactly) {
  const Tensor x = linspace(0.1, 0.7, 7, DType::f64);
  EXPECT_EQ(x.at({0}), 0.1);
  EXPECT_EQ(x.at({-1}), 0.7);
  EXPECT_NEAR(x.at({3}), 0.4, 1e-15);
  EXPECT_EQ(linspace(2.0, 5.0, 1).item(), 2.0);
  EXPECT_EQ(linspace(2.0, 5.0, 0).size(), 0);
  expect_refusal([] { linspace(0.0, 1.0, -2); }, "[linspace] a count must not be negative, got -2");
}

TEST(Create, Eye) {
  EXPECT_EQ(eye(2).to_vector<float>(), (Floats{1, 0, 0, 1}));
  EXPECT_EQ(eye(2, 3, DType::i64).to_vector<std::int64_t>(), (Integers{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(eye(3, 1).to_vector<float>(), (Floats{1, 0, 0}));
  expect_refusal([] { eye(2, -1); }, "[eye] a count must not be negative, got -1");
}

TEST(Create, NestedBraces) {
  EXPECT_EQ(tensor({{1, 2}, {3, 4}}).dtype(), DType::i64);
  EXPECT_EQ(tensor({{1, 2}, {3, 4}}).shape(), (Shape{2, 2}));
  EXPECT_EQ(tensor({1, 2.5}).dtype(), DType::f32);
  EXPECT_EQ(tensor({true, false}).dtype(), DType::boolean);
  EXPECT_EQ(tensor({true, 2}).dtype(), DType::i64);
  EXPECT_EQ(tensor(0.5).rank(), 0);
  EXPECT_EQ(tensor({{{1.0}}}).shape(), (Shape{1, 1, 1}));
  EXPECT_EQ(tensor({1, 2}, DType::f64).to_vector<double>(), (std::vector<double>{1, 2}));
  expect_refusal([] { tensor({{1, 2}, {3}}); }, "[tensor] rows of unequal length: 2 and 1");
  expect_refusal([] { tensor({{1, 2}, 3}); }, "[tensor] numbers and lists are mixed at one depth");
  expect_refusal([] { tensor({1, {2, 3}}); }, "[tensor] numbers and lists are mixed at one depth");
}

TEST(Create, FromContainers) {
  EXPECT_EQ(tensor(Floats{1, 2}).to_vector<float>(), (Floats{1, 2}));
  EXPECT_EQ(tensor(std::vector<double>{1, 2, 3, 4}, {2, 2}).at({1, 0}), 3.0);
  EXPECT_EQ(tensor(Integers{5}).dtype(), DType::i64);
  EXPECT_EQ(tensor(std::vector<bool>{true, false}).to_vector<std::uint8_t>(),
            (std::vector<std::uint8_t>{1, 0}));
  const std::array<float, 2> values{7, 8};
  EXPECT_EQ(tensor(values).to_vector<float>(), (Floats{7, 8}));
  EXPECT_EQ(tensor(std::span(values).subspan(1)).to_vector<float>(), (Floats{8}));
  EXPECT_EQ(tensor(Floats{}).shape(), (Shape{0}));
  expect_refusal([] { tensor(Floats{1, 2, 3}, {2, 2}); }, "[tensor] 3 values do not fill shape (2, 2)");
  expect_refusal([] { tensor(std::vector<bool>{true}, {2}); }, "[tensor] 1 values do not fill shape (2,)");
}

TEST(Create, FromOtherWholeNumbers) {
  EXPECT_EQ(tensor(std::vector<int>{1, -2}).dtype(), DType::i64);
  EXPECT_EQ(tensor(std::vector<int>{1, -2}).to_vector<std::int64_t>(), (Integers{1, -2}));
  EXPECT_EQ(tensor(std::vector<std::uint8_t>{7, 255}, {2, 1}).to_vector<std::int64_t>(), (Integers{7, 255}));
  EXPECT_EQ(tensor(std::array<std::int16_t, 2>{-300, 3}).at({0}), -300.0);
  const std::array<unsigned, 2> large{4'000'000'000U, 1U};
  EXPECT_EQ(tensor(std::span(large)).to_vector<std::int64_t>(), (Integers{4'000'000'000, 1}));
  EXPECT_EQ(tensor(std::vector<long long>{INT64_MIN}).to_vector<std::int64_t>(), (Integers{INT64_MIN}));
  EXPECT_EQ(tensor(std::vector<int>{}).shape(), (Shape{0}));
  EXPECT_EQ(tensor(std::vector<std::uint64_t>{INT64_MAX}).to_vector<std::int64_t>(), (Integers{INT64_MAX}));
  expect_refusal(
      [] {
        tensor(std::vector<std::uint64_t>{1, std::uint64_t{1} << 63});
      },
      "[tensor] the whole number 9223372036854775808 at place 1 is too large for i64");
  expect_refusal([] { tensor(std::vector<int>{1, 2}, {3}); }, "[tensor] 2 values do not fill shape (3,)");
  static_assert(!detail::Elements<std::string> && !detail::Elements<std::vector<char32_t>>);  // no letters
}

TEST(Create, UnsignedNumbersInBracesDoNotWrap) {
  const std::uint64_t large = std::uint64_t{1} << 63;
  expect_refusal(
      [&] {
        tensor({std::uint64_t{1}, large});
      },
      "[tensor] the whole number 9223372036854775808 at place 1 is too large for i64");
  expect_refusal([] { tensor(std::string::npos); },
                 "[tensor] the whole number 18446744073709551615 at place 0 is too large for i64");
  EXPECT_EQ(tensor({large}, DType::f64).item(), 0x1p63);
  EXPECT_EQ(tensor({large - 1}).to_vector<std::int64_t>(), (Integers{INT64_MAX}));
}

TEST(Create, LargeWholeNumbersSurvive) {
  const std::int64_t big = (std::int64_t{1} << 62) + 1;
  EXPECT_EQ(tensor(Integers{big}).to_vector<std::int64_t>().front(), big);
  EXPECT_EQ(tensor({big, std::int64_t{1}}).to_vector<std::int64_t>().front(), big);
}

}  // namespace
}  // namespace likely
