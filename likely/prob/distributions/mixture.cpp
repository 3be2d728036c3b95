#include "likely/prob/distributions/mixture.hpp"

#include <fmt/format.h>

#include "likely/ops/arithmetic.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/ops/view.hpp"

namespace likely::detail {

namespace {

// (..., K) with as many axes of size 1 as an event has behind it.
Tensor beside_events(Tensor x, int event_rank) {
  for (int i = 0; i < event_rank; ++i) x = unsqueeze(x, -1);
  return x;
}

}  // namespace

void check_mixture(const Categorical& weights, const Shape& components_batch) {
  const Shape given = weights.logits.shape();
  if (components_batch.rank() == 0 || components_batch.back() != weights.classes()) {
    refuse("Mixture", fmt::format("{} weights for components of batch {}", weights.classes(),
                                  components_batch.string()));
  }
  if (!(broadcast_shapes("Mixture", given, components_batch) == components_batch)) {
    refuse("Mixture", fmt::format("weights {} do not broadcast to components of batch {}", given.string(),
                                  components_batch.string()));
  }
}

Tensor with_component_axis(const Tensor& x, int event_rank) { return unsqueeze(x, -1 - event_rank); }

Tensor mixture_log_prob(const Categorical& weights, const Tensor& log_probs) {
  return logsumexp(log_softmax(weights.logits) + log_probs, -1);
}

Tensor mixture_mean(const Categorical& weights, const Tensor& values, int event_rank) {
  return sum(beside_events(softmax(weights.logits), event_rank) * values, -1 - event_rank);
}

Tensor mixture_variance(const Categorical& weights, const Tensor& means, const Tensor& variances,
                        int event_rank) {
  const Tensor centre = unsqueeze(mixture_mean(weights, means, event_rank), -1 - event_rank);
  return mixture_mean(weights, variances + square(means - centre), event_rank);
}

Tensor newton_step(const Tensor& x, const Tensor& cdf, const Tensor& probability, const Tensor& log_density) {
  return x - (cdf - probability) * exp(-log_density);
}

Tensor draw_components(const Categorical& weights, const Rng& rng, const Shape& shape, const Shape& batch) {
  return Categorical(expand(weights.logits, joined(batch, {weights.classes()}))).sample(rng, shape);
}

Tensor pick_component(const Tensor& values, const Tensor& labels, int event_rank) {
  const int axis = values.rank() - 1 - event_rank;
  Shape shape = values.shape();
  shape[axis] = 1;
  return squeeze(gather(values, axis, expand(beside_events(unsqueeze(labels, -1), event_rank), shape)), axis);
}

}  // namespace likely::detail
