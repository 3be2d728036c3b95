// The normal distribution of vectors.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/distributions/parameters.hpp"

namespace likely {

// location + scale z or location + L z for standard normal vectors z, along the last axis; leading axes are a
// batch and broadcast. Made by one of the functions below, which refuse a location that is not finite, scales
// and diagonals of L that are not finite and above 0, and sizes that do not fit.
class MultivariateNormal {
 public:
  Tensor location;  // (..., n)
  Tensor scale;     // (..., n) for independent elements, else empty
  Tensor cholesky;  // (..., n, n), of which the lower triangle L counts, else empty

  static MultivariateNormal diagonal(const Tensor& location, const Tensor& scale);
  static MultivariateNormal from_cholesky(const Tensor& location, const Tensor& factor);
  // Refuses matrices that are not symmetric or not positive definite.
  static MultivariateNormal from_covariance(const Tensor& location, const Tensor& covariance);
  // With L = raw's strict lower triangle and softplus of its diagonal; raw is (..., n, n).
  static MultivariateNormal from_unconstrained(const Tensor& location, const Tensor& raw);

  Shape batch_shape() const;
  Shape event_shape() const { return {location.shape().back()}; }

  Tensor log_prob(const Tensor& x) const;
  Tensor sample(Rng rng, const Shape& shape = {}) const;
  Tensor rsample(Rng rng, const Shape& shape = {}) const;
  Tensor mean() const;
  Tensor variance() const;    // of each element
  Tensor covariance() const;  // (..., n, n)
  Tensor entropy() const;
  // L as a matrix in both cases, and log det L.
  Tensor factor() const;
  Tensor log_det_factor() const;
  // L^-1 (x - location).
  Tensor standardize(const Tensor& x) const;

  LIKELY_PARTS(location, scale, cholesky)

 private:
  MultivariateNormal() = default;
};

}  // namespace likely
