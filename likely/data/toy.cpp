#include "likely/data/toy.hpp"

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"

namespace likely::data {

namespace {

struct Point {
  double x, y;
};

void check_rows(const char* operation, std::int64_t rows, std::int64_t classes) {
  if (classes >= 1 && rows >= classes) return;
  refuse(operation, "a row for each class is needed, got " + std::to_string(rows) + " rows and " +
                        std::to_string(classes) + " classes");
}

void check_noise(const char* operation, double noise) {
  if (!(noise >= 0.0)) refuse(operation, "the noise must not be negative, got " + std::to_string(noise));
}

// Row i is of class i mod classes and the (i / classes)-th of its class.
Dataset shuffled(const Tensor& x, std::int64_t classes, double noise, Rng rng) {
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < x.dim(0); ++i) labels.push_back(i % classes);
  const Tensor noisy = x + rng.normal(x.shape(), 0.0, noise, DType::f64);
  const Batch mixed = Dataset(noisy.to(DType::f32), tensor(labels)).shuffle(rng.split()).all();
  return {mixed.x, mixed.y};
}

// place(class, t) for t evenly from 0 to 1 within each class.
template <class Place>
Dataset planar(const char* operation, std::int64_t rows, std::int64_t classes, double noise, Rng rng,
               const Place& place) {
  check_rows(operation, rows, classes);
  check_noise(operation, noise);
  std::vector<double> x;
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::int64_t label = i % classes;
    const std::int64_t count = (rows - label + classes - 1) / classes;  // of this class
    const auto last = static_cast<double>(count > 1 ? count - 1 : 1);
    const std::int64_t number = i / classes;  // within its class
    const Point point = place(label, static_cast<double>(number) / last, count);
    x.push_back(point.x);
    x.push_back(point.y);
  }
  return shuffled(tensor(x, {rows, 2}), classes, noise, rng);
}

}  // namespace

Dataset moons(std::int64_t rows, Rng rng, const MoonsOptions& options) {
  return planar("moons", rows, 2, options.noise, rng, [](std::int64_t label, double t, std::int64_t) {
    const double angle = std::numbers::pi * t;
    return label == 0 ? Point{std::cos(angle), std::sin(angle)}
                      : Point{1.0 - std::cos(angle), 0.5 - std::sin(angle)};
  });
}

Dataset circles(std::int64_t rows, Rng rng, const CirclesOptions& options) {
  if (!(options.factor > 0.0 && options.factor < 1.0)) {
    refuse("circles", "the factor must be between 0 and 1, got " + std::to_string(options.factor));
  }
  return planar(
      "circles", rows, 2, options.noise, rng, [&](std::int64_t label, double t, std::int64_t count) {
        // The last point must not meet the first.
        const double angle =
            2.0 * std::numbers::pi * t * static_cast<double>(count - 1) / static_cast<double>(count);
        const double radius = label == 0 ? 1.0 : options.factor;
        return Point{radius * std::cos(angle), radius * std::sin(angle)};
      });
}

Dataset spirals(std::int64_t rows, Rng rng, const SpiralsOptions& options) {
  return planar("spirals", rows, options.classes, options.noise, rng,
                [&](std::int64_t label, double t, std::int64_t) {
                  const double start = static_cast<double>(label) / static_cast<double>(options.classes);
                  const double angle = 2.0 * std::numbers::pi * (options.turns * t + start);
                  return Point{t * std::cos(angle), t * std::sin(angle)};
                });
}

Dataset gaussian_mixture(std::int64_t rows, const Tensor& means, double stddev, Rng rng) {
  if (means.rank() != 2) {
    refuse("gaussian_mixture", "means of shape (classes, width) are needed, got " + means.shape().string());
  }
  check_rows("gaussian_mixture", rows, means.dim(0));
  check_noise("gaussian_mixture", stddev);
  std::vector<std::int64_t> which;
  for (std::int64_t i = 0; i < rows; ++i) which.push_back(i % means.dim(0));
  return shuffled(gather_rows(means.to(DType::f64).contiguous(), which), means.dim(0), stddev, rng);
}

}  // namespace likely::data
