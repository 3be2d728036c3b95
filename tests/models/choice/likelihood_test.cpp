#include "likely/models/choice/likelihood.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/threads.hpp"
#include "likely/kernels/instruction_set.hpp"
#include "tests/models/choice/random_trials.hpp"
#include "tests/models/choice/tape_reference.hpp"
#include "tests/support/refusal.hpp"

namespace likely::choice {
namespace {

using likely::testing::refusal_of;
using testing::random_trials;
using testing::RandomTrials;
using testing::TapeReference;

// Different for each subject, in the middle of the range.
std::vector<double> some_parameters(const Model& model, std::int64_t subjects) {
  std::vector<double> at;
  for (std::int64_t s = 0; s < subjects; ++s) {
    for (int i = 0; i < model.size(); ++i) {
      at.push_back(-0.9 + 0.31 * static_cast<double>((7 * s + 3 * i) % 8) + 0.07 * i);
    }
  }
  return at;
}

std::vector<double> natural_of(const Model& model, const std::vector<double>& at) {
  std::vector<double> natural;
  for (std::size_t i = 0; i < at.size(); ++i) {
    natural.push_back(model.parameters[i % model.parameters.size()].natural(at[i]));
  }
  return natural;
}

double scale_of(double x) { return 1.0 + std::fabs(x); }

void check_against_tape(const Model& model, const Trials& trials) {
  SCOPED_TRACE(model.name + ", " + std::to_string(trials.options) + " options");
  const Likelihood likelihood(model, trials);
  const auto subjects = likelihood.subjects();
  const auto n = static_cast<std::size_t>(model.size());
  const std::vector<double> at = natural_of(model, some_parameters(model, subjects));
  std::vector<double> value(static_cast<std::size_t>(subjects));
  std::vector<double> gradient(value.size() * n);
  std::vector<double> hess(value.size() * n * n);
  likelihood.evaluate(at, value, gradient, hess, Scale::natural);
  for (std::size_t s = 0; s < value.size(); ++s) {
    const std::vector<double> theta(at.begin() + static_cast<std::ptrdiff_t>(s * n),
                                    at.begin() + static_cast<std::ptrdiff_t>((s + 1) * n));
    const auto reference = [&](const Tensor& x) {
      return TapeReference(model, trials.subjects[s], x).log_likelihood();
    };
    if (n == 0) {
      const double expected = reference(zeros({0}, DType::f64)).item();
      ASSERT_NEAR(value[s], expected, 1e-10 * scale_of(expected));
      continue;
    }
    const Tensor x = tensor(theta);
    const auto [expected, slope] = value_and_grad(x, reference);
    ASSERT_NEAR(value[s], expected.item(), 1e-10 * scale_of(expected.item()));
    const std::vector<double> slopes = slope.to_vector<double>();
    const std::vector<double> curves = hessian(x, reference).to_vector<double>();
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_NEAR(gradient[s * n + i], slopes[i], 1e-10 * scale_of(slopes[i])) << "parameter " << i;
      for (std::size_t j = 0; j < n; ++j) {
        ASSERT_NEAR(hess[(s * n + i) * n + j], curves[i * n + j], 1e-10 * scale_of(curves[i * n + j]))
            << "parameters " << i << ", " << j;
      }
    }
  }
}

Trials trials_for(const Model& model, RandomTrials wanted, std::uint64_t seed) {
  wanted.losses = model.parts.rho_gain >= 0;
  return random_trials(wanted, seed);
}

TEST(ChoiceLikelihood, EveryNamedModelEqualsTheTape) {
  for (const NamedPart& name : model_names()) {
    for (const int options : {2, 3, 4}) {
      const Model model = named_model(name.name, {.options = options, .initial_value = 0.2});
      check_against_tape(model,
                         trials_for(model, {.trials = 16, .options = options, .blocks = options == 3}, 7));
    }
  }
}

TEST(ChoiceLikelihood, PartsTogetherEqualTheTape) {
  const std::vector<std::pair<std::string, std::string>> pairs{
      {"dual,v0,rho,decay", "softmax,stick,ck,bias,lapse"},
      {"per-cue,fict,v0", "softmax,lapse"},
      {"rw,fict-own,decay", "softmax,bias"},
      {"dual,fict,rho", "unit-softmax,lapse,stick"},
      {"pearce-hall,fict,v0", "softmax,stick"},
      {"pearce-hall,decay,rho-dual", "unit-softmax,ck"},
      {"kalman,fict,rho", "unit-softmax"},
      {"kalman,decay,v0", "softmax,lapse,ck"},
      {"dual,v0,fict-own", "greedy"},
  };
  for (const auto& [learn, choose] : pairs) {
    for (const int options : {2, 3}) {
      const Model model = compose_model(split_parts(learn), split_parts(choose), {.options = options});
      check_against_tape(
          model, trials_for(model, {.subjects = 2, .trials = 15, .options = options, .blocks = true}, 3));
    }
  }
}

TEST(ChoiceLikelihood, OptionsThatAreNotOfferedHaveNoPart) {
  for (const char* name :
       {"rw", "rw-lapse", "rw-fict", "rw-greedy", "wsls", "wsls-dual", "rw-bias", "random"}) {
    const Model model = named_model(name, {.options = 3});
    check_against_tape(model, trials_for(model, {.trials = 20, .options = 3, .offered = true}, 11));
  }
}

TEST(ChoiceLikelihood, CuesShareTheirError) {
  for (const char* name : {"rw", "rw-dual", "rw-per-cue", "pearce-hall", "kalman", "rw-decay"}) {
    const Model chosen = named_model(name, {.options = 2, .cues = 3});
    check_against_tape(chosen, trials_for(chosen, {.trials = 15, .options = 2, .cues = 3}, 5));
    check_against_tape(chosen,
                       trials_for(chosen, {.trials = 15, .options = 2, .cues = 3, .predict = true}, 6));
  }
}

TEST(ChoiceLikelihood, DerivativesWithoutBoundsAreThoseOfDifferences) {
  for (const NamedPart& name : model_names()) {
    SCOPED_TRACE(name.name);
    Model model = named_model(name.name, {.options = 3});
    if (model.size() == 0) continue;
    if (model.parts.beta >= 0) {  // one scaled logit among them
      model.parameter("beta") = bounded_parameter("beta", "", 0.0, 20.0);
    }
    const Trials trials = trials_for(model, {.subjects = 9, .trials = 40, .options = 3, .blocks = true}, 2);
    const Likelihood likelihood(model, trials);
    const auto n = static_cast<std::size_t>(model.size());
    const std::vector<double> at = some_parameters(model, 9);
    std::vector<double> value(9), gradient(9 * n), hess(9 * n * n);
    likelihood.evaluate(at, value, gradient, hess);
    const double h = 1e-5;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> up = at, down = at;
      for (std::size_t s = 0; s < 9; ++s) {
        up[s * n + i] += h;
        down[s * n + i] -= h;
      }
      std::vector<double> value_up(9), value_down(9), gradient_up(9 * n), gradient_down(9 * n);
      likelihood.evaluate(up, value_up, gradient_up);
      likelihood.evaluate(down, value_down, gradient_down);
      for (std::size_t s = 0; s < 9; ++s) {
        EXPECT_NEAR(gradient[s * n + i], (value_up[s] - value_down[s]) / (2 * h), 1e-7) << "parameter " << i;
        for (std::size_t j = 0; j < n; ++j) {
          EXPECT_NEAR(hess[(s * n + i) * n + j],
                      (gradient_up[s * n + j] - gradient_down[s * n + j]) / (2 * h), 1e-7)
              << "parameters " << i << ", " << j;
        }
      }
    }
  }
}

