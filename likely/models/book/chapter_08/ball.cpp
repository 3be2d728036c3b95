#include "likely/models/book/chapter_08/ball.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "likely/core/error.hpp"

namespace likely::book {

namespace {

void check_dimensions(const char* caller, std::int64_t dimensions) {
  if (dimensions < 0) refuse(caller, fmt::format("dimensions must be at least 0, got {}", dimensions));
}

}  // namespace

double log_ball_volume(std::int64_t dimensions, double radius) {
  check_dimensions("ball_volume", dimensions);
  if (!(radius >= 0.0 && std::isfinite(radius)))
    refuse("ball_volume", fmt::format("radius must be finite and at least 0, got {}", radius));
  if (dimensions == 0) return 0.0;  // a point, whatever the radius
  const auto d = static_cast<double>(dimensions);
  return d * std::log(radius) + 0.5 * d * std::log(std::numbers::pi) - std::lgamma(0.5 * d + 1.0);
}

double ball_volume(std::int64_t dimensions, double radius) {
  return std::exp(log_ball_volume(dimensions, radius));
}

double shell_share(std::int64_t dimensions, double thickness) {
  check_dimensions("shell_share", dimensions);
  if (!(thickness >= 0.0 && thickness <= 1.0))
    refuse("shell_share", fmt::format("thickness must lie in [0, 1], got {}", thickness));
  if (dimensions == 0) return 0.0;
  return -std::expm1(static_cast<double>(dimensions) * std::log1p(-thickness));
}

}  // namespace likely::book
