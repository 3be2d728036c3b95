// The one-dimensional problems of chapters 2, 3, 5 and 6: a known function and noise. x and y are (rows, 1)
// f32, x drawn evenly from an interval, in the order drawn.
#pragma once

#include <array>
#include <cstdint>

#include "likely/data/dataset.hpp"

namespace likely::data {

// y = phi0 + phi1 x + noise (2.4). The defaults are near the least-squares line of the book's twelve points.
struct LineOptions {
  double phi0 = 0.83;
  double phi1 = 0.52;
  double noise = 0.14;
  double low = 0.0;
  double high = 2.0;
};
Dataset line_data(std::int64_t rows, Rng rng, const LineOptions& options = {});

// A shallow network of three hidden units (3.1): f[x] = phi_0 + sum_d phi_d ReLU[theta_d0 + theta_d1 x]. On
// [0, 1] it has a joint at 0.3, at 0.556 and at 0.769.
struct PiecewiseFunction {
  std::array<double, 3> theta0{0.3, -1.0, -0.5};
  std::array<double, 3> theta1{-1.0, 1.8, 0.65};
  double phi0 = 0.1;
  std::array<double, 3> phi{-2.0, -1.0, 7.0};

  double operator()(double x) const;
};

struct PiecewiseOptions {
  PiecewiseFunction f{};
  double noise = 0.1;
  double low = 0.0;
  double high = 1.0;
};
// y = f[x] + noise.
Dataset piecewise_data(std::int64_t rows, Rng rng, const PiecewiseOptions& options = {});

// Noise whose size depends on x (5.14): y = f[x] + (noise + noise_slope x) Normal(0, 1). Refuses an interval
// on which that is negative.
struct HeteroscedasticOptions {
  PiecewiseFunction f{};
  double noise = 0.03;
  double noise_slope = 0.25;
  double low = 0.0;
  double high = 1.0;
};
Dataset heteroscedastic_data(std::int64_t rows, Rng rng, const HeteroscedasticOptions& options = {});

// Two classes (5.19): y is 1 with probability sig[f[x]], else 0, i64 of shape (rows,).
struct BinaryOptions {
  PiecewiseFunction f{.phi0 = 2.6, .phi = {-24.0, -8.0, 50.0}};
  double low = 0.0;
  double high = 1.0;
};
Dataset binary_data(std::int64_t rows, Rng rng, const BinaryOptions& options = {});

// The Gabor model (6.8): y = sin[u] exp(-u^2 / 32) + noise with u = phi0 + 0.06 phi1 x.
struct GaborOptions {
  double phi0 = 0.0;
  double phi1 = 16.6;
  double noise = 0.1;
  double low = -15.0;
  double high = 15.0;
};
Dataset gabor_data(std::int64_t rows, Rng rng, const GaborOptions& options = {});

}  // namespace likely::data
