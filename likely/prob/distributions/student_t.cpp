#include "likely/prob/distributions/student_t.hpp"

#include "likely/core/create.hpp"
#include "likely/ops/reparameterize.hpp"
#include "likely/ops/special.hpp"
#include "likely/ops/special_densities.hpp"
#include "likely/prob/distributions/standardized.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely {

namespace {

// Where z / sqrt(degrees) is too large for its type, 1 and its square are the square. In f64, as logarithms
// take each other away.
struct FarOut {
  Tensor degrees, log_ratio;  // of z / sqrt(degrees)
  FarOut(const Tensor& x, const Tensor& v, const Tensor& location, const Tensor& scale)
      : degrees(cast(v, DType::f64)),
        log_ratio(detail::log_standardized(cast(x, DType::f64), cast(location, DType::f64),
                                           cast(scale, DType::f64)) -
                  log(degrees) * 0.5) {}
};

}  // namespace

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
  const Tensor number = detail::floating(x, location);
  const auto at = [](const Tensor& z, const Tensor& v, const Tensor& s) {
    return detail::log_student_t(v, z) - (log(s) + 0.5 * detail::kLogTwoPi);
  };
  const auto plain = [&](const Tensor& n, const Tensor& v, const Tensor& m, const Tensor& s) {
    return at((n - m) / s, v, s);
  };
  const auto wide = [&](const Tensor& n, const Tensor& v, const Tensor& m, const Tensor& s) {
    return at(detail::standardized(n, m, s), v, s);
  };
  const auto far = [](const Tensor& n, const Tensor& v, const Tensor& m, const Tensor& s) {
    const FarOut out(n, v, m, s);
    const Tensor rest =
        detail::half_step(0, out.degrees * 0.5) - (log(cast(s, DType::f64)) + 0.5 * detail::kLogTwoPi);
    return cast(rest - (out.degrees + 1.0) * out.log_ratio, n.dtype());
  };
  const auto careful = [&](const Tensor& n, const Tensor& v, const Tensor& m, const Tensor& s) {
    return detail::with_care(wide, far, n, v, m, s);
  };
  return detail::with_care(plain, careful, number, cast(degrees, number.dtype()), location, scale);
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
  // (half + 1/2) (digamma(half + 1/2) - digamma(half)) + log B(half, 1/2) + log(degrees) / 2, in parts that
  // vanish for large degrees.
  const Tensor rest = (half + 0.5) * detail::half_step(1, half) - detail::half_step(0, half);
  return expand(reciprocal(half) * 0.25 + rest + (log(scale) + 0.5 * (1.0 + detail::kLogTwoPi)),
                batch_shape());
}

Tensor StudentT::cdf(const Tensor& x) const {
  const Tensor number = detail::floating(x, location);
  // Not finite where the ratio is not: the function itself says 0 or 1 there.
  const auto plain = [](const Tensor& n, const Tensor& v, const Tensor& m, const Tensor& s) {
    const Tensor z = detail::standardized(n, m, s);
    return student_t_cdf(z, v) + z / sqrt(v) * 0.0;
  };
  // Beyond x is ratio^-degrees Gamma((degrees + 1) / 2) / (2 sqrt(pi) Gamma(degrees / 2 + 1)), which is 0
  // long before the degrees are many.
  const auto far = [](const Tensor& n, const Tensor& v, const Tensor& m, const Tensor& s) {
    const FarOut at(n, v, m, s);
    const Tensor half = clip(at.degrees, 0.0, 100.0) * 0.5;
    const Tensor factor = exp(lgamma(half + 0.5) - lgamma(half + 1.0)) * (0.5 * std::numbers::inv_sqrtpi);
    const Tensor beyond = factor * exp(-(at.degrees * at.log_ratio));
    return cast(where(n < m, beyond, 1.0 - beyond), n.dtype());
  };
  return detail::with_care(plain, far, number, cast(degrees, number.dtype()), location, scale);
}

}  // namespace likely
