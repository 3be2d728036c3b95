#include "likely/prob/distributions/log_normal.hpp"

#include "likely/core/dispatch.hpp"
#include "likely/ops/special.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely {

LogNormal::LogNormal(const Parameter& location_given, const Parameter& scale_given) {
  auto parameters = detail::checked("LogNormal", {{"location", location_given, detail::Domain::finite},
                                                  {"scale", scale_given, detail::Domain::positive}});
  location = std::move(parameters[0]);
  scale = std::move(parameters[1]);
}

LogNormal LogNormal::from_unconstrained(const Parameter& location, const Tensor& raw_scale) {
  return {location, detail::positive_from(raw_scale)};
}

Tensor LogNormal::log_prob(const Tensor& x) const {
  const Tensor outside = logical_or(x <= 0.0, x == detail::kInfinity);
  const Tensor log_x = log(masked_fill(detail::floating(x, location), outside, 1.0));
  const Tensor z = (log_x - location) / scale;
  return detail::zero_density(square(z) * -0.5 - log_x - (log(scale) + 0.5 * detail::kLogTwoPi), outside);
}

Tensor LogNormal::rsample(Rng rng, const Shape& shape) const {
  const Shape full = joined(shape, batch_shape());
  const Tensor log_x = rng.normal(full, 0.0, 1.0, location.dtype()) * scale + location;
  return exp(
      clip(log_x, std::log(detail::limits_of("LogNormal", log_x.dtype()).least_normal), detail::kInfinity));
}

Tensor LogNormal::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

Tensor LogNormal::mean() const { return exp(location + square(scale) * 0.5); }

Tensor LogNormal::variance() const {
  const Tensor s = square(scale);
  return expm1(s) * exp(location * 2.0 + s);
}

Tensor LogNormal::entropy() const { return location + log(scale) + (0.5 + 0.5 * detail::kLogTwoPi); }

Tensor LogNormal::cdf(const Tensor& x) const {
  const Tensor outside = x <= 0.0;
  const Tensor inside = masked_fill(detail::floating(x, location), outside, 1.0);
  const Tensor p = normal_cdf((log(inside) - location) / scale);
  return masked_fill(p, outside, 0.0);
}

}  // namespace likely
