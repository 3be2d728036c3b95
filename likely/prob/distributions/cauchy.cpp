#include "likely/prob/distributions/cauchy.hpp"

#include "likely/core/create.hpp"
#include "likely/ops/special.hpp"
#include "likely/ops/special_densities.hpp"
#include "likely/prob/distributions/standardized.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely {

Cauchy::Cauchy(const Parameter& location_given, const Parameter& scale_given) {
  auto parameters = detail::checked("Cauchy", {{"location", location_given, detail::Domain::finite},
                                               {"scale", scale_given, detail::Domain::positive}});
  location = std::move(parameters[0]);
  scale = std::move(parameters[1]);
}

Cauchy Cauchy::from_unconstrained(const Parameter& location, const Tensor& raw_scale) {
  return {location, detail::positive_from(raw_scale)};
}

Tensor Cauchy::log_prob(const Tensor& x) const {
  const double log_pi = std::log(std::numbers::pi);
  const auto at = [&](const Tensor& z, const Tensor& s) {
    return -detail::log1p_square(0, z) - (log(s) + log_pi);
  };
  const auto plain = [&](const Tensor& v, const Tensor& m, const Tensor& s) { return at((v - m) / s, s); };
  const auto wide = [&](const Tensor& v, const Tensor& m, const Tensor& s) {
    return at(detail::standardized(v, m, s), s);
  };
  const auto far = [&](const Tensor& v, const Tensor& m, const Tensor& s) {
    return detail::log_standardized(v, m, s) * -2.0 - (log(s) + log_pi);
  };
  const auto careful = [&](const Tensor& v, const Tensor& m, const Tensor& s) {
    return detail::with_care(wide, far, v, m, s);
  };
  return detail::with_care(plain, careful, detail::floating(x, location), location, scale);
}

Tensor Cauchy::rsample(Rng rng, const Shape& shape) const {
  const Shape full = joined(shape, batch_shape());
  const Tensor ratio =
      rng.normal(full, 0.0, 1.0, location.dtype()) / rng.normal(full, 0.0, 1.0, location.dtype());
  return ratio * scale + location;
}

Tensor Cauchy::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

Tensor Cauchy::mean() const { return constant(batch_shape(), detail::kNaN, location.dtype()); }

Tensor Cauchy::variance() const { return constant(batch_shape(), detail::kNaN, location.dtype()); }

Tensor Cauchy::entropy() const {
  return expand(log(scale) + std::log(4.0 * std::numbers::pi), batch_shape());
}

Tensor Cauchy::cdf(const Tensor& x) const { return cauchy_cdf(detail::standardized(x, location, scale)); }

}  // namespace likely
