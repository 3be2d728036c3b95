// Small two-dimensional problems with known shapes, and mixtures of Gaussians. x is (rows, 2) f32 unless said
// otherwise, y the class; classes are as equal in number as can be, rows in random order.
#pragma once

#include <cstdint>

#include "likely/data/dataset.hpp"

namespace likely::data {

struct MoonsOptions {
  double noise = 0.1;  // standard deviation, added to both coordinates
};
// Two half circles: (cos t, sin t) and (1 - cos t, 1/2 - sin t), t evenly from 0 to pi.
Dataset moons(std::int64_t rows, Rng rng, const MoonsOptions& options = {});

struct CirclesOptions {
  double noise = 0.05;
  double factor = 0.5;  // the radius of the inner circle, which is class 1; the outer has radius 1
};
// Two circles with one centre. Refuses a factor outside (0, 1).
Dataset circles(std::int64_t rows, Rng rng, const CirclesOptions& options = {});

struct SpiralsOptions {
  double noise = 0.02;
  std::int64_t classes = 2;
  double turns = 1.5;
};
// Arms that wind around the origin: radius r from 0 to 1, angle 2 pi (turns r + class / classes).
Dataset spirals(std::int64_t rows, Rng rng, const SpiralsOptions& options = {});

// Normal clouds around the rows of `means`, (classes, width): x is (rows, width). Refuses stddev < 0.
Dataset gaussian_mixture(std::int64_t rows, const Tensor& means, double stddev, Rng rng);

}  // namespace likely::data
