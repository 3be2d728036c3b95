#include "likely/ops/reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using In = const std::vector<Tensor>&;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Reduction {
  std::string name;
  std::function<Tensor(const Tensor&, const Axes&, bool)> f;
  std::function<double(const Doubles&)> expected;
  bool needs_elements = false;
};

double total(const Doubles& x) {
  double result = 0.0;
  for (const double v : x) result += v;
  return result;
}

double variance(const Doubles& x, double correction) {
  const double mean = total(x) / static_cast<double>(x.size());
  double squares = 0.0;
  for (const double v : x) squares += (v - mean) * (v - mean);
  return squares / (static_cast<double>(x.size()) - correction);
}

double power_norm(const Doubles& x, double order) {
  double powers = 0.0;
  for (const double v : x) powers += std::pow(std::abs(v), order);
  return std::pow(powers, 1.0 / order);
}

std::vector<Reduction> reductions() {
  return {
      {"sum", sum, total},
      {"mean", mean, [](const Doubles& x) { return total(x) / static_cast<double>(x.size()); }},
      {"var", [](const Tensor& x, const Axes& a, bool k) { return var(x, a, k); },
       [](const Doubles& x) { return variance(x, 0.0); }, true},
      {"var 1", [](const Tensor& x, const Axes& a, bool k) { return var(x, a, k, 0.5); },
       [](const Doubles& x) { return variance(x, 0.5); }, true},
      {"std", [](const Tensor& x, const Axes& a, bool k) { return likely::std(x, a, k); },
       [](const Doubles& x) { return std::sqrt(variance(x, 0.0)); }, true},
      {"prod", prod,
       [](const Doubles& x) {
         double result = 1.0;
         for (const double v : x) result *= v;
         return result;
       }},
      {"max", max, [](const Doubles& x) { return *std::max_element(x.begin(), x.end()); }, true},
      {"min", min, [](const Doubles& x) { return *std::min_element(x.begin(), x.end()); }, true},
      {"norm", [](const Tensor& x, const Axes& a, bool k) { return norm(x, a, k); },
       [](const Doubles& x) { return power_norm(x, 2.0); }},
      {"norm 1", [](const Tensor& x, const Axes& a, bool k) { return norm(x, a, k, 1.0); },
       [](const Doubles& x) { return power_norm(x, 1.0); }},
      {"norm 3", [](const Tensor& x, const Axes& a, bool k) { return norm(x, a, k, 3.0); },
       [](const Doubles& x) { return power_norm(x, 3.0); }},
      {"norm inf", [](const Tensor& x, const Axes& a, bool k) { return norm(x, a, k, kInf); },
       [](const Doubles& x) {
         double largest = 0.0;
         for (const double v : x) largest = std::max(largest, std::abs(v));
         return largest;
       },
       true},
      {"logsumexp", logsumexp,
       [](const Doubles& x) {
         double sum_of_exp = 0.0;
         for (const double v : x) sum_of_exp += std::exp(v);
         return std::log(sum_of_exp);
       }},
  };
}

