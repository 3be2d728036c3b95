#include "likely/models/choice/custom.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/models/choice/fit.hpp"
#include "likely/models/choice/simulate.hpp"
#include "tests/models/choice/random_trials.hpp"
#include "tests/support/refusal.hpp"

namespace likely::choice {
namespace {

// Rescorla-Wagner with two learning rates, written by hand.
class Mine : public CustomModel {
 public:
  std::vector<Parameter> parameters() const override {
    return {rate_parameter("alpha_gain", ""), rate_parameter("alpha_loss", ""),
            positive_parameter("beta", "")};
  }
  void prefer(std::span<const Number> theta, std::span<const Number> state,
              std::span<Number> preferences) const override {
    for (std::size_t k = 0; k < preferences.size(); ++k) preferences[k] = theta[2] * state[k];
  }
  void learn(std::span<const Number> theta, const CustomTrial& trial,
             std::span<Number> state) const override {
    Number& value = state[static_cast<std::size_t>(trial.choice)];
    const Number error = trial.outcome - value;
    value += (error > 0.0 ? theta[0] : theta[1]) * error;
  }
};

// Throws, in the middle of a subject, for the learning rates that a test hands it.
class Broken : public Mine {
 public:
  explicit Broken(std::function<void()> fail) : fail_(std::move(fail)) {}
  void learn(std::span<const Number> theta, const CustomTrial& trial,
             std::span<Number> state) const override {
    if (trial.outcome > 0.5) fail_();
    Mine::learn(theta, trial, state);
  }

