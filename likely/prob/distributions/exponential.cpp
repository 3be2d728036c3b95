#include "likely/prob/distributions/exponential.hpp"

#include "likely/prob/distributions/support.hpp"

namespace likely {

Exponential::Exponential(const Parameter& rate_given)
    : rate(detail::checked("Exponential", {{"rate", rate_given, detail::Domain::positive}})[0]) {}

Exponential Exponential::from_unconstrained(const Tensor& raw_rate) {
  return Exponential(detail::positive_from(raw_rate));
}

Tensor Exponential::log_prob(const Tensor& x) const {
  return detail::zero_density(log(rate) - rate * x, x < 0.0);
}

Tensor Exponential::rsample(Rng rng, const Shape& shape) const {
  return rng.exponential(joined(shape, batch_shape()), 1.0, rate.dtype()) / rate;
}

Tensor Exponential::sample(Rng rng, const Shape& shape) const { return stop_gradient(rsample(rng, shape)); }

Tensor Exponential::mean() const { return reciprocal(rate); }

Tensor Exponential::variance() const { return square(reciprocal(rate)); }

Tensor Exponential::entropy() const { return 1.0 - log(rate); }

Tensor Exponential::cdf(const Tensor& x) const {
  return -expm1(-(rate * masked_fill(detail::floating(x, rate), x < 0.0, 0.0)));
}

}  // namespace likely