TEST(ChoiceLikelihood, IsTheSameOnEveryInstructionSetAndNumberOfThreads) {
  for (const char* name : {"rw", "rw-dual-stick"}) {
    const Model model = named_model(name);
    const Trials trials = random_trials({.subjects = 37, .trials = 700, .blocks = true}, 4);
    const Likelihood likelihood(model, trials);
    const auto n = static_cast<std::size_t>(model.size());
    const std::vector<double> at = some_parameters(model, 37);
    std::vector<double> first, slopes, curves;
    const std::string best = kernels::instruction_set();
    for (const std::string& set : kernels::instruction_sets()) {
      SCOPED_TRACE(set);
      kernels::use_instruction_set(set);
      std::vector<double> value(37), gradient(37 * n), hess(37 * n * n), again(37), half(37 * n);
      likelihood.evaluate(at, value, gradient, hess);
      const int before = threads();
      for (const int count : {1, 2, 3}) {
        set_threads(count);
        std::vector<double> same(37), same_gradient(37 * n), same_hess(37 * n * n);
        likelihood.evaluate(at, same, same_gradient, same_hess);
        EXPECT_EQ(value, same);
        EXPECT_EQ(gradient, same_gradient);
        EXPECT_EQ(hess, same_hess);
      }
      set_threads(before);
      // Lower orders give the same bits, and so does a subject alone.
      likelihood.evaluate(at, again);
      EXPECT_EQ(again, value);
      likelihood.evaluate(at, again, half);
      EXPECT_EQ(half, gradient);
      for (std::size_t s = 0; s < 37; ++s) {
        std::vector<double> alone(n), square(n * n);
        const std::span<const double> point(at.data() + s * n, n);
        EXPECT_EQ(likelihood.evaluate_subject(static_cast<std::int64_t>(s), point, alone, square), value[s]);
        EXPECT_EQ(alone, std::vector<double>(gradient.begin() + static_cast<std::ptrdiff_t>(s * n),
                                             gradient.begin() + static_cast<std::ptrdiff_t>((s + 1) * n)));
        double total = 0.0;
        for (const double p : likelihood.pointwise(static_cast<std::int64_t>(s), point)) total += p;
        EXPECT_NEAR(total, value[s], 1e-9 * std::fabs(value[s]));
      }
      if (first.empty()) {
        first = value;
        slopes = gradient;
        curves = hess;
      }
      for (std::size_t i = 0; i < value.size(); ++i)
        EXPECT_NEAR(value[i], first[i], 1e-11 * scale_of(first[i]));
      for (std::size_t i = 0; i < gradient.size(); ++i) {
        EXPECT_NEAR(gradient[i], slopes[i], 1e-10 * scale_of(slopes[i]));
      }
      for (std::size_t i = 0; i < hess.size(); ++i)
        EXPECT_NEAR(hess[i], curves[i], 1e-10 * scale_of(curves[i]));
    }
    kernels::use_instruction_set(best);
  }
}

