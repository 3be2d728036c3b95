#include "likely/prob/distributions/laplace.hpp"

#include "likely/prob/distributions/standardized.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely {

Laplace::Laplace(const Parameter& location_given, const Parameter& scale_given) {
  auto parameters = detail::checked("Laplace", {{"location", location_given, detail::Domain::finite},
                                                {"scale", scale_given, detail::Domain::positive}});
  location = std::move(parameters[0]);
  scale = std::move(parameters[1]);
}

Laplace Laplace::from_unconstrained(const Parameter& location, const Tensor& raw_scale) {
  return {location, detail::positive_from(raw_scale)};
}

Tensor Laplace::log_prob(const Tensor& x) const {
  return -abs(detail::standardized(x, location, scale)) - (log(scale) + std::numbers::ln2);
}

Tensor Laplace::rsample(Rng rng, const Shape& shape) const {
  const Shape full = joined(shape, batch_shape());
  const Tensor side = rng.bernoulli(full, 0.5, location.dtype()) * 2.0 - 1.0;
  return side * rng.exponential(full, 1.0, location.dtype()) * scale + location;
}

Tensor Laplace::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

Tensor Laplace::mean() const { return expand(location, batch_shape()); }

Tensor Laplace::variance() const { return expand(square(scale) * 2.0, batch_shape()); }

Tensor Laplace::entropy() const { return expand(log(scale) + (1.0 + std::numbers::ln2), batch_shape()); }

Tensor Laplace::cdf(const Tensor& x) const {
  // Each side gets its own exponential, so that the one not used cannot overflow.
  const Tensor z = detail::standardized(x, location, scale);
  const Tensor below = exp(clip(z, -detail::kInfinity, 0.0)) * 0.5;
  const Tensor above = 1.0 - exp(-clip(z, 0.0, detail::kInfinity)) * 0.5;
  return where(z < 0.0, below, above);
}

}  // namespace likely
