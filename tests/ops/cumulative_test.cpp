#include "likely/ops/cumulative.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using In = const std::vector<Tensor>&;
using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Cumulation {
  const char* name;
  Tensor (*f)(const Tensor&, int, bool);
};
const Cumulation kAll[] = {{"cumsum", cumsum}, {"cumprod", cumprod}, {"logcumsumexp", logcumsumexp}};

TEST(Cumulative, Values) {
  const Tensor x = tensor({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(cumsum(x, 1).to_vector<std::int64_t>(), (Integers{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(cumsum(x, 0).to_vector<std::int64_t>(), (Integers{1, 2, 3, 5, 7, 9}));
  EXPECT_EQ(cumsum(x, -1, true).to_vector<std::int64_t>(), (Integers{6, 5, 3, 15, 11, 6}));
  EXPECT_EQ(cumprod(x, 1).to_vector<std::int64_t>(), (Integers{1, 2, 6, 4, 20, 120}));
  EXPECT_EQ(cumprod(x, 1, true).to_vector<std::int64_t>(), (Integers{6, 6, 3, 120, 30, 6}));
  EXPECT_EQ(cumsum(transpose(x), 0).to_vector<std::int64_t>(), (Integers{1, 4, 3, 9, 6, 15}));
  EXPECT_EQ(cumsum(tensor({true, false, true}), 0).to_vector<std::int64_t>(), (Integers{1, 1, 2}));
  EXPECT_EQ(logcumsumexp(arange(3), 0).dtype(), DType::f32);
  EXPECT_EQ(cumsum(zeros({2, 0}), 1).shape(), (Shape{2, 0}));
  EXPECT_EQ(cumprod(zeros({0, 2}), 1).shape(), (Shape{0, 2}));
}

TEST(Cumulative, LogCumulativeSumsAgainstTheFormula) {
  const Tensor x = numbers({7}, 3.0);
  const Doubles values = x.to_vector<double>();
  for (const bool reversed : {false, true}) {
    const Doubles y = logcumsumexp(x, 0, reversed).to_vector<double>();
    double total = 0.0;
    for (std::size_t i = 0; i < 7; ++i) {
      const std::size_t at = reversed ? 6 - i : i;
      total += std::exp(values[at]);
      EXPECT_NEAR(y[at], std::log(total), 1e-13);
    }
  }
  EXPECT_EQ(logcumsumexp(tensor({-kInf, -kInf, 3.0, 1000.0}), 0).to_vector<double>()[1], -kInf);
  EXPECT_EQ(logcumsumexp(tensor({-kInf, 3.0, 1000.0}), 0).to_vector<double>()[2], 1000.0);
  EXPECT_NEAR(logcumsumexp(full({4}, 1e4, DType::f64), 0).at({3}), 1e4 + std::log(4.0), 1e-9);
}

TEST(Cumulative, Gradients) {
  for (const Cumulation& c : kAll) {
    for (const bool reversed : {false, true}) {
      for (const int axis : {0, 1, -1}) {
        check_gradients(c.name, [&](In x) { return square(c.f(x[0], axis, reversed)); },
                        {numbers({3, 4, 2})});
      }
      check_gradients(c.name, [&](In x) { return c.f(transpose(x[0]), 1, reversed); }, {numbers({4, 2})});
      check_gradients(c.name, [&](In x) { return square(c.f(x[0], 0, reversed)); }, {numbers({1})});
      check_gradients(c.name, [&](In x) { return square(c.f(x[0], 1, reversed)); }, {numbers({2, 0})});
    }
  }
}

TEST(Cumulative, ProductsWithZerosHaveTheRightGradients) {
  for (const bool reversed : {false, true}) {
    for (const Tensor& x : {tensor({0.0, 2.0, 3.0}), tensor({2.0, 0.0, 3.0, 0.5}),
                            tensor({2.0, 0.0, 0.0, 4.0}), tensor({0.0, 0.0, 0.0})}) {
      check_gradients("cumprod", [&](In t) { return cumprod(t[0], 0, reversed); }, {x});
      check_gradients("cumprod", [&](In t) { return square(cumprod(t[0], 0, reversed)); }, {x});
    }
  }
}

TEST(Cumulative, WhereNothingHasStartedThereIsNoSlope) {
  for (const double start : {-kInf, -1000.0}) {
    const Tensor g = grad(tensor({-kInf, start, -5.0, 2.0}, DType::f64), [](const Tensor& x) {
      return sum(slice(logcumsumexp(x, 0), 0, {2, 4}));
    });
    EXPECT_EQ(g.at({0}), 0.0);
    EXPECT_EQ(g.at({1}), 0.0);
    EXPECT_NEAR(g.at({2}), 1.0 + 1.0 / (1.0 + std::exp(7.0)), 1e-12);
    EXPECT_NEAR(g.at({3}), 1.0 / (1.0 + std::exp(-7.0)), 1e-12);
    const Tensor bend = grad(tensor({-kInf, start, -5.0, 2.0}, DType::f64), [](const Tensor& x) {
      return sum(square(grad(x, [](const Tensor& t) { return sum(slice(logcumsumexp(t, 0), 0, {2, 4})); })));
    });
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(std::isfinite(bend.at({i}))) << i;
  }
}

TEST(Cumulative, LinearRecurrence) {
  const Tensor a = tensor({0.5, 2.0, -1.0}, DType::f64);
  const Tensor b = tensor({1.0, 2.0, 3.0}, DType::f64);
  EXPECT_EQ(linear_recurrence(a, b, 0).to_vector<double>(), (Doubles{1, 4, -1}));
  EXPECT_EQ(linear_recurrence(a, b, 0, true).to_vector<double>(), (Doubles{5, 8, 3}));
}

TEST(Cumulative, LinearRecurrenceAgainstALoop) {
  const Tensor a = numbers({3, 5, 100}, 1.1, 1);
  const Tensor b = numbers({3, 5, 100}, 1.0, 2);
  for (const bool reversed : {false, true}) {
    const Tensor y = linear_recurrence(a, b, 1, reversed);
    for (const std::int64_t i : {0, 2}) {
      for (const std::int64_t k : {0, 63, 64, 99}) {
        double carry = 0.0;
        for (std::int64_t step = 0; step < 5; ++step) {
          const std::int64_t j = reversed ? 4 - step : step;
          carry = a.at({i, j, k}) * carry + b.at({i, j, k});
          EXPECT_NEAR(y.at({i, j, k}), carry, 1e-14);
        }
      }
    }
  }
  // A discounted return with one rate for all steps.
  const Tensor returns = linear_recurrence(tensor(0.9, DType::f64), ones({50}, DType::f64), 0, true);
  EXPECT_NEAR(returns.at({0}), (1 - std::pow(0.9, 50)) / 0.1, 1e-12);
  EXPECT_EQ(linear_recurrence(tensor({1, 1}), tensor({2, 3}), 0).dtype(), DType::f32);
}

TEST(Cumulative, LinearRecurrenceGradients) {
  for (const bool reversed : {false, true}) {
    const auto f = [&](In x) { return square(linear_recurrence(x[0], x[1], 1, reversed)); };
    check_gradients("linear_recurrence", f, {numbers({2, 4}), numbers({2, 4}, 1.0, 1)});
    check_gradients("linear_recurrence", f, {numbers({}), numbers({2, 3}, 1.0, 1)});
    check_gradients("linear_recurrence", f, {numbers({2, 3}), numbers({2, 1}, 1.0, 1)});
    check_gradients("linear_recurrence", f, {numbers({2, 1}), numbers({2, 1}, 1.0, 1)});
    check_gradients("linear_recurrence",
                    [&](In x) { return linear_recurrence(transpose(x[0]), transpose(x[1]), 0, reversed); },
                    {numbers({2, 4}), numbers({2, 4}, 1.0, 1)});
  }
}

TEST(Cumulative, Refusals) {
  expect_refusal([] { cumsum(zeros({2}), 1); }, "[cumsum] axis 1 is out of range for shape (2,)");
  expect_refusal([] { cumprod(tensor(1.0), 0); }, "[cumprod] axis 0 is out of range for shape ()");
  expect_refusal([] { logcumsumexp(zeros({2}), -2); },
                 "[logcumsumexp] axis -2 is out of range for shape (2,)");
  expect_refusal([] { linear_recurrence(zeros({2}), zeros({3}), 0); },
                 "[linear_recurrence] shapes do not broadcast: (2,) and (3,)");
  expect_refusal([] { linear_recurrence(zeros({2}), zeros({2}), 1); },
                 "[linear_recurrence] axis 1 is out of range for shape (2,)");
}

TEST(Cumulative, SameBitsForAnyNumberOfThreads) {
  const int before = threads();
  const Tensor x = numbers({300, 700}).to(DType::f32);
  for (const int axis : {0, 1}) {
    std::vector<Tensor> results;
    for (const int n : {1, 2, 3}) {
      set_threads(n);
      results.push_back(cumsum(x, axis) + cumprod(x * 0.1 + 1.0, axis) + logcumsumexp(x, axis) +
                        linear_recurrence(x, x, axis));
    }
    EXPECT_TRUE(array_equal(results[0], results[1]));
    EXPECT_TRUE(array_equal(results[0], results[2]));
  }
  set_threads(before);
}

}  // namespace
}  // namespace likely
