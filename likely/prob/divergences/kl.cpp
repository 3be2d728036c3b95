// Divergences within a family.
#include "likely/prob/divergences/kl.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "likely/core/create.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/decompose.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/ops/special.hpp"
#include "likely/ops/special_densities.hpp"
#include "likely/prob/distributions/bernoulli.hpp"
#include "likely/prob/distributions/beta.hpp"
#include "likely/prob/distributions/categorical.hpp"
#include "likely/prob/distributions/cauchy.hpp"
#include "likely/prob/distributions/dirichlet.hpp"
#include "likely/prob/distributions/exponential.hpp"
#include "likely/prob/distributions/gamma.hpp"
#include "likely/prob/distributions/gumbel.hpp"
#include "likely/prob/distributions/inverse_gamma.hpp"
#include "likely/prob/distributions/laplace.hpp"
#include "likely/prob/distributions/log_normal.hpp"
#include "likely/prob/distributions/multivariate_normal.hpp"
#include "likely/prob/distributions/normal.hpp"
#include "likely/prob/distributions/poisson.hpp"
#include "likely/prob/distributions/standardized.hpp"
#include "likely/prob/distributions/support.hpp"
#include "likely/prob/distributions/uniform.hpp"
#include "likely/prob/distributions/von_mises.hpp"