// The recursion of the document, as a plain loop.
TEST(ChoiceLikelihood, ExtremeParametersStayFinite) {
  const Trials trials = random_trials({.subjects = 1, .trials = 50}, 8);
  const Likelihood likelihood(named_model("rw"), trials);
  for (const double alpha : {0.0, 0.5, 1.0}) {
    for (const double beta : {0.0, 1e-3, 1e4}) {
      double v[2] = {0.0, 0.0};
      double expected = 0.0;
      for (std::size_t t = 0; t < trials.subjects[0].choice.size(); ++t) {
        const int c = trials.subjects[0].choice[t];
        const double z = beta * (v[c] - v[1 - c]);
        expected += z > 0 ? -std::log1p(std::exp(-z)) : z - std::log1p(std::exp(z));
        v[c] += alpha * (trials.subjects[0].outcome[t] - v[c]);
      }
      std::vector<double> gradient(2), hess(4);
      const std::vector<double> at{alpha, beta};
      EXPECT_NEAR(likelihood.evaluate_subject(0, at, gradient, hess, Scale::natural), expected,
                  1e-12 * scale_of(expected));
      for (const double x : gradient) EXPECT_TRUE(std::isfinite(x));
      for (const double x : hess) EXPECT_TRUE(std::isfinite(x));
    }
  }
}

TEST(ChoiceLikelihood, RefusesWhatDoesNotFit) {
  const Trials trials = random_trials({}, 1);
  EXPECT_EQ(refusal_of([&] { Likelihood(named_model("rw", {.options = 3}), trials); }),
            "[choice] the model rw is for 3 options and 3 cues, the trials have 2 and 2");
  EXPECT_EQ(refusal_of([&] { Likelihood(named_model("rw-rho-dual"), trials); }),
            "[choice] the model rw-rho-dual needs gains and losses apart, and the trials have outcomes only");
  const Likelihood likelihood(named_model("rw"), trials);
  std::vector<double> six(6), three(3), twelve(12);
  EXPECT_EQ(refusal_of([&] { likelihood.evaluate(three, three); }),
            "[choice::Likelihood] at has 3 numbers, 6 are needed");
  EXPECT_EQ(refusal_of([&] { likelihood.evaluate(six, three, {}, twelve); }),
            "[choice::Likelihood] a Hessian needs a gradient");
  EXPECT_EQ(refusal_of([&] { likelihood.trials(3); }),
            "[choice::Likelihood] there is no subject 3: there are 3");
  six[2] = std::nan("");
  likelihood.evaluate(six, three);
  EXPECT_TRUE(std::isfinite(three[0]));
  EXPECT_TRUE(std::isnan(three[1]));
  const std::vector<double> outside{1.5, 1.0};
  EXPECT_TRUE(std::isnan(likelihood.evaluate_subject(0, outside, {}, {}, Scale::natural)));
}

}  // namespace
}  // namespace likely::choice
