#include "likely/prob/sampling/reparameterisations.hpp"

#include <fmt/format.h>

#include <numbers>

#include "likely/core/error.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/view.hpp"

namespace likely {

Tensor exponential_from_uniform(const Tensor& u) { return -log(u); }

// sin / cos of an angle from -pi/2 to pi/2.
Tensor cauchy_from_uniform(const Tensor& u) {
  const Tensor angle = (u - 0.5) * std::numbers::pi;
  return sin(angle) / cos(angle);
}

Tensor laplace_from_uniforms(const Tensor& u, const Tensor& v) { return log(u) - log(v); }

Tensor laplace_from_centred_uniform(const Tensor& e, const Tensor& location, const Tensor& scale) {
  return location - scale * (sign(e) * log1p(abs(e) * -2.0));
}

NormalPair normals_from_uniforms(const Tensor& u, const Tensor& v) {
  const Tensor radius = sqrt(log(u) * -2.0), angle = v * (2.0 * std::numbers::pi);
  return {radius * cos(angle), radius * sin(angle)};
}

Tensor gaussian_from_normal(const Tensor& e, const Tensor& mean, const Tensor& R) {
  if (R.rank() < 2 || e.rank() < 1 || R.shape().back() != e.shape().back()) {
    refuse("gaussian_from_normal",
           fmt::format("R must be a matrix with a column for each of e, got {} and {}", R.shape().string(),
                       e.shape().string()));
  }
  return mean + squeeze(matmul(R, unsqueeze(e, -1)), -1);
}

Tensor rademacher_from_bernoulli(const Tensor& b) { return b * 2.0 - 1.0; }

Tensor log_normal_from_normal(const Tensor& e, const Tensor& mean, const Tensor& deviation) {
  return exp(mean + deviation * e);
}

Tensor inverse_gamma_from_gamma(const Tensor& g) { return reciprocal(g); }

Tensor gumbel_from_uniform(const Tensor& u, const Tensor& location, const Tensor& scale) {
  return location - scale * log(-log(u));
}

}  // namespace likely
