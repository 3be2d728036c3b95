// What the densities of Poisson, gamma, beta and Student's t numbers are made of, as operations that keep
// their digits for parameters of any size (kernels/special/density.hpp). Internal to ops/ and prob/. Inputs
// are floating and broadcast.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely::detail {

// log(t^k e^-t / Gamma(k + 1)) and (order 1) its derivative by k. Derivatives flow through k and log_t; t is
// the same as e^log_t, but with the digits that the caller has.
[[nodiscard]] Tensor log_poisson(int order, const Tensor& k, const Tensor& log_t, const Tensor& t);

// e^log_rate, where log_rate was made of this rate: the rate itself. Derivatives flow through log_rate.
[[nodiscard]] Tensor rate_of(const Tensor& log_rate, const Tensor& rate);

// (a - 1) log(x) + (b - 1) log(1 - x) - log B(a, b) for 0 < x < 1.
[[nodiscard]] Tensor log_beta_density(const Tensor& a, const Tensor& b, const Tensor& x);

// The logarithm of Student's t density at z but for the constant -log(2 pi) / 2.
[[nodiscard]] Tensor log_student_t(const Tensor& degrees, const Tensor& z);

// r - 1 - log(r) >= 0 for r = a / b, exact also near r = 1 and where r itself is too large or too small.
[[nodiscard]] Tensor log_gap(const Tensor& a, const Tensor& b);

// k (r - 1 - log(r)) for r = (a / k) (s / t), the same way.
[[nodiscard]] Tensor deviance(const Tensor& k, const Tensor& a, const Tensor& s, const Tensor& t);

// e^x - 1 - x >= 0, exact also near x = 0.
[[nodiscard]] Tensor exp_gap(const Tensor& x);

// log(1 + r^2), also where the square overflows, and (order 1) its derivative.
[[nodiscard]] Tensor log1p_square(int order, const Tensor& r);

// s(b) - s(a) - (b - a) s'(a) for s(x) = log Gamma(x) - x log x + x.
[[nodiscard]] Tensor gamma_bregman(const Tensor& a, const Tensor& b);

// The derivative of the given order, 0 to 4, of log Gamma(h + 1/2) - log Gamma(h) - log(h) / 2.
[[nodiscard]] Tensor half_step(int order, const Tensor& h);

// The derivative of the given order, 0 to 4, of the entropy of a gamma number of shape a and rate 1.
[[nodiscard]] Tensor gamma_entropy(int order, const Tensor& a);

}  // namespace likely::detail
