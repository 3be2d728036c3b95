// MNIST-1D: ten curves to tell apart, made by the published recipe (Greydanus and Kobak 2024).
#pragma once

#include <cstdint>

#include "likely/data/dataset.hpp"

namespace likely::data {

// The published values. Refused: no samples, fractions outside [0, 1], negative noise, lengths below 2.
struct Mnist1dOptions {
  std::int64_t samples = 5000;  // as many of each class as fit
  double train = 0.8;           // the fraction that goes into the training part
  std::int64_t least_padding = 36;
  std::int64_t most_padding = 60;
  double scale = 0.4;  // a curve is made larger or smaller by up to half of this
  std::int64_t translation = 48;
  double correlated_noise = 0.25;  // beside the curve, smoothed by
  double filter = 2.0;             // a Gaussian of this standard deviation
  double iid_noise = 0.02;
  double shear = 0.75;
  std::int64_t length = 40;  // of the finished curves
};

struct Mnist1d {
  Dataset train, test;  // x (rows, length) f32 with mean 0 and variance 1 over both parts, y the digit
};

// A template is padded with zeros by chance and stretched to one length, scaled, rotated in a circle; what is
// zero becomes smooth noise; noise is added, a slope is taken off; the curve is sampled at `length` places.
Mnist1d mnist1d(Rng rng, const Mnist1dOptions& options = {});

// The ten curves before all that, (10, 12) f64.
Tensor mnist1d_templates();

}  // namespace likely::data
