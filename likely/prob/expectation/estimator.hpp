// How the gradient of an expectation is estimated, as a value: see expectation.hpp.
//
// f is what is averaged, z a sample, theta the parameters, v the values f(z). An estimator is unbiased where
// nothing else is said.
#pragma once

#include <cstdint>
#include <functional>
#include <variant>

#include "likely/core/parts.hpp"
#include "likely/core/tensor.hpp"

namespace likely {

// What is taken off the values before they weigh the scores: (f(z) - b) d log p(z) / d theta has the same
// mean for every b that does not depend on z, and another variance.
namespace baseline {

struct None {};

// A number, or one for each element of the batch. It must not be computed from the same samples: that would
// make a bias (MovingMean is computed from earlier ones).
struct Constant {
  Tensor value;

  explicit Constant(double number);
  explicit Constant(Tensor numbers) : value(std::move(numbers)) {}
};

// For each sample the mean of the others' values. Refuses fewer than two samples.
struct LeaveOneOut {};

// For each sample, and each number of the law's parameters, that b which minimises the variance,
// c* = E[g^2 f] / E[g^2] with g = d log p(z) / d parameter, estimated from the other samples, so that there
// is no bias. "The law's parameters" are those that it is made of (logits, location, scale), broadcast to its
// batch: where they are computed from others, b is the best one for them. First derivatives only. Refuses
// fewer than two samples, and laws of vectors other than Independent ones.
struct Optimal {};

// What a model predicts that the value will be, from whatever f is given (never from z): it broadcasts with
// (samples, batch). The estimate does not teach it: Expectation::baseline_loss does.
struct Learned {
  Tensor prediction;
};

}  // namespace baseline

using Baseline = std::variant<baseline::None, baseline::Constant, baseline::LeaveOneOut, baseline::Optimal,
                              baseline::Learned>;

// A baseline that a training keeps: the mean of what was seen so far, older values counting less by `decay`
// each time. A part of a learner, never learned.
//
//   const Expectation e = estimate(law, f, estimator::Score{.baseline = usual.baseline()}, rng.split());
//   usual.add(e.values);
struct MovingMean {
  double decay = 0.9;
  Buffer total{}, weight{};

  // 0 before anything was added.
  baseline::Constant baseline() const;
  // Takes the mean of these numbers in, as constants. Refuses a decay outside [0, 1).
  void add(const Tensor& values);

  LIKELY_PARTS(total, weight)
};

namespace estimator {

// The sum over all values of a law that has finitely many: the exact gradient, to any order. For Bernoulli,
// Categorical and Independent ones of up to 2^20 values altogether. Refuses other laws.
struct Exact {};

// The score function estimator, REINFORCE: mean of (f(z) - b) d log p(z) / d theta. Any law with a log_prob,
// any f; to any order.
struct Score {
  std::int64_t samples = 1;
  Baseline baseline = baseline::None{};
};

// mean of d f(z(noise, theta)) / d theta. Needs a law with rsample and an f with a derivative.
struct Reparameterised {
  std::int64_t samples = 1;
};

// Discrete samples whose derivative is taken for that of their probabilities. Biased, unless f is linear.
// Here and below: for Bernoulli and OneHot{Categorical}, and Independent ones; f must accept what lies
// between 0 and 1.
struct StraightThrough {
  std::int64_t samples = 1;
};

// softmax((logits + Gumbel noise) / temperature) instead of samples, sigmoid for Bernoulli: value and
// gradient are those of the relaxed law (Concrete), biased, less so and with more variance as the temperature
// falls. With `hard` f sees the discrete sample, and the gradient is taken for that of the relaxed one.
struct GumbelSoftmax {
  std::int64_t samples = 1;
  double temperature = 1.0;
  bool hard = false;
};

// REBAR (Tucker et al. 2017): the score function estimator with c(z) = scale f(relaxed z) as a control
// variate, where the mean of c is differentiated by its own reparameterisation, and by that of z given the
// sample. With `control`, a function of perturbed logits (those of the samples, with values (samples,
// batch)), added to c it is RELAX (Grathwohl et al. 2018). Unbiased for any temperature, scale and control.
// Calls f three times.
struct Rebar {
  std::int64_t samples = 1;
  double temperature = 0.5;
  double scale = 1.0;
  std::function<Tensor(const Tensor& perturbed)> control{};
};

// Different samples of one Categorical, by Gumbel-top-k. With all classes it is exact.
struct WithoutReplacement {
  enum class Weights : std::uint8_t {
    // Each by p(s) P(the others | s is taken out) / P(the set), which is what the order does not know, and a
    // baseline of the same kind from the others (Kool et al. 2020): unbiased. Two to ten samples: all subsets
    // are gone through, on one thread.
    unordered,
    // Each by w = p / P(it is among them), given the threshold (Kool et al. 2019): unbiased, any number.
    plain,
    // The same, and for the gradient the sum of w f of the others is the baseline: unbiased, but with two
    // samples far worse than without. Two samples or more.
    with_baseline,
    // Weights w that sum to 1, with a baseline: a bias that falls with more samples. Any number.
    normalised,
  };
  std::int64_t samples = 2;
  Weights weights = Weights::unordered;
};

}  // namespace estimator

using Estimator =
    std::variant<estimator::Exact, estimator::Score, estimator::Reparameterised, estimator::StraightThrough,
                 estimator::GumbelSoftmax, estimator::Rebar, estimator::WithoutReplacement>;

}  // namespace likely
