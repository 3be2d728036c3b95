#include "likely/prob/distributions/gumbel.hpp"

#include "likely/prob/distributions/standardized.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely {

Gumbel::Gumbel(const Parameter& location_given, const Parameter& scale_given) {
  auto parameters = detail::checked("Gumbel", {{"location", location_given, detail::Domain::finite},
                                               {"scale", scale_given, detail::Domain::positive}});
  location = std::move(parameters[0]);
  scale = std::move(parameters[1]);
}

Gumbel Gumbel::from_unconstrained(const Parameter& location, const Tensor& raw_scale) {
  return {location, detail::positive_from(raw_scale)};
}

Tensor Gumbel::log_prob(const Tensor& x) const {
  const Tensor z = detail::standardized(x, location, scale);
  // Where nothing is, so that infinities do not meet.
  const Tensor outside = z == -detail::kInfinity;
  const Tensor inside = masked_fill(z, outside, 0.0);
  return detail::zero_density(-(inside + exp(-inside)) - log(scale), outside);
}

Tensor Gumbel::rsample(Rng rng, const Shape& shape) const {
  return rng.gumbel(joined(shape, batch_shape()), location.dtype()) * scale + location;
}

Tensor Gumbel::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

Tensor Gumbel::mean() const { return location + scale * std::numbers::egamma; }

Tensor Gumbel::variance() const {
  return expand(square(scale) * (std::numbers::pi * std::numbers::pi / 6.0), batch_shape());
}

Tensor Gumbel::entropy() const { return expand(log(scale) + (1.0 + std::numbers::egamma), batch_shape()); }

Tensor Gumbel::cdf(const Tensor& x) const { return exp(-exp(-detail::standardized(x, location, scale))); }

Tensor Gumbel::quantile(const Tensor& probability) const {
  const Tensor p = detail::floating(probability, location);
  detail::check_domain("Gumbel", "the probability of a quantile", p, detail::Domain::probability);
  return location - scale * log(-log(p));
}

}  // namespace likely
