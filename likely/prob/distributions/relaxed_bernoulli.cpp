#include "likely/prob/distributions/relaxed_bernoulli.hpp"

#include "likely/core/dispatch.hpp"
#include "likely/ops/activation.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely {

RelaxedBernoulli::RelaxedBernoulli(const Parameter& temperature_given, const Parameter& logits_given) {
  auto parameters =
      detail::checked("RelaxedBernoulli", {{"temperature", temperature_given, detail::Domain::positive},
                                           {"logits", logits_given, detail::Domain::finite}});
  temperature = std::move(parameters[0]);
  logits = std::move(parameters[1]);
}

// With u = t logit(x) - a, which is standard logistic: log t - log(x (1 - x)) + log sigmoid(u) + log
// sigmoid(-u).
Tensor RelaxedBernoulli::log_prob(const Tensor& x) const {
  const Tensor v = detail::floating(x, logits);
  const Tensor outside = logical_or(v <= 0.0, v >= 1.0);
  const Tensor inside = masked_fill(v, outside, 0.5);
  const Tensor log_x = log(inside), log_rest = log1p(-inside);
  const Tensor u = temperature * (log_x - log_rest) - logits;
  return where(outside, -detail::kInfinity,
               log(temperature) - (log_x + log_rest) - (softplus(u) + softplus(-u)));
}

Tensor RelaxedBernoulli::rsample(Rng rng, const Shape& shape) const {
  const Shape full = joined(shape, batch_shape());
  // A difference of two Gumbel numbers is logistic, and has small steps at both ends.
  const Tensor noise = rng.gumbel(full, logits.dtype()) - rng.gumbel(full, logits.dtype());
  const Tensor x = sigmoid((logits + noise) / temperature);
  // Of numbers next to 1 the largest below it is the last.
  const detail::FloatingLimits limits = detail::limits_of("RelaxedBernoulli", x.dtype());
  return clip(x, limits.least_normal, limits.below_one);
}

Tensor RelaxedBernoulli::sample(Rng rng, const Shape& shape) const {
  return stop_gradient(rsample(rng, shape));
}

Tensor RelaxedBernoulli::straight_through(Rng rng, const Shape& shape) const {
  const Tensor soft = rsample(rng, shape);
  const Tensor fixed = stop_gradient(soft);
  return cast(fixed > 0.5, soft.dtype()) + (soft - fixed);
}

Tensor RelaxedBernoulli::cdf(const Tensor& x) const {
  const Tensor v = detail::floating(x, logits);
  const Tensor below = v <= 0.0, above = v >= 1.0;
  const Tensor inside = masked_fill(v, logical_or(below, above), 0.5);
  const Tensor p = sigmoid(temperature * (log(inside) - log1p(-inside)) - logits);
  return where(below, 0.0, where(above, 1.0, p));
}

Tensor RelaxedBernoulli::quantile(const Tensor& probability) const {
  const Tensor p = detail::floating(probability, logits);
  detail::check_domain("RelaxedBernoulli", "the probability of a quantile", p, detail::Domain::probability);
  return sigmoid((logits + (log(p) - log1p(-p))) / temperature);
}

}  // namespace likely
