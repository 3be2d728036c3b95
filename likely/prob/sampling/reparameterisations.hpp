// Random numbers as functions of noise that does not know the parameters, z = g(noise, parameters), so that
// the gradient of E f(z) is E of the gradient of f(g(noise, parameters)). The table of document 001, with the
// right formulas. All work element by element with broadcasting unless they say otherwise, and are
// differentiable in noise and parameters.
//
//   const Tensor u = rng.uniform({1000});
//   const Tensor z = exponential_from_uniform(u) / rate;      // Exponential(rate)
//
// The laws' own rsample does the same from finer noise; these are for noise that is given: common random
// numbers, antithetic pairs (u and 1 - u), low-discrepancy sequences.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely {

// ln(1 / u): Exponential(1) from a uniform number on (0, 1). Infinite at 0.
[[nodiscard]] Tensor exponential_from_uniform(const Tensor& u);

// tan(pi (u - 1/2)): Cauchy(0, 1). It rises with u; tan(pi u) has the same law.
[[nodiscard]] Tensor cauchy_from_uniform(const Tensor& u);

// ln(u / v): Laplace(0, 1) from two independent uniform numbers on (0, 1).
[[nodiscard]] Tensor laplace_from_uniforms(const Tensor& u, const Tensor& v);

// location - scale sgn(e) ln(1 - 2 |e|): Laplace(location, scale) from a uniform number on (-1/2, 1/2).
[[nodiscard]] Tensor laplace_from_centred_uniform(const Tensor& e, const Tensor& location,
                                                  const Tensor& scale);

// sqrt(2 ln(1 / u)) cos(2 pi v) and the same with sin: two independent N(0, 1) from two independent uniform
// numbers on (0, 1) (Box and Muller, 1958).
struct NormalPair {
  Tensor first, second;
};
[[nodiscard]] NormalPair normals_from_uniforms(const Tensor& u, const Tensor& v);

// mean + R e: N(mean, R R^T) from e of N(0, I). R is (..., m, n), e (..., n), mean (..., m); the Cholesky
// factor of a covariance is one such R, and any other square root, also one with fewer columns, is as good.
[[nodiscard]] Tensor gaussian_from_normal(const Tensor& e, const Tensor& mean, const Tensor& R);

// 2 b - 1: -1 or 1 from a coin 0 or 1.
[[nodiscard]] Tensor rademacher_from_bernoulli(const Tensor& b);

// exp(mean + deviation e): LogNormal from e of N(0, 1), the logarithm having this mean and standard
// deviation.
[[nodiscard]] Tensor log_normal_from_normal(const Tensor& e, const Tensor& mean, const Tensor& deviation);

// 1 / g: InverseGamma(k, scale) from g of Gamma(k, rate = scale), that is Gamma with scale 1 / scale.
[[nodiscard]] Tensor inverse_gamma_from_gamma(const Tensor& g);

// location - scale ln(ln(1 / u)): Gumbel(location, scale) from a uniform number on (0, 1).
[[nodiscard]] Tensor gumbel_from_uniform(const Tensor& u, const Tensor& location, const Tensor& scale);

}  // namespace likely
