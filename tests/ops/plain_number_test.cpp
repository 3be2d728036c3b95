// What a plain number beside a tensor makes of its type.
#include "likely/ops/plain_number.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/reduce.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using Bools = std::vector<std::uint8_t>;
using Floats = std::vector<float>;
using Integers = std::vector<std::int64_t>;

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(PlainNumber, ADoubleAlwaysGivesFloatingNumbers) {
  const Tensor hits = tensor({true, false, true}) == tensor({true, true, true});
  EXPECT_FLOAT_EQ((sum(hits) / 3.0).item(), 2.0F / 3.0F);
  const Tensor x = tensor({7, -7});
  const Tensor results[] = {x + 1.0,
                            1.0 + x,
                            x - 1.0,
                            1.0 - x,
                            x * 2.0,
                            2.0 * x,
                            x / 2.0,
                            2.0 / x,
                            pow(x, 2.0),
                            pow(x, 1.0),
                            pow(x, 0.0),
                            pow(x, 3.0),
                            maximum(x, 0.0),
                            minimum(x, 0.0),
                            clip(x, -1.0, 1.0),
                            clip(x, 0, 1.0),
                            clip(x, -1.0, 0),
                            where(x > 0, x, 0.0),
                            where(x > 0, 0.0, x),
                            masked_fill(x, x > 0, 0.0),
                            pow(2.0, x)};
  int i = 0;
  for (const Tensor& result : results) EXPECT_EQ(result.dtype(), DType::f32) << "number " << i++;
  EXPECT_EQ((x / 2.0).to_vector<float>(), (Floats{3.5F, -3.5F}));
  EXPECT_EQ((x + 1.0F).dtype(), DType::f32);
  EXPECT_EQ((tensor({true}) * 1.0).dtype(), DType::f32);
  EXPECT_EQ(pow(tensor({2}), -1.0).item(), 0.5);
  EXPECT_EQ(pow(2.0, tensor({-1})).item(), 0.5);
}

TEST(PlainNumber, AWholeNumberKeepsWholeNumbers) {
  const Tensor x = tensor({7, -7});
  EXPECT_EQ((x + 1).to_vector<std::int64_t>(), (Integers{8, -6}));
  EXPECT_EQ((1 - x).to_vector<std::int64_t>(), (Integers{-6, 8}));
  EXPECT_EQ((x * std::size_t{2}).to_vector<std::int64_t>(), (Integers{14, -14}));
  EXPECT_EQ((x / 2).to_vector<std::int64_t>(), (Integers{3, -4}));
  EXPECT_EQ((x / std::uint8_t{2}).to_vector<std::int64_t>(), (Integers{3, -4}));
  EXPECT_EQ(pow(x, 3).to_vector<std::int64_t>(), (Integers{343, -343}));
  EXPECT_EQ(pow(2, tensor({0, 10})).to_vector<std::int64_t>(), (Integers{1, 1024}));
  EXPECT_EQ(maximum(x, 0).to_vector<std::int64_t>(), (Integers{7, 0}));
  EXPECT_EQ(minimum(x, 0).to_vector<std::int64_t>(), (Integers{0, -7}));
  EXPECT_EQ(clip(x, -1, 1).to_vector<std::int64_t>(), (Integers{1, -1}));
  EXPECT_EQ(where(x > 0, x, 0).to_vector<std::int64_t>(), (Integers{7, 0}));
  EXPECT_EQ(where(x > 0, 1, x).to_vector<std::int64_t>(), (Integers{1, -7}));
  EXPECT_EQ(masked_fill(x, x > 0, -1).to_vector<std::int64_t>(), (Integers{-1, -7}));
  EXPECT_EQ((tensor({true, false}) + 1).to_vector<std::int64_t>(), (Integers{2, 1}));
  EXPECT_EQ((x + true).to_vector<std::int64_t>(), (Integers{8, -6}));
  // A number by whole numbers is a fraction.
  EXPECT_EQ((1 / tensor({2, 4})).to_vector<float>(), (Floats{0.5F, 0.25F}));
}

