#include "likely/prob/inverse_gamma.hpp"

#include "likely/ops/reparameterize.hpp"
#include "likely/ops/special.hpp"
#include "likely/prob/support.hpp"

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
  const Tensor outside = x <= 0.0;
  const Tensor v = masked_fill(detail::floating(x, scale), outside, 1.0);
  const Tensor constant = concentration * log(scale) - lgamma(concentration);
  return detail::zero_density(constant - (concentration + 1.0) * log(v) - scale / v, outside);
}

Tensor InverseGamma::rsample(Rng rng, const Shape& shape) const {
  return exp(log(scale) - random_log_gamma(rng, expand(concentration, joined(shape, batch_shape()))));
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
  const Tensor v = square(scale / (a - 1.0)) / (a - 2.0);
  return masked_fill(v, none, detail::kInfinity);
}

Tensor InverseGamma::entropy() const {
  return concentration + log(scale) + lgamma(concentration) - (concentration + 1.0) * digamma(concentration);
}

Tensor InverseGamma::cdf(const Tensor& x) const {
  const Tensor outside = x <= 0.0;
  const Tensor p = gamma_q(concentration, scale / masked_fill(detail::floating(x, scale), outside, 1.0));
  return masked_fill(p, outside, 0.0);
}

}  // namespace likely
