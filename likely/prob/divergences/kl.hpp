// Divergences between distributions.
//
//   kl(p, q) = E_p[log p(x) - log q(x)], in closed form, one number for each element of the batch.
//
// It is infinite where p has probability outside the support of q, or a moment that is infinite. Pairs
// without a closed form do not compile: for them there is kl_monte_carlo (monte_carlo.hpp).
#pragma once

#include "likely/core/tensor.hpp"

namespace likely {

class Bernoulli;
class Beta;
class Categorical;
class Cauchy;
class Dirichlet;
class Exponential;
class Gamma;
class Gumbel;
class InverseGamma;
class Laplace;
class LogNormal;
class MultivariateNormal;
class Normal;
class Poisson;
class StudentT;
class Uniform;
class VonMises;

Tensor kl(const Bernoulli& p, const Bernoulli& q);
Tensor kl(const Beta& p, const Beta& q);
Tensor kl(const Categorical& p, const Categorical& q);
Tensor kl(const Cauchy& p, const Cauchy& q);
Tensor kl(const Dirichlet& p, const Dirichlet& q);
Tensor kl(const Exponential& p, const Exponential& q);
Tensor kl(const Gamma& p, const Gamma& q);
Tensor kl(const Gumbel& p, const Gumbel& q);
Tensor kl(const InverseGamma& p, const InverseGamma& q);
Tensor kl(const Laplace& p, const Laplace& q);
Tensor kl(const LogNormal& p, const LogNormal& q);
Tensor kl(const MultivariateNormal& p, const MultivariateNormal& q);
Tensor kl(const Normal& p, const Normal& q);
Tensor kl(const Poisson& p, const Poisson& q);
Tensor kl(const Uniform& p, const Uniform& q);
Tensor kl(const VonMises& p, const VonMises& q);

// To a normal law, which needs no more of p than its mean, variance and entropy.
Tensor kl(const Beta& p, const Normal& q);
Tensor kl(const Exponential& p, const Normal& q);
Tensor kl(const Gamma& p, const Normal& q);
Tensor kl(const Gumbel& p, const Normal& q);
Tensor kl(const InverseGamma& p, const Normal& q);
Tensor kl(const Laplace& p, const Normal& q);
Tensor kl(const LogNormal& p, const Normal& q);
Tensor kl(const StudentT& p, const Normal& q);
Tensor kl(const Uniform& p, const Normal& q);

// To an exponential or gamma law, which need the mean of x and of log x.
Tensor kl(const Beta& p, const Exponential& q);
Tensor kl(const Gamma& p, const Exponential& q);
Tensor kl(const InverseGamma& p, const Exponential& q);
Tensor kl(const LogNormal& p, const Exponential& q);
Tensor kl(const Uniform& p, const Exponential& q);
Tensor kl(const Beta& p, const Gamma& q);
Tensor kl(const Exponential& p, const Gamma& q);
Tensor kl(const InverseGamma& p, const Gamma& q);
Tensor kl(const LogNormal& p, const Gamma& q);
Tensor kl(const Uniform& p, const Gamma& q);

// To a Gumbel law, which needs the mean of x and of e^(-x / scale); and to a Laplace law.
Tensor kl(const Exponential& p, const Gumbel& q);
Tensor kl(const Gamma& p, const Gumbel& q);
Tensor kl(const Normal& p, const Gumbel& q);
Tensor kl(const Uniform& p, const Gumbel& q);
Tensor kl(const Normal& p, const Laplace& q);

Tensor kl(const Beta& p, const Uniform& q);
Tensor kl(const Uniform& p, const Beta& q);
Tensor kl(const Bernoulli& p, const Poisson& q);

}  // namespace likely