TEST(PlainNumber, FloatingTensorsKeepTheirType) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor x = tensor({1.5, -2.0}, dtype);
    for (const Tensor& result : {x + 1, x + 1.0, x / 2, x / 3.0, pow(x, 2), maximum(x, 0), clip(x, -1, 1.0),
                                 where(x > 0, x, 0), masked_fill(x, x > 0, 1), pow(2, x)}) {
      EXPECT_EQ(result.dtype(), dtype);
    }
    EXPECT_EQ((x + 1).at({0}), 2.5);
    EXPECT_EQ((x / 2).at({0}), 0.75);
  }
}

TEST(PlainNumber, NothingWraps) {
  EXPECT_EQ((tensor({7}) + 1e19).item(), static_cast<double>(1e19F));
  EXPECT_EQ((tensor({7}) + std::numeric_limits<std::uint64_t>::max()).item(), 0x1p64);
  EXPECT_EQ((tensor({7}) * kInfinity).item(), kInfinity);
}

// Every quotient, difference and product with a number is the one that C++ gives in the tensor's type.
template <class T>
void expect_exact(const T number, const std::vector<T>& values) {
  const Tensor x = tensor(values);
  const auto results = [](const Tensor& y) { return y.template to_vector<T>(); };
  const auto over = results(number / x), under = results(x / number), less = results(number - x),
             reduced = results(x - number), more = results(number + x), times = results(x * number);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(over[i], number / values[i]) << number << " / " << values[i];
    EXPECT_EQ(under[i], values[i] / number) << values[i] << " / " << number;
    EXPECT_EQ(less[i], number - values[i]) << number << " - " << values[i];
    EXPECT_EQ(reduced[i], values[i] - number) << values[i] << " - " << number;
    EXPECT_EQ(more[i], number + values[i]) << number << " + " << values[i];
    EXPECT_EQ(times[i], number * values[i]) << number << " * " << values[i];
  }
}

template <class T>
void expect_exact_everywhere() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (int i = 1; i <= 1000; ++i) values.push_back(static_cast<T>(i));
  for (const T edge :
       {Limits::min(), Limits::denorm_min(), Limits::min() / 2, Limits::max(), Limits::max() / 3})
    values.insert(values.end(), {edge, -edge});
  for (int i = 1; i <= 1000; ++i) expect_exact(static_cast<T>(i), {static_cast<T>(i), T{7}, T{0.1}});
  for (const T number : {T{1}, T{-1}, T{3}, T{10}, T{0.1}, T{0.25}, T{49}, Limits::min(),
                         Limits::denorm_min(), Limits::max(), Limits::max() / 3, Limits::min() * 3})
    expect_exact(number, values);
}

TEST(PlainNumber, ResultsAreThoseOfTheProcessor) {
  expect_exact_everywhere<float>();
  expect_exact_everywhere<double>();
  EXPECT_EQ((49 / tensor({49})).item(), 1.0);
  EXPECT_EQ((0 / tensor({0.0, 2.0})).at({1}), 0.0);
  EXPECT_TRUE(std::isnan((tensor({0.0}) / 0).item()));
}

TEST(PlainNumber, TheSmallestWholeNumberHasANegative) {
  constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ((tensor({1.0}, DType::f64) - kSmallest).item(), 0x1p63);
  EXPECT_EQ((0.0 - tensor({kSmallest})).item(), 0x1p63);
  EXPECT_EQ((0 - tensor({kSmallest})).to_vector<std::int64_t>(), (Integers{kSmallest}));
}

// Whole numbers have 63 bits, a double 53.
TEST(PlainNumber, LargeWholeNumbersAreExact) {
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ((tensor({0}) + big).to_vector<std::int64_t>(), (Integers{big}));
  EXPECT_EQ((tensor({0}) - big).to_vector<std::int64_t>(), (Integers{-big}));
  EXPECT_EQ((tensor({1}) * big).to_vector<std::int64_t>(), (Integers{big}));
  EXPECT_EQ((tensor({big}) / 1).to_vector<std::int64_t>(), (Integers{big}));
  EXPECT_EQ(maximum(tensor({0}), kLargest).to_vector<std::int64_t>(), (Integers{kLargest}));
  EXPECT_EQ(clip(tensor({0, kLargest}), big, big + 2).to_vector<std::int64_t>(), (Integers{big, big + 2}));
  EXPECT_EQ(where(tensor({true}), tensor({1}), big).dtype(), DType::i64);
  EXPECT_EQ(where(tensor({false}), tensor({1}), big).to_vector<std::int64_t>(), (Integers{big}));
  EXPECT_EQ((tensor({big}) == big).to_vector<std::uint8_t>(), (Bools{1}));
  EXPECT_EQ((tensor({big}) == big - 1).to_vector<std::uint8_t>(), (Bools{0}));
}

