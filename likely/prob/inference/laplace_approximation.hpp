// The Laplace approximation: a posterior as a normal law around its peak.
//
//   Net mode = ...;                                       // where log_joint is largest
//   const auto known = laplace_approximation(mode, [&](const Net& m) {
//     return sum(m.law(x).log_prob(y)) + nn::log_prior(m, Normal(0.0, 1.0));
//   });
//   known.log_evidence;                                   // log of the integral of exp(log_joint)
//   for (...) known.sample(rng.split())(x);               // models as the posterior has them
#pragma once

#include <utility>

#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/multivariate_normal.hpp"
#include "likely/tree/flat.hpp"

namespace likely {

template <Tree Model>
struct LaplaceApproximation {
  Model mode;
  MultivariateNormal posterior;  // f64, of the numbers of flatten_parts(mode)
  double log_evidence;           // log_joint(mode) + n/2 log 2 pi - 1/2 log det(-H)

  Model sample(Rng rng) const {
    return unflatten_parts(mode, posterior.sample(rng).to(flatten_parts(mode).dtype()));
  }
};

namespace detail {

struct PeakOfDensity {
  MultivariateNormal law;
  double log_volume;  // of exp(log_joint - log_joint(mode))
};
// From the gradient and the second derivatives of the log-density. Refuses a gradient that is far from 0 as
// the curvature has it, and a curvature that is not that of a peak.
PeakOfDensity peak_of_density(const Tensor& mode, const Tensor& gradient, const Tensor& hessian);

}  // namespace detail

// exp(log_joint) around `mode` as a normal law with the same peak and the same curvature there. It is exact
// where log_joint is quadratic. One sweep a parameter: for models of some thousand. Refuses a place from
// which the peak is more than a tenth of a standard deviation away, and one that is no peak.
template <Tree Model, class Function>
LaplaceApproximation<Model> laplace_approximation(const Model& mode, Function&& log_joint) {
  const auto at = value_and_grad(std::as_const(mode), log_joint);
  detail::PeakOfDensity peak = detail::peak_of_density(flatten_parts(mode), flatten_parts(at.gradient),
                                                       detail::flat_hessian(mode, log_joint));
  return {mode, std::move(peak.law), at.value.item() + peak.log_volume};
}

}  // namespace likely
