#include "likely/prob/distributions/von_mises.hpp"

#include "likely/ops/reparameterize.hpp"
#include "likely/ops/special.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely {

VonMises::VonMises(const Parameter& location_given, const Parameter& concentration_given) {
  auto parameters =
      detail::checked("VonMises", {{"location", location_given, detail::Domain::finite},
                                   {"concentration", concentration_given, detail::Domain::not_negative}});
  location = std::move(parameters[0]);
  concentration = std::move(parameters[1]);
}

VonMises VonMises::from_unconstrained(const Parameter& location, const Tensor& raw_concentration) {
  return {location, detail::positive_from(raw_concentration)};
}

Tensor VonMises::log_prob(const Tensor& x) const {
  // kappa (cos d - 1) - log(e^-kappa I0(kappa)), so that large concentrations do not cancel.
  const Tensor distance = square(sin((x - location) * 0.5)) * -2.0;
  return concentration * distance - (log_bessel_i0_scaled(concentration) + detail::kLogTwoPi);
}

Tensor VonMises::rsample(Rng rng, const Shape& shape) const {
  return random_von_mises(rng, expand(concentration, joined(shape, batch_shape()))) + location;
}

Tensor VonMises::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

Tensor VonMises::mean() const { return expand(location, batch_shape()); }

Tensor VonMises::variance() const { return expand(bessel_ratio_complement(concentration), batch_shape()); }

Tensor VonMises::entropy() const {
  return expand(concentration * bessel_ratio_complement(concentration) + log_bessel_i0_scaled(concentration) +
                    detail::kLogTwoPi,
                batch_shape());
}

Tensor VonMises::cdf(const Tensor& x) const { return von_mises_cdf(x - location, concentration); }

}  // namespace likely
