#include "likely/prob/poisson.hpp"

#include "likely/ops/special.hpp"
#include "likely/prob/support.hpp"

namespace likely {

Poisson::Poisson(const Parameter& rate)
    : log_rate(log(detail::checked("Poisson", {{"rate", rate, detail::Domain::positive}})[0])) {}

Poisson Poisson::from_log_rate(const Tensor& log_rate) {
  detail::check_domain("Poisson", "log_rate", log_rate, detail::Domain::finite);
  Poisson result(1.0);
  result.log_rate = log_rate;
  return result;
}

Tensor Poisson::log_prob(const Tensor& x) const {
  const Tensor count = detail::floating(x, log_rate);
  const Tensor outside =
      logical_or(logical_or(count < 0.0, count == detail::kInfinity), count - floor(count) > 0.0);
  const Tensor k = masked_fill(count, outside, 0.0);
  return detail::zero_density(k * log_rate - exp(log_rate) - lgamma(k + 1.0), outside);
}

Tensor Poisson::sample(Rng rng, const Shape& shape) const {
  return rng.poisson(expand(exp(log_rate), joined(shape, batch_shape())));
}

Tensor Poisson::mean() const { return exp(log_rate); }

Tensor Poisson::variance() const { return exp(log_rate); }

Tensor Poisson::entropy() const { return poisson_entropy(exp(log_rate)); }

Tensor Poisson::cdf(const Tensor& x) const {
  const Tensor count = floor(detail::floating(x, log_rate));
  const Tensor outside = count < 0.0;
  const Tensor p = gamma_q(masked_fill(count, outside, 0.0) + 1.0, exp(log_rate));
  return masked_fill(p, outside, 0.0);
}

}  // namespace likely
