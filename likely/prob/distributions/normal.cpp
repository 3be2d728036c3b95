#include "likely/prob/distributions/normal.hpp"

#include <cmath>
#include <numbers>

#include "likely/autodiff/custom.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/special.hpp"
#include "likely/ops/view.hpp"
#include "likely/prob/distributions/standardized.hpp"

namespace likely {

namespace {
const double kHalfLogTwoPi = 0.5 * std::log(2.0 * std::numbers::pi);
}  // namespace

Normal::Normal(const Parameter& location_given, const Parameter& scale_given) {
  auto parameters = detail::checked("Normal", {{"location", location_given, detail::Domain::finite},
                                               {"scale", scale_given, detail::Domain::positive}});
  location = std::move(parameters[0]);
  scale = std::move(parameters[1]);
}

Normal Normal::from_unconstrained(const Parameter& location, const Tensor& raw_scale) {
  return {location, detail::positive_from(raw_scale)};
}

Tensor Normal::log_prob(const Tensor& x) const {
  return square(detail::standardized(x, location, scale)) * -0.5 - (log(scale) + kHalfLogTwoPi);
}

Tensor Normal::rsample(Rng rng, const Shape& shape) const {
  return rng.normal(joined(shape, batch_shape()), 0.0, 1.0, location.dtype()) * scale + location;
}

Tensor Normal::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

Tensor Normal::mean() const { return expand(location, batch_shape()); }

Tensor Normal::variance() const { return expand(square(scale), batch_shape()); }

Tensor Normal::entropy() const { return expand(log(scale) + (kHalfLogTwoPi + 0.5), batch_shape()); }

Tensor Normal::cdf(const Tensor& x) const { return normal_cdf(detail::standardized(x, location, scale)); }

Tensor Normal::quantile(const Tensor& probability) const {
  return normal_quantile(probability) * scale + location;
}

}  // namespace likely
