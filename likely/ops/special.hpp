// Special functions of probability, element by element, computed in double and accurate to about 1e-13.
// Arguments broadcast; whole numbers become f32. Outside its domain a function is NaN.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely {

[[nodiscard]] Tensor normal_cdf(const Tensor& x);       // the probability of a standard normal number below x
[[nodiscard]] Tensor normal_quantile(const Tensor& p);  // its inverse; +-inf at 1 and 0

// log I0(x) of the modified Bessel function, for any x; differentiable four times.
[[nodiscard]] Tensor log_bessel_i0(const Tensor& x);
// log(e^-|x| I0(x)), which keeps its digits where log I0(x) is large.
[[nodiscard]] Tensor log_bessel_i0_scaled(const Tensor& x);
// I1(x) / I0(x), the derivative of log I0; differentiable three times.
[[nodiscard]] Tensor bessel_i1_over_i0(const Tensor& x);
// 1 - I1(x) / I0(x) for x >= 0, which keeps its digits where it is small.
[[nodiscard]] Tensor bessel_ratio_complement(const Tensor& x);

// log B(a, b) = log Gamma(a) + log Gamma(b) - log Gamma(a + b).
[[nodiscard]] Tensor log_beta(const Tensor& a, const Tensor& b);

// The regularised incomplete gamma functions P(a, x), the probability that a gamma variate of shape a is
// below x, and Q = 1 - P. Derivatives by a are known twice, by x without end.
[[nodiscard]] Tensor gamma_p(const Tensor& a, const Tensor& x);
[[nodiscard]] Tensor gamma_q(const Tensor& a, const Tensor& x);

// The probability of a Poisson number of at most k, whole or not. Differentiable in the rate.
[[nodiscard]] Tensor poisson_cdf(const Tensor& k, const Tensor& rate);

// The regularised incomplete beta function I_x(a, b), the probability that a beta variate is below x.
// Derivatives by a and b are known twice, by x without end.
[[nodiscard]] Tensor incomplete_beta(const Tensor& a, const Tensor& b, const Tensor& x);

// The probability of a standard Cauchy number below x.
[[nodiscard]] Tensor cauchy_cdf(const Tensor& x);

// The probability of a Student's t number of these degrees of freedom below x. Derivatives by the degrees are
// known twice.
[[nodiscard]] Tensor student_t_cdf(const Tensor& x, const Tensor& degrees);

// The entropy of a Poisson number of this rate; differentiable four times.
[[nodiscard]] Tensor poisson_entropy(const Tensor& rate);

// The probability between -pi and t of the density e^(kappa cos t) / (2 pi I0(kappa)); 0 and 1 outside.
// Derivatives by kappa are known twice.
[[nodiscard]] Tensor von_mises_cdf(const Tensor& t, const Tensor& kappa);

}  // namespace likely
