#include "likely/prob/distributions/gamma.hpp"

#include "likely/core/dispatch.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/reparameterize.hpp"
#include "likely/ops/special.hpp"
#include "likely/ops/special_densities.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely {

Gamma::Gamma(const Parameter& concentration_given, const Parameter& rate_given) {
  auto parameters =
      detail::checked("Gamma", {{"concentration", concentration_given, detail::Domain::positive},
                                {"rate", rate_given, detail::Domain::positive}});
  concentration = std::move(parameters[0]);
  rate = std::move(parameters[1]);
}

Gamma Gamma::from_unconstrained(const Tensor& raw_concentration, const Tensor& raw_rate) {
  return {detail::positive_from(raw_concentration), detail::positive_from(raw_rate)};
}

Tensor Gamma::log_prob(const Tensor& x) const {
  const Tensor outside = logical_or(x <= 0.0, x == detail::kInfinity);
  const Tensor v = masked_fill(detail::floating(x, rate), outside, 1.0);
  const Tensor log_v = log(v);
  // The density is a Poisson probability times concentration / x.
  const Tensor count = detail::log_poisson(0, concentration, log(rate) + log_v, rate * v);
  const Tensor log_density = detail::zero_density(count + (log(concentration) - log_v), outside);
  const Tensor zero = x == 0.0;
  if (any(zero).item() == 0.0) return log_density;
  const Tensor at_zero = masked_fill(detail::floating(x, rate), x != 0.0, 0.0);
  return detail::with_end(log_density, zero, concentration, log(rate) - rate * at_zero);
}

Tensor Gamma::rsample(Rng rng, const Shape& shape) const {
  // In f64, as the logarithm of a large number has not enough digits in f32.
  const Tensor wide = cast(expand(concentration, joined(shape, batch_shape())), DType::f64);
  const Tensor log_x = random_log_gamma(rng, wide) - log(cast(rate, DType::f64));
  const double least = std::log(detail::limits_of("Gamma", rate.dtype()).least_normal);
  return cast(exp(clip(log_x, least, detail::kInfinity)), rate.dtype());
}

Tensor Gamma::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

Tensor Gamma::mean() const { return concentration / rate; }

Tensor Gamma::variance() const { return concentration / rate / rate; }

Tensor Gamma::entropy() const { return detail::gamma_entropy(0, concentration) - log(rate); }

Tensor Gamma::cdf(const Tensor& x) const {
  return gamma_p(concentration, rate * masked_fill(detail::floating(x, rate), x < 0.0, 0.0));
}

}  // namespace likely
