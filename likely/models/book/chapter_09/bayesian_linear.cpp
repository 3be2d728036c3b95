#include "likely/models/book/chapter_09/bayesian_linear.hpp"

#include <fmt/format.h>

#include <cmath>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/solve.hpp"
#include "likely/ops/view.hpp"

namespace likely::book {

namespace {

constexpr const char* kName = "bayesian_linear";

void check_deviation(const char* what, double value) {
  if (!(value > 0.0 && std::isfinite(value)))
    refuse(kName, fmt::format("{} must be finite and above 0, got {}", what, value));
}

}  // namespace

BayesianLinear bayesian_linear(const Tensor& x, const Tensor& y, const BayesianLinearOptions& options) {
  check_deviation("noise", options.noise);
  check_deviation("prior", options.prior);
  if (x.rank() != 2 || y.rank() != 1 || x.dim(0) != y.dim(0)) {
    refuse(kName, "x must be (examples, features) and y (examples,), got " + x.shape().string() + " and " +
                      y.shape().string());
  }
  const double noise_precision = 1.0 / (options.noise * options.noise);
  const Tensor precision =
      noise_precision * matmul(transpose(x), x) + eye(x.dim(1), x.dtype()) / (options.prior * options.prior);
  const Tensor covariance = inverse(precision);
  const Tensor centre = solve(precision, noise_precision * matmul(transpose(x), y));
  // Rounding leaves the inverse not quite symmetric.
  const auto posterior =
      MultivariateNormal::from_covariance(centre, 0.5 * (covariance + transpose(covariance)));
  // Pr(y) = Pr(y | phi) Pr(phi) / Pr(phi | y) for any phi.
  const Tensor log_likelihood = sum(Normal(matmul(x, centre), options.noise).log_prob(y));
  const Tensor log_prior = sum(Normal(zeros_like(centre), options.prior).log_prob(centre));
  return {posterior, (log_likelihood + log_prior - posterior.log_prob(centre)).item(), options.noise};
}

Normal BayesianLinear::predict(const Tensor& x) const {
  const Tensor variance = sum(matmul(x, posterior.covariance()) * x, -1) + noise * noise;
  return {matmul(x, posterior.location), sqrt(variance)};
}

}  // namespace likely::book