namespace likely {

Tensor kl(const Bernoulli& p, const Bernoulli& q) {
  // With x the less likely answer of p, d = q's logit of x less p's, and w = p(x) (e^d - 1), this is
  // p(x) (e^d - 1 - d) - (w - log(1 + w)): of laws that are nearly the same small numbers.
  const Tensor side = where(p.logits > 0.0, -1.0, ones_like(p.logits));
  const Tensor rare = sigmoid(side * p.logits);
  const Tensor d = side * (q.logits - p.logits);
  const Tensor far_apart = abs(d) > 0.5;
  const Tensor small = masked_fill(d, far_apart, 0.0);
  const Tensor close = rare * detail::exp_gap(small) - detail::exp_gap(log1p(rare * expm1(small)));
  const Tensor far = sigmoid(p.logits) * (logsigmoid(p.logits) - logsigmoid(q.logits)) +
                     sigmoid(-p.logits) * (logsigmoid(-p.logits) - logsigmoid(-q.logits));
  return where(far_apart, far, close);
}

Tensor kl(const Beta& p, const Beta& q) {
  // The divergence of q's mean from p's, weighed by q's total, and what Stirling's formula leaves.
  const Tensor total = p.alpha + p.beta;
  const Tensor other = q.alpha + q.beta;
  return detail::deviance(q.alpha, p.alpha, other, total) + detail::deviance(q.beta, p.beta, other, total) +
         detail::gamma_bregman(p.alpha, q.alpha) + detail::gamma_bregman(p.beta, q.beta) -
         detail::gamma_bregman(total, other);
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
  const auto plain = [](const Tensor& m, const Tensor& s, const Tensor& n, const Tensor& t) {
    const Tensor size = sqrt(s) * sqrt(t);
    return log1p(square((s - t) / size * 0.5) + square(detail::standardized(m, n, size) * 0.5));
  };
  // log(((s + t)^2 + (m - n)^2) / (4 s t)), of halves and in units of the larger.
  const auto far = [](const Tensor& m, const Tensor& s, const Tensor& n, const Tensor& t) {
    const Tensor both = s * 0.5 + t * 0.5;
    const Tensor distance = m * 0.5 - n * 0.5;
    const Tensor unit = stop_gradient(maximum(both, abs(distance)));
    return log(square(both / unit) + square(distance / unit)) + log(unit) * 2.0 - log(s) - log(t);
  };
  return detail::with_care(plain, far, p.location, p.scale, q.location, q.scale);
}

Tensor kl(const Dirichlet& p, const Dirichlet& q) {
  const Tensor& a = p.concentration;
  const Tensor& b = q.concentration;
  // As for beta laws.
  const Tensor total = sum(a, -1, true);
  const Tensor other = sum(b, -1, true);
  const Tensor each = detail::deviance(b, a, other, total) + detail::gamma_bregman(a, b);
  return sum(each, -1) - squeeze(detail::gamma_bregman(total, other), -1);
}

Tensor kl(const Exponential& p, const Exponential& q) { return detail::log_gap(q.rate, p.rate); }

Tensor kl(const Gamma& p, const Gamma& q) {
  const Tensor& a = p.concentration;
  const Tensor& b = q.concentration;
  return detail::deviance(b, a, q.rate, p.rate) + detail::gamma_bregman(a, b);
}

Tensor kl(const Gumbel& p, const Gumbel& q) {
  const Tensor ratio = p.scale / q.scale;
  const Tensor distance = detail::standardized(p.location, q.location, q.scale);
  const Tensor log_gamma = lgamma(ratio + 1.0);
  // lgamma(ratio) + egamma (ratio - 1), which is the divergence of a gamma law of shape 1 from one of this
  // shape, and what is left: neither is negative. Of a small ratio the logarithm is all that counts, also
  // where nothing else is left of it.
  const Tensor small = ratio < 0.25;
  const Tensor shape = masked_fill(ratio, small, 1.0);
  const Tensor gap = detail::log_gap(masked_fill(expand(q.scale, small.shape()), small, 1.0),
                                     masked_fill(expand(p.scale, small.shape()), small, 1.0));
  const Tensor shapes = shape * gap + detail::gamma_bregman(ones_like(shape), shape);
  const Tensor of_small = log_gamma - (log(p.scale) - log(q.scale)) + (ratio - 1.0) * std::numbers::egamma;
  // Infinities that would meet belong to a divergence that is one.
  const Tensor exponent =
      masked_fill(log_gamma - distance, log_gamma == detail::kInfinity, detail::kInfinity);
  return detail::exp_gap(exponent) + where(small, of_small, shapes);
}

// The reciprocals are gamma numbers, and a map that can be undone leaves the divergence as it is.
Tensor kl(const InverseGamma& p, const InverseGamma& q) {
  return kl(Gamma(p.concentration, p.scale), Gamma(q.concentration, q.scale));
}

namespace {

// one(inputs...) where the condition holds, other(inputs...) elsewhere. Either sees the harmless numbers
// 1, 2, 3 ... where the other one answers, so that no NaN flows back from there.
template <class One, class Other, class... Tensors>
Tensor by_case(const Tensor& condition, const One& one, const Other& other, const Tensors&... inputs) {
  const auto part = [&]<std::size_t... kPlace>(const auto& f, const Tensor& mask,
                                               std::index_sequence<kPlace...>) {
    return f(masked_fill(expand(inputs, mask.shape()), mask, static_cast<double>(kPlace + 1))...);
  };
  constexpr auto kPlaces = std::index_sequence_for<Tensors...>();
  const auto count = static_cast<std::int64_t>(sum(condition).item());
  if (count == condition.size()) return one(inputs...);
  if (count == 0) return other(inputs...);
  return where(condition, part(one, logical_not(condition), kPlaces), part(other, condition, kPlaces));
}

}  // namespace

// With d = |m - n| / s this is s / t (e^-d - 1 + d) + (s / t - 1 - log(s / t)).
Tensor kl(const Laplace& p, const Laplace& q) {
  // Both of these are small numbers where the laws are nearly the same. In the derivative by s what d adds
  // cancels, and is too large for a number before |m - n| / t is.
  const auto near = [](const Tensor& m, const Tensor& s, const Tensor& n, const Tensor& t) {
    return s / t * detail::exp_gap(-abs(detail::standardized(m, n, s))) + detail::log_gap(s, t);
  };
  // So it is multiplied out where they are not. What is left where e^-d is 0; or the ratio of the scales
  // infinite.
  const auto far = [](const Tensor& m, const Tensor& s, const Tensor& n, const Tensor& t) {
    const Tensor divergence = abs(detail::standardized(m, n, t)) - (log(s) - log(t)) - 1.0;
    return masked_fill(divergence, s / t == detail::kInfinity, detail::kInfinity);
  };
  const auto apart = [&](const Tensor& m, const Tensor& s, const Tensor& n, const Tensor& t) {
    return far(m, s, n, t) + s / t * exp(-abs(detail::standardized(m, n, s)));
  };
  const auto [m, s, n, t] = std::array{stop_gradient(p.location), stop_gradient(p.scale),
                                       stop_gradient(q.location), stop_gradient(q.scale)};
  const Tensor distance = abs(detail::standardized(m, n, s));
  const Tensor finite_ratio = s / t != detail::kInfinity;
  const Tensor is_near = logical_and(distance <= 1.0, finite_ratio);
  // Beyond it e^-distance has fewer digits, or none.
  const double most = -std::log(detail::limits_of("kl", distance.dtype()).least_normal) - 2.0;
  const Tensor has_rest = logical_and(distance <= most, finite_ratio);
  const auto not_near = [&](const Tensor& m1, const Tensor& s1, const Tensor& n1, const Tensor& t1) {
    return by_case(expand(has_rest, m1.shape()), apart, far, m1, s1, n1, t1);
  };
  return by_case(is_near, near, not_near, p.location, p.scale, q.location, q.scale);
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
  // Of the scales (ratio^2 - 1) / 2 - log(ratio), as a sum of what is not negative.
  const Tensor growth = (p.scale - q.scale) / q.scale;
  const Tensor distance = detail::standardized(p.location, q.location, q.scale);
  return (square(growth) + square(distance)) * 0.5 + detail::log_gap(p.scale, q.scale);
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
    const Tensor apart = logical_not(near);
    const Shape shape = apart.shape();
    const Tensor gap = detail::log_gap(masked_fill(expand(other, shape), apart, 1.0),
                                       masked_fill(expand(rate, shape), apart, 1.0));
    return where(near, rate * gap, far);
  }
  const Tensor gap = detail::exp_gap(masked_fill(rise, logical_not(near), 0.0));
  // The same rate, too large for its type.
  const Tensor same = logical_and(rate == detail::kInfinity, rise == 0.0);
  return where(near, masked_fill(rate, same, 1.0) * gap, far);
}

Tensor kl(const Uniform& p, const Uniform& q) {
  const Tensor outside = logical_or(p.low<q.low, p.high> q.high);
  // The widths less each other by their ends, as nearly equal ones have no more digits than that. A width
  // that is too large makes this a NaN.
  const auto plain = [](const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d) {
    const Tensor width = b - a;
    return log1p(((d - b) + (a - c)) / width) + width * 0.0;
  };
  const auto of_ratio = [](const Tensor& v, const Tensor& w) { return log(w / v); };
  const auto of_logarithms = [](const Tensor& v, const Tensor& w) { return log(w) - log(v); };
  const auto far = [&](const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d) {
    return detail::with_care(of_ratio, of_logarithms, b * 0.5 - a * 0.5, d * 0.5 - c * 0.5);
  };
  const auto inside = [&](const Tensor& x, const Tensor& own) { return where(outside, own, x); };
  const Tensor divergence =
      detail::with_care(plain, far, p.low, p.high, inside(q.low, p.low), inside(q.high, p.high));
  return masked_fill(divergence, outside, detail::kInfinity);
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
