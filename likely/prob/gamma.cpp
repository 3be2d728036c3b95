#include "likely/prob/gamma.hpp"

#include "likely/ops/reparameterize.hpp"
#include "likely/ops/special.hpp"
#include "likely/prob/support.hpp"

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
  const Tensor constant = concentration * log(rate) - lgamma(concentration);
  return detail::zero_density((concentration - 1.0) * log(v) - rate * v + constant, outside);
}

Tensor Gamma::rsample(Rng rng, const Shape& shape) const {
  const Tensor log_x = random_log_gamma(rng, expand(concentration, joined(shape, batch_shape()))) - log(rate);
  return exp(clip(log_x, std::log(detail::smallest_normal(log_x.dtype())), detail::kInfinity));
}

Tensor Gamma::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

Tensor Gamma::mean() const { return concentration / rate; }

Tensor Gamma::variance() const { return concentration / square(rate); }

Tensor Gamma::entropy() const {
  return concentration - log(rate) + lgamma(concentration) + (1.0 - concentration) * digamma(concentration);
}

Tensor Gamma::cdf(const Tensor& x) const {
  return gamma_p(concentration, rate * masked_fill(detail::floating(x, rate), x < 0.0, 0.0));
}

}  // namespace likely
