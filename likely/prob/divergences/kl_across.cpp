// Divergences between families: minus the entropy of p, and minus the mean of log q under p.
#include "likely/core/create.hpp"
#include "likely/ops/special.hpp"
#include "likely/ops/special_densities.hpp"
#include "likely/prob/distributions/bernoulli.hpp"
#include "likely/prob/distributions/beta.hpp"
#include "likely/prob/distributions/exponential.hpp"
#include "likely/prob/distributions/gamma.hpp"
#include "likely/prob/distributions/gumbel.hpp"
#include "likely/prob/distributions/inverse_gamma.hpp"
#include "likely/prob/distributions/laplace.hpp"
#include "likely/prob/distributions/log_normal.hpp"
#include "likely/prob/distributions/normal.hpp"
#include "likely/prob/distributions/poisson.hpp"
#include "likely/prob/distributions/standardized.hpp"
#include "likely/prob/distributions/student_t.hpp"
#include "likely/prob/distributions/support.hpp"
#include "likely/prob/distributions/uniform.hpp"
#include "likely/prob/divergences/kl.hpp"

namespace likely {

namespace {

// With the standard deviation of p: its square alone may be too large.
template <class P>
Tensor to_normal(const P& p, const Tensor& deviation, const Normal& q) {
  const Tensor distance = detail::standardized(p.mean(), q.location, q.scale);
  const Tensor spread = square(deviation / q.scale) + square(distance);
  return spread * 0.5 + (log(q.scale) + 0.5 * detail::kLogTwoPi) - p.entropy();
}

template <class P>
Tensor to_normal(const P& p, const Normal& q) {
  return to_normal(p, sqrt(p.variance()), q);
}

template <class P>
Tensor to_exponential(const P& p, const Exponential& q) {
  return q.rate * p.mean() - log(q.rate) - p.entropy();
}

// With spread the logarithm of the mean of p less the mean of the logarithm. Of q's density at the mean, and
// what is left, so that a large concentration costs no digits.
template <class P>
Tensor to_gamma(const P& p, const Tensor& log_mean, const Tensor& spread, const Gamma& q) {
  const Tensor at_mean = detail::log_poisson(0, q.concentration, log(q.rate) + log_mean, q.rate * p.mean()) +
                         log(q.concentration);
  return log_mean - p.entropy() - at_mean + (q.concentration - 1.0) * spread;
}

// log(x) - digamma(x), also where x is large.
Tensor log_less_digamma(const Tensor& x) { return detail::log_poisson(1, x, log(x), x) + reciprocal(x); }

// With mean_exp the mean of e^(-(x - q.location) / q.scale).
template <class P>
Tensor to_gumbel(const P& p, const Tensor& mean_exp, const Gumbel& q) {
  return detail::standardized(p.mean(), q.location, q.scale) + mean_exp + log(q.scale) - p.entropy();
}

// Less the mean of log(1 + half u) over -1 < u < 1, for 0 < half <= 1.
Tensor spread_between(const Tensor& half) {
  const Tensor narrow = half < 0.25;
  const Tensor s = square(masked_fill(half, logical_not(narrow), 0.0));
  // The sum of half^2k / (2k (2k + 1)).
  Tensor close = zeros_like(s);
  for (int k = 13; k > 0; --k) close = (close + 1.0 / (2.0 * k * (2.0 * k + 1.0))) * s;
  const auto x_log_x = [](const Tensor& x) {
    const Tensor safe = masked_fill(x, x <= 0.0, 1.0);
    return safe * log(safe);
  };
  const Tensor h = masked_fill(half, narrow, 1.0);
  return where(narrow, close, 1.0 - (x_log_x(1.0 + h) - x_log_x(1.0 - h)) / (2.0 * h));
}

Tensor infinite_where(const Tensor& outside, const Tensor& divergence) {
  return masked_fill(divergence, outside, detail::kInfinity);
}

}  // namespace

Tensor kl(const Beta& p, const Normal& q) { return to_normal(p, q); }
Tensor kl(const Exponential& p, const Normal& q) { return to_normal(p, p.mean(), q); }
Tensor kl(const Gamma& p, const Normal& q) { return to_normal(p, sqrt(p.concentration) / p.rate, q); }
Tensor kl(const Gumbel& p, const Normal& q) {
  return to_normal(p, p.scale * (std::numbers::pi / std::sqrt(6.0)), q);
}
Tensor kl(const InverseGamma& p, const Normal& q) {
  const Tensor no_variance = p.concentration <= 2.0;
  const InverseGamma safe(masked_fill(p.concentration, no_variance, 3.0), p.scale);
  return infinite_where(no_variance, to_normal(safe, safe.mean() / sqrt(safe.concentration - 2.0), q));
}
Tensor kl(const Laplace& p, const Normal& q) { return to_normal(p, p.scale * std::numbers::sqrt2, q); }
Tensor kl(const LogNormal& p, const Normal& q) { return to_normal(p, q); }
Tensor kl(const StudentT& p, const Normal& q) {
  const Tensor no_variance = p.degrees <= 2.0;
  const Tensor degrees = masked_fill(p.degrees, no_variance, 3.0);
  const StudentT safe(degrees, p.location, p.scale);
  return infinite_where(no_variance, to_normal(safe, p.scale * sqrt(degrees / (degrees - 2.0)), q));
}
Tensor kl(const Uniform& p, const Normal& q) {
  return to_normal(p, (p.high * 0.5 - p.low * 0.5) * (1.0 / std::sqrt(3.0)), q);
}

Tensor kl(const Beta& p, const Exponential& q) { return to_exponential(p, q); }
Tensor kl(const Gamma& p, const Exponential& q) { return to_exponential(p, q); }
Tensor kl(const InverseGamma& p, const Exponential& q) {
  return infinite_where(p.concentration <= 1.0, to_exponential(p, q));
}
Tensor kl(const LogNormal& p, const Exponential& q) { return to_exponential(p, q); }
Tensor kl(const Uniform& p, const Exponential& q) {
  return infinite_where(p.low < 0.0, to_exponential(p, q));
}

Tensor kl(const Beta& p, const Gamma& q) {
  return to_gamma(p, log(p.mean()), log_less_digamma(p.alpha) - log_less_digamma(p.alpha + p.beta), q);
}
Tensor kl(const Exponential& p, const Gamma& q) {
  return to_gamma(p, -log(p.rate), full_like(p.rate, std::numbers::egamma), q);
}
Tensor kl(const InverseGamma& p, const Gamma& q) {
  const Tensor no_mean = p.concentration <= 1.0;
  const InverseGamma safe(masked_fill(p.concentration, no_mean, 2.0), p.scale);
  const Tensor below = safe.concentration - 1.0;
  const Tensor spread = -detail::log_poisson(1, below, log(below), below);
  return infinite_where(no_mean, to_gamma(safe, log(p.scale) - log(below), spread, q));
}
Tensor kl(const LogNormal& p, const Gamma& q) {
  const Tensor spread = square(p.scale) * 0.5;
  return to_gamma(p, p.location + spread, spread, q);
}
Tensor kl(const Uniform& p, const Gamma& q) {
  const Tensor outside = p.low < 0.0;
  const Tensor half = masked_fill((p.high - p.low) / (p.low + p.high), outside, 0.5);
  const Tensor log_mean = log(masked_fill(p.mean(), outside, 1.0));
  return infinite_where(outside, to_gamma(p, log_mean, spread_between(half), q));
}

Tensor kl(const Uniform& p, const Beta& q) {
  const Tensor outside = logical_or(p.low<0.0, p.high> 1.0);
  const Tensor mean = masked_fill(p.mean(), outside, 0.5);
  const Tensor half = masked_fill((p.high - p.low) * 0.5, outside, 0.25);
  // Of q's density at the mean, and what is left.
  const Tensor left =
      (q.alpha - 1.0) * spread_between(half / mean) + (q.beta - 1.0) * spread_between(half / (1.0 - mean));
  return infinite_where(outside, left - detail::log_beta_density(q.alpha, q.beta, mean) - p.entropy());
}

Tensor kl(const Exponential& p, const Gumbel& q) {
  return to_gumbel(p, exp(q.location / q.scale) / (1.0 + reciprocal(p.rate * q.scale)), q);
}
Tensor kl(const Gamma& p, const Gumbel& q) {
  return to_gumbel(p, exp(q.location / q.scale - p.concentration * log1p(reciprocal(p.rate * q.scale))), q);
}
Tensor kl(const Normal& p, const Gumbel& q) {
  return to_gumbel(p, exp((q.location - p.location) / q.scale + square(p.scale / q.scale) * 0.5), q);
}
Tensor kl(const Uniform& p, const Gumbel& q) {
  const Tensor width = (p.high - p.low) / q.scale;
  return to_gumbel(p, exp((q.location - p.low) / q.scale) * -expm1(-width) / width, q);
}

Tensor kl(const Normal& p, const Laplace& q) {
  // The mean of |x - q.location|.
  const Tensor d = p.location - q.location;
  const Tensor z = d / p.scale;
  const Tensor distance = p.scale * exp(square(z) * -0.5) * std::sqrt(2.0 / std::numbers::pi) +
                          d * erf(z * (0.5 * std::numbers::sqrt2));
  return distance / q.scale + log(q.scale) + std::numbers::ln2 - p.entropy();
}

Tensor kl(const Beta& p, const Uniform& q) {
  const Tensor outside = logical_or(q.low > 0.0, q.high < 1.0);
  return infinite_where(outside, q.entropy() - p.entropy());
}

Tensor kl(const Bernoulli& p, const Poisson& q) {
  return exp(q.log_rate) - p.mean() * q.log_rate - p.entropy();
}

}  // namespace likely
