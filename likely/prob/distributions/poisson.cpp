#include "likely/prob/distributions/poisson.hpp"

#include "likely/ops/special.hpp"
#include "likely/ops/special_densities.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely {

namespace {

// From here on the entropy is that of a normal law of the same variance, to all digits.
constexpr double kLargeLogRate = 80.0;

bool same_memory(const Tensor& a, const Tensor& b) {
  return a.defined() && b.defined() && a.raw() == b.raw() && a.shape() == b.shape() &&
         a.strides() == b.strides() && a.dtype() == b.dtype();
}

}  // namespace

Poisson::Poisson(const Parameter& rate)
    : given_(detail::checked("Poisson", {{"rate", rate, detail::Domain::positive}})[0]) {
  log_rate = log(given_);
  given_ = given_.with_track({});
  log_of_given_ = log_rate.with_track({});
}

bool Poisson::has_given_rate() const { return same_memory(log_rate, log_of_given_); }

Tensor Poisson::rate() const { return has_given_rate() ? detail::rate_of(log_rate, given_) : exp(log_rate); }

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
  return detail::zero_density(detail::log_poisson(0, k, log_rate, rate()), outside);
}

Tensor Poisson::sample(Rng rng, const Shape& shape) const {
  return rng.poisson(expand(rate(), joined(shape, batch_shape())));
}

Tensor Poisson::mean() const { return rate(); }

Tensor Poisson::variance() const { return rate(); }

Tensor Poisson::entropy() const {
  // A rate may be too large for its type where its logarithm is not; long before, it is that of a normal law.
  const Tensor large = log_rate > kLargeLogRate;
  const Tensor normal = log_rate * 0.5 + 0.5 * (1.0 + detail::kLogTwoPi);
  return where(large, normal, poisson_entropy(masked_fill(rate(), large, 1.0)));
}

Tensor Poisson::cdf(const Tensor& x) const { return poisson_cdf(detail::floating(x, log_rate), rate()); }

}  // namespace likely
