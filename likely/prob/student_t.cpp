#include "likely/prob/student_t.hpp"

#include "likely/core/create.hpp"
#include "likely/ops/reparameterize.hpp"
#include "likely/ops/special.hpp"
#include "likely/prob/support.hpp"

namespace likely {

StudentT::StudentT(const Parameter& degrees_given, const Parameter& location_given,
                   const Parameter& scale_given) {
  auto parameters = detail::checked("StudentT", {{"degrees", degrees_given, detail::Domain::positive},
                                                 {"location", location_given, detail::Domain::finite},
                                                 {"scale", scale_given, detail::Domain::positive}});
  degrees = std::move(parameters[0]);
  location = std::move(parameters[1]);
  scale = std::move(parameters[2]);
}

StudentT StudentT::from_unconstrained(const Tensor& raw_degrees, const Parameter& location,
                                      const Tensor& raw_scale) {
  return {detail::positive_from(raw_degrees), location, detail::positive_from(raw_scale)};
}

Tensor StudentT::log_prob(const Tensor& x) const {
  const Tensor z = (x - location) / scale;
  const Tensor constant = log_beta(degrees * 0.5, full_like(degrees, 0.5)) + log(degrees) * 0.5 + log(scale);
  return log1p(square(z) / degrees) * ((degrees + 1.0) * -0.5) - constant;
}

Tensor StudentT::rsample(Rng rng, const Shape& shape) const {
  // z^2 / degrees is x / (1 - x) for a beta variate x of 1/2 and degrees / 2.
  const Shape full = joined(shape, batch_shape());
  const Tensor side = rng.bernoulli(full, 0.5, location.dtype()) * 2.0 - 1.0;
  const Tensor half = constant(full, 0.5, location.dtype());
  const Tensor u = random_logit_beta(rng.split(), half, expand(degrees * 0.5, full));
  return side * exp(u * 0.5) * sqrt(degrees) * scale + location;
}

Tensor StudentT::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

Tensor StudentT::mean() const {
  const Tensor m = expand(location, batch_shape());
  return masked_fill(m, degrees <= 1.0, detail::kNaN);
}

Tensor StudentT::variance() const {
  const Tensor infinite = degrees <= 2.0;
  const Tensor safe = masked_fill(degrees, infinite, 3.0);
  const Tensor v = expand(square(scale) * (safe / (safe - 2.0)), batch_shape());
  return masked_fill(masked_fill(v, infinite, detail::kInfinity), degrees <= 1.0, detail::kNaN);
}

Tensor StudentT::entropy() const {
  const Tensor half = degrees * 0.5;
  const Tensor upper = half + 0.5;
  return expand(upper * (digamma(upper) - digamma(half)) + log(degrees) * 0.5 +
                    log_beta(half, full_like(half, 0.5)) + log(scale),
                batch_shape());
}

Tensor StudentT::cdf(const Tensor& x) const { return student_t_cdf((x - location) / scale, degrees); }

}  // namespace likely
