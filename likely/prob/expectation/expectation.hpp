// E_{z ~ p(theta)} f(z): one object, with a choice of how its gradient is estimated.
//
//   const auto [value, gradient] = value_and_grad(logits, [&](const Tensor& x) {
//     return expect(Categorical(x), f, estimator::Score{.samples = 100, .baseline = baseline::LeaveOneOut{}},
//                   rng.split());
//   });
//
// The value is the estimate, its gradient is the estimator's. f maps samples (samples, batch, event) to
// values (samples, batch), and may depend on parameters itself: that part of the gradient is there too. There
// is one expectation for each element of the law's batch_shape(), so that every row of data has its own:
//   mean(expect(Independent(Normal(m(x), s(x)), 1), f, estimator::Reparameterised{}, rng.split()))
// Where only log-probabilities and rewards are at hand, as for trajectories: score_surrogate.
#pragma once

#include "likely/core/tensor.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/expectation/estimator.hpp"
#include "likely/prob/expectation/sampled_law.hpp"

namespace likely {

struct Expectation {
  Tensor value;   // (batch): the estimate, with the estimator's gradient
  Tensor values;  // (samples, batch): what f gave, constants; of all there is for Exact
  Tensor
      baseline_loss;  // for baseline::Learned: mean (f - prediction)^2, to be added to the loss; else empty
};

using ValueFunction = std::function<Tensor(const Tensor& samples)>;

namespace detail {
Expectation estimate_of(const SampledLaw& law, const ValueFunction& f, const Estimator& estimator, Rng rng);
}

// Refuses, naming the estimator and the law, what the estimator cannot do; samples < 1; and values of another
// shape than (samples, batch).
template <class Law>
Expectation estimate(const Law& law, const ValueFunction& f, const Estimator& estimator, const Rng& rng) {
  return detail::estimate_of(detail::sampled_law(law), f, estimator, rng);
}

template <class Law>
Tensor expect(const Law& law, const ValueFunction& f, const Estimator& estimator, const Rng& rng) {
  return estimate(law, f, estimator, rng).value;
}

// The mean of `rewards` over their first axis, with the gradient of (reward - baseline) d log_prob plus that
// of the rewards themselves: REINFORCE for samples that somebody else drew. For trajectories log_probs has
// for each the sum of its actions' log-probabilities, (episodes), or, with rewards to go, (episodes, steps),
// which gives a number a step. Refuses other shapes than each other's, and baseline::Optimal, which needs the
// law.
Expectation score_estimate(const Tensor& log_probs, const Tensor& rewards,
                           const Baseline& baseline = baseline::None{});
Tensor score_surrogate(const Tensor& log_probs, const Tensor& rewards,
                       const Baseline& baseline = baseline::None{});

}  // namespace likely
