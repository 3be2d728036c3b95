// Divergences within a family.
#include "likely/prob/kl.hpp"

#include "likely/ops/activation.hpp"
#include "likely/ops/decompose.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/ops/special.hpp"
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
  return sigmoid(p.logits) * (logsigmoid(p.logits) - logsigmoid(q.logits)) +
         sigmoid(-p.logits) * (logsigmoid(-p.logits) - logsigmoid(-q.logits));
}

Tensor kl(const Beta& p, const Beta& q) {
  const Tensor a = p.alpha - q.alpha;
  const Tensor b = p.beta - q.beta;
  return log_beta(q.alpha, q.beta) - log_beta(p.alpha, p.beta) + a * digamma(p.alpha) + b * digamma(p.beta) -
         (a + b) * digamma(p.alpha + p.beta);
}

Tensor kl(const Categorical& p, const Categorical& q) {
  const Tensor weight = softmax(p.logits);
  const Tensor difference = log_softmax(p.logits) - log_softmax(q.logits);
  // A class that p never draws takes no part, whatever q says.
  return sum(weight * masked_fill(difference, weight == 0.0, 0.0), -1);
}

// Chyzak and Nielsen (2019).
Tensor kl(const Cauchy& p, const Cauchy& q) {
  const Tensor both = square(p.scale + q.scale) + square(p.location - q.location);
  return log(both / (p.scale * q.scale * 4.0));
}

Tensor kl(const Dirichlet& p, const Dirichlet& q) {
  const Tensor& a = p.concentration;
  const Tensor& b = q.concentration;
  const Tensor total = sum(a, -1, true);
  const Tensor means = digamma(a) - digamma(total);
  return lgamma(squeeze(total, -1)) - lgamma(sum(b, -1)) + sum(lgamma(b) - lgamma(a) + (a - b) * means, -1);
}

Tensor kl(const Exponential& p, const Exponential& q) {
  const Tensor ratio = q.rate / p.rate;
  return ratio - 1.0 - log(ratio);
}

Tensor kl(const Gamma& p, const Gamma& q) {
  const Tensor& a = p.concentration;
  const Tensor& b = q.concentration;
  return (a - b) * digamma(a) - lgamma(a) + lgamma(b) + b * (log(p.rate) - log(q.rate)) +
         a * (q.rate / p.rate - 1.0);
}

Tensor kl(const Gumbel& p, const Gumbel& q) {
  const Tensor ratio = p.scale / q.scale;
  const Tensor distance = (p.location - q.location) / q.scale;
  return (ratio - 1.0) * std::numbers::egamma - log(ratio) + distance + exp(lgamma(ratio + 1.0) - distance) -
         1.0;
}

// The reciprocals are gamma numbers, and a map that can be undone leaves the divergence as it is.
Tensor kl(const InverseGamma& p, const InverseGamma& q) {
  return kl(Gamma(p.concentration, p.scale), Gamma(q.concentration, q.scale));
}

Tensor kl(const Laplace& p, const Laplace& q) {
  const Tensor distance = abs(p.location - q.location);
  const Tensor ratio = p.scale / q.scale;
  return ratio * exp(-distance / p.scale) + distance / q.scale - 1.0 - log(ratio);
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
  return (square(ratio) + square(distance) - 1.0) * 0.5 - log(ratio);
}

Tensor kl(const Poisson& p, const Poisson& q) {
  const Tensor difference = p.log_rate - q.log_rate;
  return exp(p.log_rate) * (difference - 1.0) + exp(q.log_rate);
}

Tensor kl(const Uniform& p, const Uniform& q) {
  const Tensor outside = logical_or(p.low<q.low, p.high> q.high);
  const Tensor ratio = log((q.high - q.low) / (p.high - p.low));
  return masked_fill(ratio, outside, detail::kInfinity);
}

Tensor kl(const VonMises& p, const VonMises& q) {
  // A (kappa_p - kappa_q cos d) + log I0(kappa_q) - log I0(kappa_p) with A the ratio of p, in parts that do
  // not cancel for large concentrations.
  const Tensor turned = square(sin((p.location - q.location) * 0.5)) * 2.0;
  const Tensor lost = bessel_ratio_complement(p.concentration);
  return q.concentration * (lost + turned * (1.0 - lost)) - p.concentration * lost +
         log_bessel_i0_scaled(q.concentration) - log_bessel_i0_scaled(p.concentration);
}

}  // namespace likely