TEST(PlainNumber, WholeNumbersAreComparedExactly) {
  const Tensor x = tensor({16777216, 16777217});  // the same in f32
  const double between = 16777216.5;
  EXPECT_EQ((x < between).to_vector<std::uint8_t>(), (Bools{1, 0}));
  EXPECT_EQ((x <= between).to_vector<std::uint8_t>(), (Bools{1, 0}));
  EXPECT_EQ((x > between).to_vector<std::uint8_t>(), (Bools{0, 1}));
  EXPECT_EQ((x >= between).to_vector<std::uint8_t>(), (Bools{0, 1}));
  EXPECT_EQ((x == between).to_vector<std::uint8_t>(), (Bools{0, 0}));
  EXPECT_EQ((x != between).to_vector<std::uint8_t>(), (Bools{1, 1}));
  EXPECT_EQ((tensor({-2, -1}) < -1.5).to_vector<std::uint8_t>(), (Bools{1, 0}));
  EXPECT_EQ((tensor({-2, -1}) >= -1.0).to_vector<std::uint8_t>(), (Bools{0, 1}));
  EXPECT_EQ((tensor({true, false}) > 0.5).to_vector<std::uint8_t>(), (Bools{1, 0}));
  const Tensor ends = tensor({-kLargest - 1, kLargest});
  for (const double far : {1e19, kInfinity, 0x1p63}) {
    EXPECT_EQ((ends < far).to_vector<std::uint8_t>(), (Bools{1, 1})) << far;
    EXPECT_EQ((ends >= far).to_vector<std::uint8_t>(), (Bools{0, 0})) << far;
    EXPECT_EQ((ends == far).to_vector<std::uint8_t>(), (Bools{0, 0})) << far;
    EXPECT_EQ((ends > -far).to_vector<std::uint8_t>(), (far == 0x1p63 ? Bools{0, 1} : Bools{1, 1})) << far;
    EXPECT_EQ((ends != far).to_vector<std::uint8_t>(), (Bools{1, 1})) << far;
  }
  EXPECT_EQ((ends < kNan).to_vector<std::uint8_t>(), (Bools{0, 0}));
  EXPECT_EQ((ends == kNan).to_vector<std::uint8_t>(), (Bools{0, 0}));
  EXPECT_EQ((ends != kNan).to_vector<std::uint8_t>(), (Bools{1, 1}));
}

TEST(PlainNumber, ANegativePowerOfWholeNumbersIsRefused) {
  const std::string message =
      "[pow] the negative power of a whole number is no whole number; use a floating exponent, as in pow(x, "
      "-1.0)";
  expect_refusal([] { pow(tensor({2}), -1); }, message);
  expect_refusal([] { pow(2, tensor({3, -3})); }, message);
  expect_refusal([] { pow(tensor({0, 1}), tensor({{-1}, {1}})); }, message);
  EXPECT_EQ(pow(tensor({1, -1}), -3).to_vector<std::int64_t>(), (Integers{1, -1}));
}

// The total of whole numbers seen many times over is a whole number.
TEST(PlainNumber, ReductionsOfRepeatedWholeNumbersKeepTheirType) {
  const Tensor threes = constant({5, 2}, 3.0, DType::i64);
  EXPECT_EQ(sum(threes).to_vector<std::int64_t>(), (Integers{30}));
  EXPECT_EQ(prod(threes, 0).to_vector<std::int64_t>(), (Integers{243, 243}));
}

}  // namespace
}  // namespace likely
