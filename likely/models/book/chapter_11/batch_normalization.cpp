#include "likely/models/book/chapter_11/batch_normalization.hpp"

#include <fmt/format.h>

#include <cmath>

#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::book {

namespace {

void check_batch(const char* caller, const char* name, const Tensor& z, double epsilon) {
  if (z.rank() != 2 || z.dim(0) < 1)
    refuse(caller, fmt::format("{} must be (batch, channels), got shape {}", name, z.shape().string()));
  if (!(epsilon >= 0.0 && std::isfinite(epsilon)))
    refuse(caller, fmt::format("epsilon must be finite and at least 0, got {}", epsilon));
}

}  // namespace

Tensor standardized_as_printed(const Tensor& h, double epsilon) {
  check_batch("standardized_as_printed", "h", h, epsilon);
  const Tensor centred = h - mean(h, 0);
  return centred / (sqrt(mean(square(centred), 0)) + epsilon);
}

BatchNormSteps batch_norm_steps(const Tensor& z, const Tensor& gamma, const Tensor& delta, double epsilon) {
  constexpr const char* kName = "batch_norm_steps";
  check_batch(kName, "z", z, epsilon);
  for (const Tensor& each : {gamma, delta}) {
    if (!(each.shape() == Shape{z.dim(1)})) {
      refuse(kName, "gamma and delta must have shape " + Shape{z.dim(1)}.string() + ", got " +
                        each.shape().string());
    }
  }
  BatchNormSteps at;
  at.f1 = mean(z, 0);
  at.f2 = z - at.f1;
  at.f3 = square(at.f2);
  at.f4 = mean(at.f3, 0);
  at.f5 = sqrt(at.f4 + epsilon);
  at.f6 = reciprocal(at.f5);
  at.f7 = at.f2 * at.f6;
  at.y = at.f7 * gamma + delta;
  return at;
}

BatchNormSlopes batch_norm_slopes(const BatchNormSteps& steps, const Tensor& gamma, const Tensor& d_y) {
  if (!(d_y.shape() == steps.y.shape())) {
    refuse("batch_norm_slopes",
           "d_y has shape " + d_y.shape().string() + ", y has " + steps.y.shape().string());
  }
  const auto n = static_cast<double>(steps.y.dim(0));
  BatchNormSlopes slope;
  slope.delta = sum(d_y, 0);
  slope.gamma = sum(d_y * steps.f7, 0);
  slope.f7 = d_y * gamma;
  slope.f6 = sum(slope.f7 * steps.f2, 0);
  slope.f5 = -slope.f6 * square(steps.f6);
  slope.f4 = 0.5 * slope.f5 * steps.f6;
  slope.f3 = expand(slope.f4 / n, d_y.shape());
  // f2 is used twice: for the squares, and for the result.
  slope.f2 = slope.f7 * steps.f6 + 2.0 * steps.f2 * slope.f3;
  slope.f1 = -sum(slope.f2, 0);
  slope.z = slope.f2 + slope.f1 / n;
  return slope;
}

}  // namespace likely::book
