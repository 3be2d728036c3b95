#include "likely/prob/distributions/multivariate_normal.hpp"

#include <fmt/format.h>

#include "likely/core/create.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/decompose.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/triangle.hpp"
#include "likely/prob/distributions/support.hpp"

namespace likely {

namespace {

constexpr const char* kName = "MultivariateNormal";

void check_location(const Tensor& location) {
  if (location.rank() == 0 || location.shape().back() == 0) {
    refuse(kName, "location must hold a vector along the last axis, got shape " + location.shape().string());
  }
  detail::check_domain(kName, "location", location, detail::Domain::finite);
}

DType common(const Tensor& a, const Tensor& b) {
  const DType both = promote(a.dtype(), b.dtype());
  return is_floating(both) ? both : DType::f32;
}

void check_square(const char* what, const Tensor& location, const Tensor& matrix) {
  const std::int64_t n = location.shape().back();
  if (matrix.rank() < 2 || matrix.dim(-1) != n || matrix.dim(-2) != n) {
    refuse(kName, fmt::format("{} must be (..., {}, {}) for a location {}, got {}", what, n, n,
                              location.shape().string(), matrix.shape().string()));
  }
}

// A diagonal as a matrix.
Tensor matrix_of(const Tensor& diagonal) {
  return unsqueeze(diagonal, -1) * eye(diagonal.shape().back(), diagonal.dtype());
}

}  // namespace

MultivariateNormal MultivariateNormal::diagonal(const Tensor& location, const Tensor& scale) {
  check_location(location);
  detail::check_domain(kName, "scale", scale, detail::Domain::positive);
  const DType dtype = common(location, scale);
  MultivariateNormal result;
  const Shape shape = broadcast_shapes(kName, location.shape(), scale.shape());
  result.location = expand(cast(location, dtype), shape);
  result.scale = expand(cast(scale, dtype), shape);
  return result;
}

MultivariateNormal MultivariateNormal::from_cholesky(const Tensor& location, const Tensor& factor) {
  check_location(location);
  check_square("the factor", location, factor);
  detail::check_domain(kName, "the factor", tril(factor), detail::Domain::finite);
  detail::check_domain(kName, "the diagonal of the factor", likely::diagonal(factor),
                       detail::Domain::positive);
  broadcast_shapes(kName, location.shape().sub(0, location.rank() - 1),
                   factor.shape().sub(0, factor.rank() - 2));
  const DType dtype = common(location, factor);
  MultivariateNormal result;
  result.location = cast(location, dtype);
  result.cholesky = cast(factor, dtype);
  return result;
}

MultivariateNormal MultivariateNormal::from_covariance(const Tensor& location, const Tensor& covariance) {
  check_location(location);
  check_square("the covariance", location, covariance);
  return from_cholesky(location, likely::cholesky(cast(covariance, common(location, covariance))));
}

MultivariateNormal MultivariateNormal::from_unconstrained(const Tensor& location, const Tensor& raw) {
  check_location(location);
  check_square("raw", location, raw);
  return from_cholesky(location, tril(raw, -1) + matrix_of(detail::positive_from(likely::diagonal(raw))));
}

Shape MultivariateNormal::batch_shape() const {
  const Shape own = location.shape().sub(0, location.rank() - 1);
  if (!cholesky.defined()) return own;
  return broadcast_shapes(kName, own, cholesky.shape().sub(0, cholesky.rank() - 2));
}

Tensor MultivariateNormal::factor() const { return cholesky.defined() ? tril(cholesky) : matrix_of(scale); }

Tensor MultivariateNormal::log_det_factor() const {
  return sum(log(cholesky.defined() ? likely::diagonal(cholesky) : scale), -1);
}

Tensor MultivariateNormal::standardize(const Tensor& x) const {
  const Tensor d = detail::floating(x, location) - location;
  if (!cholesky.defined()) return d / scale;
  const Tensor factor = cast(cholesky, d.dtype());
  if (cholesky.rank() == 2) {
    // All vectors are columns of one system.
    const std::int64_t n = d.shape().back();
    return reshape(transpose(triangular_solve(factor, transpose(reshape(d, {d.size() / n, n})))), d.shape());
  }
  const Shape batch =
      broadcast_shapes(kName, d.shape().sub(0, d.rank() - 1), factor.shape().sub(0, factor.rank() - 2));
  const Tensor column = expand(d, joined(batch, event_shape()));
  return squeeze(triangular_solve(factor, unsqueeze(column, -1)), -1);
}

Tensor MultivariateNormal::log_prob(const Tensor& x) const {
  const double half = 0.5 * static_cast<double>(location.shape().back()) * detail::kLogTwoPi;
  return sum(square(standardize(x)), -1) * -0.5 - (log_det_factor() + half);
}

Tensor MultivariateNormal::rsample(Rng rng, const Shape& shape) const {
  const Shape full = joined(joined(shape, batch_shape()), event_shape());
  const Tensor z = rng.normal(full, 0.0, 1.0, location.dtype());
  if (!cholesky.defined()) return z * scale + location;
  return squeeze(matmul(factor(), unsqueeze(z, -1)), -1) + location;
}

Tensor MultivariateNormal::sample(Rng rng, const Shape& shape) const {
  return stop_gradient(rsample(rng, shape));
}

Tensor MultivariateNormal::mean() const { return expand(location, joined(batch_shape(), event_shape())); }

Tensor MultivariateNormal::variance() const {
  const Tensor v = cholesky.defined() ? sum(square(tril(cholesky)), -1) : square(scale);
  return expand(v, joined(batch_shape(), event_shape()));
}

Tensor MultivariateNormal::covariance() const {
  if (!cholesky.defined()) return matrix_of(square(scale));
  const Tensor lower = factor();
  return matmul(lower, transpose(lower));
}

Tensor MultivariateNormal::entropy() const {
  const double half = 0.5 * static_cast<double>(location.shape().back()) * (detail::kLogTwoPi + 1.0);
  return expand(log_det_factor() + half, batch_shape());
}

}  // namespace likely