 private:
  std::function<void()> fail_;
};

// What a model of the user's throws arrives where the user called, on any number of threads.
TEST(CustomChoiceModel, MayThrow) {
  const Trials trials = testing::random_trials(
      {.subjects = 40, .trials = 200, .options = 3, .blocks = true, .offered = true}, 9);
  const std::vector<std::vector<double>> theta(40, {0.3, 0.2, 4.0});
  Bandit task;
  task.probabilities = {0.2, 0.5, 0.8};
  const int before = threads();
  for (const int n : {1, 2, 3}) {
    set_threads(n);
    const auto message = [](const std::function<void()>& call) -> std::string {
      try {
        call();
      } catch (const std::exception& error) {
        return error.what();
      } catch (int number) {
        return std::to_string(number);
      }
      return "nothing was thrown";
    };
    const auto everywhere = [&](const std::function<void()>& fail, const std::string& expected) {
      const Model model = custom_model("broken", std::make_shared<Broken>(fail), {.options = 3});
      EXPECT_EQ(message([&] { fit_posterior(Likelihood(model, trials)); }), expected) << n;
      EXPECT_EQ(message([&] {
                  std::vector<double> values(40), at(120, 0.1);
                  Likelihood(model, trials).evaluate(at, values, {}, {});
                }),
                expected)
          << n;
      EXPECT_EQ(message([&] { simulate(model, theta, task, Rng(3)); }), expected) << n;
    };
    everywhere([] { refuse("mine", "no such outcome"); }, "[mine] no such outcome");
    everywhere([] { throw 42; }, "42");
  }
  set_threads(before);
}

TEST(CustomChoiceModel, EqualsTheSameModelMadeFromParts) {
  const Trials trials = testing::random_trials(
      {.subjects = 11, .trials = 50, .options = 3, .blocks = true, .offered = true}, 9);
  const Likelihood mine(custom_model("mine", std::make_shared<Mine>(), {.options = 3}), trials);
  const Likelihood parts(named_model("rw-dual", {.options = 3}), trials);
  std::vector<double> at;
  for (int i = 0; i < 33; ++i) at.push_back(std::sin(1.0 + i));
  std::vector<double> a(11), b(11), ga(33), gb(33), ha(99), hb(99);
  mine.evaluate(at, a, ga, ha);
  parts.evaluate(at, b, gb, hb);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-10);
  for (std::size_t i = 0; i < ga.size(); ++i) EXPECT_NEAR(ga[i], gb[i], 1e-9);
  for (std::size_t i = 0; i < ha.size(); ++i) EXPECT_NEAR(ha[i], hb[i], 1e-9);
  const std::span<const double> third(at.data() + 9, 3);
  const std::vector<double> points = mine.pointwise(3, third), same = parts.pointwise(3, third);
  ASSERT_EQ(points.size(), same.size());
  for (std::size_t t = 0; t < points.size(); ++t) EXPECT_NEAR(points[t], same[t], 1e-12);
  const Fit fit = fit_posterior(mine), other = fit_posterior(parts);
  for (std::size_t s = 0; s < 11; ++s) {
    EXPECT_NEAR(fit.subjects[s].log_evidence, other.subjects[s].log_evidence, 1e-7);
  }
  Bandit task;
  task.probabilities = {0.2, 0.5, 0.8};
  const Model model = custom_model("mine", std::make_shared<Mine>(), {.options = 3});
  const std::vector<std::vector<double>> theta(9, {0.3, 0.2, 4.0});
  EXPECT_EQ(simulate(model, theta, task, Rng(3)).subjects[8].choice,
            simulate(named_model("rw-dual", {.options = 3}), theta, task, Rng(3)).subjects[8].choice);
}

TEST(CustomChoiceModel, NumbersHaveTheirDerivatives) {
  using Function = std::function<Number(const Number&, const Number&)>;
  const std::vector<Function> functions{
      [](const Number& x, const Number& y) { return x * y + x - 2.0 * y; },
      [](const Number& x, const Number& y) { return x / y - 3.0 / x; },
      [](const Number& x, const Number& y) { return exp(x * y); },
      [](const Number& x, const Number& y) { return log(x + y * y); },
      [](const Number& x, const Number& y) { return sqrt(x) * sigmoid(y - x); },
      [](const Number& x, const Number& y) { return tanh(x * y) + abs(y - x); },
      [](const Number& x, const Number& y) { return pow(x, 1.7) - -y; },
  };
  const double x = 0.7, y = 1.3, h = 1e-4;
  for (std::size_t f = 0; f < functions.size(); ++f) {
    SCOPED_TRACE(f);
    const auto value = [&](double a, double b) { return functions[f](a, b).value(); };
    const Number got = functions[f](Number::parameter(x, 0, 2, 2), Number::parameter(y, 1, 2, 2));
    EXPECT_EQ(got.value(), value(x, y));
    EXPECT_NEAR(got.first(0), (value(x + h, y) - value(x - h, y)) / (2 * h), 1e-6);
    EXPECT_NEAR(got.first(1), (value(x, y + h) - value(x, y - h)) / (2 * h), 1e-6);
    EXPECT_NEAR(got.second(0, 0), (value(x + h, y) - 2 * value(x, y) + value(x - h, y)) / (h * h), 1e-5);
    EXPECT_NEAR(got.second(1, 1), (value(x, y + h) - 2 * value(x, y) + value(x, y - h)) / (h * h), 1e-5);
    EXPECT_NEAR(
        got.second(0, 1),
        (value(x + h, y + h) - value(x + h, y - h) - value(x - h, y + h) + value(x - h, y - h)) / (4 * h * h),
        1e-5);
    EXPECT_EQ(got.second(0, 1), got.second(1, 0));
  }
}

TEST(CustomChoiceModel, Refuses) {
  class Large : public Mine {
    std::vector<Parameter> parameters() const override {
      std::vector<Parameter> list;
      for (int i = 0; i < 11; ++i) list.push_back(real_parameter("p" + std::to_string(i), ""));
      return list;
    }
  };
  likely::testing::expect_refusal([] { custom_model("large", std::make_shared<Large>()); },
                                  "[choice] a model of your own has at most 10 parameters, large has 11");
  EXPECT_THROW(custom_model("", std::make_shared<Mine>()), Error);
  EXPECT_THROW(custom_model("empty", nullptr), Error);
}

}  // namespace
}  // namespace likely::choice