bool reduced(const std::vector<int>& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// Every result from its own list of elements, picked by index.
Doubles brute_force(const Tensor& x, const std::vector<int>& axes,
                    const std::function<double(const Doubles&)>& f) {
  std::vector<Doubles> lists;
  Shape kept = x.shape();
  for (int i = 0; i < x.rank(); ++i) {
    if (reduced(axes, i)) kept[i] = 1;
  }
  lists.resize(static_cast<std::size_t>(kept.size()));
  const Doubles values = x.to_vector<double>();
  for (std::int64_t i = 0; i < x.size(); ++i) {
    std::int64_t rest = i;
    std::int64_t place = 0;
    std::int64_t step = 1;
    for (int axis = x.rank() - 1; axis >= 0; --axis) {
      const std::int64_t index = rest % x.shape()[axis];
      rest /= x.shape()[axis];
      if (reduced(axes, axis)) continue;
      place += index * step;
      step *= x.shape()[axis];
    }
    lists[static_cast<std::size_t>(place)].push_back(values[static_cast<std::size_t>(i)]);
  }
  Doubles results;
  for (const Doubles& list : lists) results.push_back(f(list));
  return results;
}

std::vector<Tensor> layouts() {
  const Tensor x = numbers({3, 2, 4, 5});
  return {x,
          permute(x, {3, 1, 0, 2}),
          permute(x, {1, 0, 3, 2}),
          slice(x, {{}, {}, {.step = 2}, {.step = -1}}),
          expand(slice(x, 1, {0, 1}), {3, 2, 4, 5}),
          expand(select(x, 0, 1), {3, 2, 4, 5}),
          expand(slice(permute(x, {3, 1, 0, 2}), 1, {1, 2}), {5, 3, 3, 4}),
          constant({2, 2, 2, 2}, 0.5, DType::f64),
          numbers({1, 2, 1, 3})};
}

TEST(Reduce, AllAxesAndLayoutsAgainstBruteForce) {
  for (const Reduction& c : reductions()) {
    for (const Tensor& x : layouts()) {
      for (unsigned mask = 0; mask < 16; ++mask) {
        std::vector<int> axes;
        for (int i = 0; i < 4; ++i) {
          if ((mask >> i & 1U) != 0) axes.push_back(i % 2 == 0 ? i : i - 4);
        }
        std::vector<int> positive;
        for (const int a : axes) positive.push_back(a < 0 ? a + 4 : a);
        const Doubles expected = brute_force(x, positive, c.expected);
        for (const bool keep : {false, true}) {
          const Tensor y = c.f(x, axes, keep);
          EXPECT_EQ(y.rank(), keep ? 4 : 4 - static_cast<int>(axes.size()));
          const Doubles values = y.to_vector<double>();
          ASSERT_EQ(values.size(), expected.size()) << c.name;
          const Doubles narrow = c.f(x.to(DType::f32), axes, keep).to_vector<double>();
          for (std::size_t i = 0; i < expected.size(); ++i) {
            ASSERT_NEAR(values[i], expected[i], 1e-12 * std::max(1.0, std::abs(expected[i])))
                << c.name << " " << x.shape().string() << x.strides().string() << " mask " << mask;
            ASSERT_NEAR(narrow[i], expected[i], 1e-5 * std::max(1.0, std::abs(expected[i]))) << c.name;
          }
        }
      }
    }
  }
}

TEST(Reduce, Gradients) {
  for (const Reduction& c : reductions()) {
    const auto with = [&](const Axes& axes, bool keep) {
      return [&c, axes, keep](In x) { return c.f(x[0], axes, keep) * 1.5; };
    };
    check_gradients(c.name, with({}, false), {numbers({2, 3})}, {.tolerance = 3e-6});
    check_gradients(c.name, with({}, true), {numbers({2, 3})}, {.tolerance = 3e-6});
    check_gradients(c.name, with(0, false), {numbers({3, 2}, 1.0, 2)}, {.tolerance = 3e-6});
    check_gradients(c.name, with(-1, true), {numbers({2, 3})}, {.tolerance = 3e-6});
    check_gradients(c.name, with({0, 2}, false), {numbers({2, 2, 2}, 1.0, 3)}, {.tolerance = 3e-6});
    check_gradients(c.name, [&](In x) { return c.f(transpose(x[0]), 0, false); }, {numbers({2, 3})},
                    {.tolerance = 3e-6});
    check_gradients(c.name,
                    [&](In x) {
                      return c.f(exp(expand(x[0], {2, 3})), 1, false);
                    },
                    {numbers({3})}, {.tolerance = 3e-6});
  }
  check_gradients("sum", [](In x) { return square(sum(x[0], 1)); }, {numbers({2, 0})});
  check_gradients("prod", [](In x) { return square(prod(x[0], 1)); }, {numbers({2, 0})});
  check_gradients("sum", [](In x) { return square(sum(x[0])); }, {numbers({})});
}

TEST(Reduce, ProductsWithZerosHaveTheRightGradients) {
  for (const Tensor& x : {tensor({0.0, 2.0, 3.0}), tensor({2.0, 0.0, 3.0, 0.0}), tensor({0.0, 0.0, 0.0})}) {
    check_gradients("prod", [](In t) { return prod(t[0]); }, {x});
    check_gradients("prod", [](In t) { return square(prod(t[0] + 1.0)) + prod(t[0]); }, {x});
  }
  check_gradients("prod",
                  [](In t) {
                    return prod(t[0], {0, 2});
                  },
                  {tensor({{{1.0, 0.0}, {2.0, 3.0}}, {{4.0, 5.0}, {0.0, 0.0}}})});
}

Tensor slope(const Tensor& at, const std::function<Tensor(const Tensor&)>& f) {
  return grad(at, [&](const Tensor& x) { return sum(f(x)); });
}

TEST(Reduce, SlopesAtTiesAndAtZero) {
  EXPECT_EQ(slope(tensor({1.0, 3.0, 3.0, 2.0}), [](const Tensor& x) { return max(x); }).to_vector<float>(),
            (Floats{0, 0.5, 0.5, 0}));
  EXPECT_EQ(
      slope(tensor({{1.0, 1.0}, {0.0, 2.0}}), [](const Tensor& x) { return min(x, 1); }).to_vector<float>(),
      (Floats{0.5, 0.5, 1, 0}));
  for (const double order : {1.0, 1.5, 2.0, 3.0, kInf}) {
    EXPECT_EQ(
        slope(zeros({3}), [&](const Tensor& x) { return norm(x, {}, false, order); }).to_vector<float>(),
        (Floats{0, 0, 0}))
        << order;
  }
  EXPECT_EQ(slope(full({3}, 2.0), [](const Tensor& x) { return likely::std(x); }).to_vector<float>(),
            (Floats{0, 0, 0}));
  EXPECT_EQ(slope(full({2}, -kInf), [](const Tensor& x) { return logsumexp(x); }).to_vector<float>(),
            (Floats{0, 0}));
  const Tensor half = slope(tensor({-kInf, 0.0}), [](const Tensor& x) { return logsumexp(x); });
  EXPECT_EQ(half.to_vector<float>(), (Floats{0, 1}));
}

TEST(Reduce, NothingToReduce) {
  EXPECT_EQ(sum(zeros({2, 0}), 1).to_vector<float>(), (Floats{0, 0}));
  EXPECT_EQ(prod(zeros({2, 0}), 1).to_vector<float>(), (Floats{1, 1}));
  EXPECT_EQ(sum(zeros({0, 2, 0}), {0, 2}).to_vector<float>(), (Floats{0, 0}));
  EXPECT_EQ(sum(zeros({0, 3}), 1).shape(), (Shape{0}));
  EXPECT_TRUE(std::isnan(mean(zeros({0})).item()));
  EXPECT_EQ(logsumexp(zeros({0})).item(), -kInf);
  EXPECT_EQ(norm(zeros({0})).item(), 0.0);
  EXPECT_EQ(any(zeros({0})).item(), 0.0);
  EXPECT_EQ(all(zeros({0})).item(), 1.0);
  EXPECT_EQ(max(zeros({0, 2}), 1).shape(), (Shape{0}));
  expect_refusal([] { max(zeros({2, 0})); }, "[max] there is nothing to reduce in shape (2, 0)");
  expect_refusal([] { min(zeros({2, 0}), 1); }, "[min] there is nothing to reduce in shape (2, 0)");
  expect_refusal([] { argmax(zeros({0})); }, "[argmax] there is nothing to reduce in shape (0,)");
  expect_refusal([] { argmin(zeros({2, 0}), 1); }, "[argmin] there is nothing to reduce in shape (2, 0)");
}

TEST(Reduce, NoAxesLeaveElementsAlone) {
  const Tensor x = tensor({{1.0, -2.0}, {3.0, 4.0}});
  const std::vector<int> none;
  EXPECT_TRUE(array_equal(sum(x, none), x));
  EXPECT_TRUE(array_equal(max(x, none, true), x));
  EXPECT_TRUE(array_equal(norm(x, none), abs(x)));
  EXPECT_EQ(sum(tensor(3.0)).item(), 3.0);
}

TEST(Reduce, Types) {
  EXPECT_EQ(sum(tensor({true, true, false})).dtype(), DType::i64);
  EXPECT_EQ(sum(tensor({true, true, false})).item(), 2.0);
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(sum(tensor({big, std::int64_t{2}})).to_vector<std::int64_t>(), (Integers{big + 2}));
  EXPECT_EQ(prod(tensor({2, 3, 4})).to_vector<std::int64_t>(), (Integers{24}));
  EXPECT_EQ(max(tensor({big, big - 1})).to_vector<std::int64_t>(), (Integers{big}));
  EXPECT_EQ(max(tensor({true, false})).dtype(), DType::boolean);
  EXPECT_EQ(min(tensor({true, false})).item(), 0.0);
  EXPECT_EQ(mean(tensor({1, 2})).dtype(), DType::f32);
  EXPECT_EQ(mean(tensor({1, 2})).item(), 1.5);
  EXPECT_EQ(mean(tensor({true, false, true, true})).item(), 0.75);
  EXPECT_EQ(mean(full({3}, 16777217, DType::i64) - tensor({1, 1, 1})).item(), 16777216.0);
  EXPECT_EQ(var(tensor({1, 3})).item(), 1.0);
  EXPECT_EQ(likely::std(tensor({1, 3})).dtype(), DType::f32);
  EXPECT_EQ(norm(tensor({3, 4})).item(), 5.0);
  EXPECT_EQ(logsumexp(tensor({0, 0})).dtype(), DType::f32);
  EXPECT_EQ(sum(ones({2}, DType::f64)).dtype(), DType::f64);
  EXPECT_EQ(mean(full({49}, 7.0)).item(), 7.0);
  // Ten nanosecond timestamps: their sum is beyond i64.
  EXPECT_EQ(mean(full({10}, 1.7e18, DType::i64)).item(), static_cast<double>(1.7e18F));
  EXPECT_EQ(mean(full({2, 1000}, -9.3e15, DType::i64), {1}).at({1}), static_cast<double>(-9.3e15F));
  EXPECT_EQ(mean(tensor({INT64_MIN, std::int64_t{0}})).item(), -0x1p62);
}

TEST(Reduce, AnyAndAll) {
  const Tensor x = tensor({{0.0, 1.0}, {0.0, kNan}});
  EXPECT_EQ(any(x, 0).to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(all(x, 0).to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(any(x, 1, true).shape(), (Shape{2, 1}));
  EXPECT_EQ(any(x).dtype(), DType::boolean);
  EXPECT_EQ(all(tensor({1, 2, 3})).item(), 1.0);
  EXPECT_EQ(any(tensor({false, false})).item(), 0.0);
  EXPECT_EQ(all(expand(tensor({{true}, {false}}), {2, 3}), 1).to_vector<std::uint8_t>(),
            (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(any(reshape(tensor({false, true, false, false}), {2, 1, 2}), {0, 2}).item(), 1.0);
}

TEST(Reduce, PositionsOfTheExtremes) {
  const Tensor x = tensor({{1.0, 3.0, 3.0}, {-1.0, kNan, 5.0}});
  EXPECT_EQ(argmax(x, 1).to_vector<std::int64_t>(), (Integers{1, 1}));
  EXPECT_EQ(argmin(x, 1).to_vector<std::int64_t>(), (Integers{0, 1}));
  EXPECT_EQ(argmax(x, 0, true).shape(), (Shape{1, 3}));
  EXPECT_EQ(argmax(x).item(), 4.0);
  EXPECT_EQ(argmax(tensor({{1, 9}, {9, 2}})).item(), 1.0);
  EXPECT_EQ(argmax(transpose(tensor({{1, 9}, {8, 2}}))).item(), 2.0);
  EXPECT_EQ(argmin(transpose(tensor({{1, 9}, {8, 2}})), 0).to_vector<std::int64_t>(), (Integers{0, 1}));
  EXPECT_EQ(argmax(tensor({false, true})).item(), 1.0);
  EXPECT_EQ(argmax(tensor(3.0)).item(), 0.0);
  EXPECT_EQ(argmax(x).dtype(), DType::i64);
}

TEST(Reduce, NanAndInfinity) {
  EXPECT_TRUE(std::isnan(max(tensor({1.0, kNan, 2.0})).item()));
  EXPECT_TRUE(std::isnan(min(tensor({kNan, 2.0})).item()));
  EXPECT_TRUE(std::isnan(sum(tensor({kInf, -kInf})).item()));
  EXPECT_EQ(max(tensor({-kInf, -kInf})).item(), -kInf);
  EXPECT_EQ(logsumexp(tensor({-kInf, -kInf})).item(), -kInf);
  EXPECT_EQ(logsumexp(tensor({kInf, 0.0})).item(), kInf);
  EXPECT_NEAR(logsumexp(tensor({1e4, 1e4}, DType::f64)).item(), 1e4 + std::log(2.0), 1e-9);
  EXPECT_NEAR(logsumexp(tensor({-1e4, -1e4}, DType::f64)).item(), -1e4 + std::log(2.0), 1e-9);
  EXPECT_TRUE(std::isnan(norm(tensor({kNan, 1.0})).item()));
  EXPECT_EQ(norm(tensor({kInf, 1.0})).item(), kInf);
}

TEST(Reduce, NormsOfVeryLargeAndSmallNumbers) {
  EXPECT_NEAR(norm(tensor({3e30, 4e30})).item() / 5e30, 1.0, 1e-6);
  EXPECT_NEAR(norm(tensor({3e-30, 4e-30})).item() / 5e-30, 1.0, 1e-6);
  EXPECT_NEAR(norm(tensor({3e200, 4e200}, DType::f64)).item() / 5e200, 1.0, 1e-14);
  EXPECT_NEAR(norm(tensor({{3e-200, 4e-200}, {3, 4}}, DType::f64), 1).at({0}) / 5e-200, 1.0, 1e-14);
  EXPECT_NEAR(norm(tensor({1e20, 1e20}), {}, false, 4.0).item() / (1e20 * std::pow(2.0, 0.25)), 1.0, 1e-6);
  const Tensor g = slope(tensor({3e30, 4e30}), [](const Tensor& x) { return norm(x); });
  EXPECT_NEAR(g.at({0}), 0.6, 1e-6);
}

TEST(Reduce, LongSumsKeepTheirDigits) {
  const std::int64_t n = 1 << 22;
  EXPECT_NEAR(mean(full({n}, 0.1)).item(), static_cast<double>(0.1F), 1e-7);
  EXPECT_NEAR(var(numbers({1000}) + 1e4).item(), variance(numbers({1000}).to_vector<double>(), 0.0), 1e-9);
}

TEST(Reduce, Refusals) {
  const Tensor x = zeros({2, 3});
  expect_refusal([&] { sum(x, 2); }, "[sum] axis 2 is out of range for shape (2, 3)");
  expect_refusal([&] { mean(x, {0, -2}); }, "[mean] axis -2 is named twice");
  expect_refusal([&] { prod(tensor(1.0), 0); }, "[prod] axis 0 is out of range for shape ()");
  expect_refusal([&] { max(x, -3); }, "[max] axis -3 is out of range for shape (2, 3)");
  expect_refusal([&] { any(x, {1, 1}); }, "[any] axis 1 is named twice");
  expect_refusal([&] { argmax(x, 2); }, "[argmax] axis 2 is out of range for shape (2, 3)");
  expect_refusal([&] { norm(x, {}, false, 0.5); }, "[norm] the order must be at least 1, got 0.500000");
  expect_refusal([&] { norm(x, {}, false, kNan); }, "[norm] the order must be at least 1, got nan");
  expect_refusal([&] { logsumexp(x, 5); }, "[logsumexp] axis 5 is out of range for shape (2, 3)");
  expect_refusal([&] { var(zeros({1}), {}, false, 1.0); },
                 "[var] 1 elements are too few for correction 1.000000");
  expect_refusal([&] { var(zeros({2, 0}), 1); }, "[var] 0 elements are too few for correction 0.000000");
  expect_refusal([&] { likely::std(zeros({1}), {}, false, 1.0); },
                 "[std] 1 elements are too few for correction 1.000000");
  expect_refusal([&] { Axes(std::vector<int>(9, 0)); }, "[reduce] at most 8 axes can be named, got 9");
}

// The mean of equal numbers is rounded, but they do not differ.
TEST(Reduce, EqualNumbersDoNotVary) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const double value : {0.1, -1e-3, 1.0 / 3.0, 12345.678, 1e-30, 1e30, 16777217.0}) {
      for (const std::int64_t count : {2, 3, 7, 10, 1000, 100'003}) {
        const Tensor x = constant({count, 3}, value, dtype).copy();
        const Tensor columns = var(x, 0), spread = likely::std(x, {}, false, 1.0);
        EXPECT_EQ(columns.to_vector<double>(), (Doubles{0, 0, 0})) << value << ", " << count << " times";
        EXPECT_EQ(spread.item(), 0.0) << value << ", " << count << " times";
      }
    }
  }
  // Rows that hold equal numbers beside rows that do not, and numbers that differ by as little as they can.
  const float low = 0.1F, high = std::nextafter(low, 1.0F);
  const Tensor x = tensor(Floats{low, low, low, low, high, low, low, low, 3.0F}, Shape{3, 3});
  const std::vector<double> rows = var(x, 1, true).to_vector<double>();
  EXPECT_EQ(rows[0], 0.0);
  const double gap = static_cast<double>(high) - static_cast<double>(low);
  EXPECT_GT(rows[1], 0.0);
  EXPECT_LT(rows[1], gap * gap);
  EXPECT_NEAR(rows[2], 2.0 / 9.0 * 2.9 * 2.9, 1e-6);
  const Tensor with_nan = tensor(Doubles{1.0, kNan, 1.0, 1.0}, Shape{2, 2});
  EXPECT_TRUE(std::isnan(var(with_nan, 1).at({0})));
  EXPECT_EQ(var(with_nan, 1).at({1}), 0.0);
}

TEST(Reduce, SameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const Tensor x = numbers({37, 300, 41}).to(DType::f32);
  for (const Reduction& c : reductions()) {
    for (const Axes& axes : {Axes{}, Axes{0}, Axes{1}, Axes{2}, Axes{0, 2}}) {
      std::vector<Tensor> results;
      for (const int n : {1, 2, 3}) {
        set_threads(n);
        results.push_back(c.f(x, axes, false));
      }
      EXPECT_TRUE(array_equal(results[0], results[1])) << c.name;
      EXPECT_TRUE(array_equal(results[0], results[2])) << c.name;
    }
  }
  set_threads(before);
}

}  // namespace
}  // namespace likely
