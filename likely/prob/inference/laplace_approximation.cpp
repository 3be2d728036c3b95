#include "likely/prob/inference/laplace_approximation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <utility>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/decompose.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/solve.hpp"
#include "likely/ops/view.hpp"

namespace likely::detail {

namespace {

constexpr const char* kName = "laplace_approximation";

// The lower triangle L with L L^T = -H. What makes H unsymmetric is rounding.
Tensor factor_of_precision(const Tensor& hessian) {
  const Tensor h = hessian.to(DType::f64);
  try {
    return cholesky(-0.5 * (h + transpose(h)));
  } catch (const Error& error) {
    if (error.fault() == Fault::memory) throw;
    refuse(kName,
           "the log-density has no peak at the mode: its second derivatives are not negative definite");
  }
}

}  // namespace

PeakOfDensity peak_of_density(const Tensor& mode, const Tensor& gradient, const Tensor& hessian) {
  if (!std::isfinite(sum(gradient.to(DType::f64)).item() + sum(hessian.to(DType::f64)).item()))
    refuse(kName, "the derivatives of the log-density are not finite at the mode");
  const Tensor factor = factor_of_precision(hessian);
  // The way to the peak in standard deviations, if the density were normal: |L^-1 g|.
  const Tensor slope = reshape(gradient.to(DType::f64), {gradient.size(), 1});
  const double away = std::sqrt(sum(square(triangular_solve(factor, slope))).item());
  if (!(away <= 0.1)) {
    refuse(kName,
           fmt::format("the mode is {:.3g} standard deviations from a peak of the log-density: maximise "
                       "it first",
                       away));
  }
  const auto n = static_cast<double>(mode.size());
  const Tensor covariance = solve(matmul(factor, transpose(factor)), eye(mode.size(), DType::f64));
  MultivariateNormal law =
      MultivariateNormal::from_covariance(mode.to(DType::f64), 0.5 * (covariance + transpose(covariance)));
  const double log_volume = 0.5 * n * std::log(2.0 * std::numbers::pi) + law.log_det_factor().item();
  return {.law = std::move(law), .log_volume = log_volume};
}

}  // namespace likely::detail
