// Divergences within a family.
#include "likely/prob/kl.hpp"

#include "likely/core/create.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/decompose.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/ops/special.hpp"
#include "likely/ops/special_densities.hpp"
#include "likely/prob/bernoulli.hpp"
#include "likely/prob/beta.hpp"
#include "likely/prob/categorical.hpp"
#include "likely/prob/cauchy.hpp"
#include "likely/prob/dirichlet.hpp"
#include "likely/prob/exponential.hpp"
#include "likely/prob/gamma.hpp"
#include "likely/prob/gumbel.hpp"
#include "likely/prob/inverse_gamma.hpp"
#include "likely/prob/laplace.hpp"
#include "likely/prob/log_normal.hpp"
#include "likely/prob/multivariate_normal.hpp"
#include "likely/prob/normal.hpp"
#include "likely/prob/poisson.hpp"
#include "likely/prob/support.hpp"
#include "likely/prob/uniform.hpp"
#include "likely/prob/von_mises.hpp"

namespace likely {

Tensor kl(const Bernoulli& p, const Bernoulli& q) {
  // With x the less likely answer of p, d = q's logit of x less p's, and w = p(x) (e^d - 1), this is
  // p(x) (e^d - 1 - d) - (w - log(1 + w)): of laws that are nearly the same small numbers.
  const Tensor side = where(p.logits > 0.0, -1.0, ones_like(p.logits));
  const Tensor rare = sigmoid(side * p.logits);
  const Tensor d = side * (q.logits - p.logits);
  const Tensor far_apart = abs(d) > 0.5;
  const Tensor small = masked_fill(d, far_apart, 0.0);
  const Tensor close = rare * detail::exp_gap(small) - detail::log_gap(rare * expm1(small) + 1.0);
  const Tensor far = sigmoid(p.logits) * (logsigmoid(p.logits) - logsigmoid(q.logits)) +
                     sigmoid(-p.logits) * (logsigmoid(-p.logits) - logsigmoid(-q.logits));
  return where(far_apart, far, close);
}

Tensor kl(const Beta& p, const Beta& q) {
  // The divergence of q's mean from p's, weighed by q's total, and what Stirling's formula leaves.
  const Tensor total = p.alpha + p.beta;
  const Tensor other = q.alpha + q.beta;
  const Tensor first = detail::log_gap(p.alpha / total * (other / q.alpha));
  const Tensor second = detail::log_gap(p.beta / total * (other / q.beta));
  return q.alpha * first + q.beta * second + detail::gamma_bregman(p.alpha, q.alpha) +
         detail::gamma_bregman(p.beta, q.beta) - detail::gamma_bregman(total, other);
}

Tensor kl(const Categorical& p, const Categorical& q) {
  const Tensor weight = softmax(p.logits);
  const Tensor difference = log_softmax(p.logits) - log_softmax(q.logits);
  // A class that p never draws takes no part, whatever q says.
  return sum(weight * masked_fill(difference, weight == 0.0, 0.0), -1);
}

// Chyzak and Nielsen (2019).
Tensor kl(const Cauchy& p, const Cauchy& q) {
  // Of the scales alone log(1 + (s - t)^2 / (4 s t)), and the same of the distance.
  const Tensor size = sqrt(p.scale) * sqrt(q.scale) * 2.0;
  const Tensor apart = (p.scale - q.scale) / size;
  const Tensor distance = (p.location - q.location) / size;
  return log1p(square(apart) + square(distance));
}

Tensor kl(const Dirichlet& p, const Dirichlet& q) {
  const Tensor& a = p.concentration;
  const Tensor& b = q.concentration;
  // As for beta laws.
  const Tensor total = sum(a, -1, true);
  const Tensor other = sum(b, -1, true);
  const Tensor each = b * detail::log_gap(a / total * (other / b)) + detail::gamma_bregman(a, b);
  return sum(each, -1) - squeeze(detail::gamma_bregman(total, other), -1);
}

Tensor kl(const Exponential& p, const Exponential& q) { return detail::log_gap(q.rate / p.rate); }

Tensor kl(const Gamma& p, const Gamma& q) {
  const Tensor& a = p.concentration;
  const Tensor& b = q.concentration;
  return b * detail::log_gap(a / b * (q.rate / p.rate)) + detail::gamma_bregman(a, b);
}

Tensor kl(const Gumbel& p, const Gumbel& q) {
  const Tensor ratio = p.scale / q.scale;
  const Tensor distance = (p.location - q.location) / q.scale;
  // lgamma(ratio) + egamma (ratio - 1), which is the divergence of a gamma law of shape 1 from one of this
  // shape, and what is left: neither is negative.
  const Tensor shapes =
      ratio * detail::log_gap(reciprocal(ratio)) + detail::gamma_bregman(ones_like(ratio), ratio);
  return detail::exp_gap(lgamma(ratio + 1.0) - distance) + shapes;
}

// The reciprocals are gamma numbers, and a map that can be undone leaves the divergence as it is.
Tensor kl(const InverseGamma& p, const InverseGamma& q) {
  return kl(Gamma(p.concentration, p.scale), Gamma(q.concentration, q.scale));
}

Tensor kl(const Laplace& p, const Laplace& q) {
  const Tensor distance = abs(p.location - q.location) / p.scale;
  const Tensor ratio = p.scale / q.scale;
  return ratio * detail::exp_gap(-distance) + detail::log_gap(ratio);
}

Tensor kl(const LogNormal& p, const LogNormal& q) {
  return kl(Normal(p.location, p.scale), Normal(q.location, q.scale));
}

Tensor kl(const MultivariateNormal& p, const MultivariateNormal& q) {
  const Tensor distance = sum(square(q.standardize(p.location)), -1);
  const bool diagonal = !p.cholesky.defined() && !q.cholesky.defined();
  // The trace of q's covariance^-1 p's covariance is the squared norm of q's factor^-1 p's factor.
  const Tensor trace = diagonal ? sum(square(p.scale / q.scale), -1)
                                : sum(square(triangular_solve(q.factor(), p.factor())), {-2, -1});
  return (trace + distance - static_cast<double>(p.location.shape().back())) * 0.5 + q.log_det_factor() -
         p.log_det_factor();
}

Tensor kl(const Normal& p, const Normal& q) {
  const Tensor ratio = p.scale / q.scale;
  const Tensor distance = (p.location - q.location) / q.scale;
  // (ratio^2 - 1) / 2 - log(ratio), as a sum of what is not negative.
  return (square(ratio - 1.0) + square(distance)) * 0.5 + detail::log_gap(ratio);
}

Tensor kl(const Poisson& p, const Poisson& q) {
  const Tensor rate = p.rate();
  const Tensor other = q.rate();
  // Rates that are nearly the same, and rates that are not: by the numbers that were given, of which the
  // others are rounded.
  const Tensor rise = q.log_rate - p.log_rate;
  const Tensor near = abs(rise) < 0.7;
  const Tensor far = (other - rate) - rate * rise;
  if (p.has_given_rate() && q.has_given_rate()) {
    return where(near, rate * detail::log_gap(masked_fill(other / rate, logical_not(near), 1.0)), far);
  }
  const Tensor gap = detail::exp_gap(masked_fill(rise, logical_not(near), 0.0));
  // The same rate, too large for its type.
  const Tensor same = logical_and(rate == detail::kInfinity, rise == 0.0);
  return where(near, masked_fill(rate, same, 1.0) * gap, far);
}

Tensor kl(const Uniform& p, const Uniform& q) {
  const Tensor outside = logical_or(p.low<q.low, p.high> q.high);
  const Tensor ratio = log((q.high - q.low) / (p.high - p.low));
  return masked_fill(ratio, outside, detail::kInfinity);
}

Tensor kl(const VonMises& p, const VonMises& q) {
  // A (kappa_p - kappa_q cos d) + log I0(kappa_q) - log I0(kappa_p) with A the ratio of p, in parts that do
  // not cancel for large concentrations.
  const Tensor first = cast(p.concentration, DType::f64);
  const Tensor second = cast(q.concentration, DType::f64);
  const Tensor turned = square(sin((p.location - q.location) * 0.5)) * 2.0;
  const Tensor lost = bessel_ratio_complement(first);
  const Tensor divergence = second * (lost + turned * (1.0 - lost)) - first * lost +
                            log_bessel_i0_scaled(second) - log_bessel_i0_scaled(first);
  return cast(divergence, promote(p.concentration.dtype(), q.concentration.dtype()));
}

}  // namespace likely
