#include "likely/prob/distributions/inverse_gamma.hpp"

#include "likely/core/dispatch.hpp"
#include "likely/ops/reparameterize.hpp"
#include "likely/ops/special.hpp"
#include "likely/ops/special_densities.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely {

InverseGamma::InverseGamma(const Parameter& concentration_given, const Parameter& scale_given) {
  auto parameters =
      detail::checked("InverseGamma", {{"concentration", concentration_given, detail::Domain::positive},
                                       {"scale", scale_given, detail::Domain::positive}});
  concentration = std::move(parameters[0]);
  scale = std::move(parameters[1]);
}

InverseGamma InverseGamma::from_unconstrained(const Tensor& raw_concentration, const Tensor& raw_scale) {
  return {detail::positive_from(raw_concentration), detail::positive_from(raw_scale)};
}

Tensor InverseGamma::log_prob(const Tensor& x) const {
  const Tensor outside = logical_or(x <= 0.0, x == detail::kInfinity);
  const Tensor v = masked_fill(detail::floating(x, scale), outside, 1.0);
  const Tensor log_v = log(v);
  // The density is a Poisson probability times concentration / x.
  const Tensor count = detail::log_poisson(0, concentration, log(scale) - log_v, scale / v);
  return detail::zero_density(count + (log(concentration) - log_v), outside);
}

Tensor InverseGamma::rsample(Rng rng, const Shape& shape) const {
  // In f64, as in Gamma; what is too large for a number is the largest.
  const Tensor wide = cast(expand(concentration, joined(shape, batch_shape())), DType::f64);
  const Tensor log_x = log(cast(scale, DType::f64)) - random_log_gamma(rng, wide);
  const detail::FloatingLimits limits = detail::limits_of("InverseGamma", scale.dtype());
  return cast(exp(clip(log_x, std::log(limits.least_normal), std::log(limits.largest))), scale.dtype());
}

Tensor InverseGamma::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

Tensor InverseGamma::mean() const {
  const Tensor none = concentration <= 1.0;
  const Tensor m = scale / masked_fill(concentration - 1.0, none, 1.0);
  return masked_fill(m, none, detail::kInfinity);
}

Tensor InverseGamma::variance() const {
  const Tensor none = concentration <= 2.0;
  const Tensor a = masked_fill(concentration, none, 3.0);
  const Tensor m = scale / (a - 1.0);
  const Tensor v = m / (a - 2.0) * m;
  return masked_fill(v, none, detail::kInfinity);
}

Tensor InverseGamma::entropy() const {
  return detail::gamma_entropy(0, concentration) + log(scale) - digamma(concentration) * 2.0;
}

Tensor InverseGamma::cdf(const Tensor& x) const {
  const Tensor outside = x <= 0.0;
  const Tensor p = gamma_q(concentration, scale / masked_fill(detail::floating(x, scale), outside, 1.0));
  return masked_fill(p, outside, 0.0);
}

}  // namespace likely
