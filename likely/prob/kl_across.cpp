// Divergences between families: minus the entropy of p, and minus the mean of log q under p.
#include "likely/ops/special.hpp"
#include "likely/prob/bernoulli.hpp"
#include "likely/prob/beta.hpp"
#include "likely/prob/exponential.hpp"
#include "likely/prob/gamma.hpp"
#include "likely/prob/gumbel.hpp"
#include "likely/prob/inverse_gamma.hpp"
#include "likely/prob/kl.hpp"
#include "likely/prob/laplace.hpp"
#include "likely/prob/log_normal.hpp"
#include "likely/prob/normal.hpp"
#include "likely/prob/poisson.hpp"
#include "likely/prob/student_t.hpp"
#include "likely/prob/support.hpp"
#include "likely/prob/uniform.hpp"

namespace likely {

namespace {

template <class P>
Tensor to_normal(const P& p, const Normal& q) {
  const Tensor spread = (p.variance() + square(p.mean() - q.location)) / square(q.scale);
  return spread * 0.5 + (log(q.scale) + 0.5 * detail::kLogTwoPi) - p.entropy();
}

template <class P>
Tensor to_exponential(const P& p, const Exponential& q) {
  return q.rate * p.mean() - log(q.rate) - p.entropy();
}

template <class P>
Tensor to_gamma(const P& p, const Tensor& mean_log, const Gamma& q) {
  const Tensor constant = lgamma(q.concentration) - q.concentration * log(q.rate);
  return constant - (q.concentration - 1.0) * mean_log + q.rate * p.mean() - p.entropy();
}

// With mean_exp the mean of e^(-(x - q.location) / q.scale).
template <class P>
Tensor to_gumbel(const P& p, const Tensor& mean_exp, const Gumbel& q) {
  return (p.mean() - q.location) / q.scale + mean_exp + log(q.scale) - p.entropy();
}

// The mean of log x over low < x < high, for 0 <= low. (Elsewhere it is any number, without a derivative.)
Tensor mean_log_between(const Tensor& low, const Tensor& high) {
  const auto x_log_x = [](const Tensor& x) {
    const Tensor none = x <= 0.0;
    const Tensor safe = masked_fill(x, none, 1.0);
    return safe * log(safe);
  };
  return (x_log_x(high) - x_log_x(low)) / (high - low) - 1.0;
}

Tensor infinite_where(const Tensor& outside, const Tensor& divergence) {
  return masked_fill(divergence, outside, detail::kInfinity);
}

}  // namespace

Tensor kl(const Beta& p, const Normal& q) { return to_normal(p, q); }
Tensor kl(const Exponential& p, const Normal& q) { return to_normal(p, q); }
Tensor kl(const Gamma& p, const Normal& q) { return to_normal(p, q); }
Tensor kl(const Gumbel& p, const Normal& q) { return to_normal(p, q); }
Tensor kl(const InverseGamma& p, const Normal& q) {
  return infinite_where(p.concentration <= 2.0, to_normal(p, q));
}
Tensor kl(const Laplace& p, const Normal& q) { return to_normal(p, q); }
Tensor kl(const LogNormal& p, const Normal& q) { return to_normal(p, q); }
Tensor kl(const StudentT& p, const Normal& q) { return infinite_where(p.degrees <= 2.0, to_normal(p, q)); }
Tensor kl(const Uniform& p, const Normal& q) { return to_normal(p, q); }

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
  return to_gamma(p, digamma(p.alpha) - digamma(p.alpha + p.beta), q);
}
Tensor kl(const Exponential& p, const Gamma& q) {
  return to_gamma(p, -(log(p.rate) + std::numbers::egamma), q);
}
Tensor kl(const InverseGamma& p, const Gamma& q) {
  return infinite_where(p.concentration <= 1.0, to_gamma(p, log(p.scale) - digamma(p.concentration), q));
}
Tensor kl(const LogNormal& p, const Gamma& q) { return to_gamma(p, p.location, q); }
Tensor kl(const Uniform& p, const Gamma& q) {
  return infinite_where(p.low < 0.0, to_gamma(p, mean_log_between(p.low, p.high), q));
}

Tensor kl(const Uniform& p, const Beta& q) {
  const Tensor first = (q.alpha - 1.0) * mean_log_between(p.low, p.high);
  const Tensor second = (q.beta - 1.0) * mean_log_between(1.0 - p.high, 1.0 - p.low);
  return infinite_where(logical_or(p.low<0.0, p.high> 1.0),
                        log_beta(q.alpha, q.beta) - first - second - p.entropy());
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
  return infinite_where(outside, log(q.high - q.low) - p.entropy());
}

Tensor kl(const Bernoulli& p, const Poisson& q) {
  return exp(q.log_rate) - p.mean() * q.log_rate - p.entropy();
}

}  // namespace likely
