#include "likely/optim/check_options.hpp"

#include <fmt/format.h>

#include <cmath>

#include "likely/core/error.hpp"

namespace likely::optim {

void detail::check_at_least_0(const char* optimizer, const char* option, double value) {
  if (!(value >= 0.0 && std::isfinite(value))) {
    refuse(optimizer, fmt::format("{} must be >= 0, got {}", option, value));
  }
}

void detail::check_above_0(const char* optimizer, const char* option, double value) {
  if (!(value > 0.0 && std::isfinite(value))) {
    refuse(optimizer, fmt::format("{} must be > 0, got {}", option, value));
  }
}

void detail::check_below_1(const char* optimizer, const char* option, double value) {
  if (!(value >= 0.0 && value < 1.0)) {
    refuse(optimizer, fmt::format("{} must be in [0, 1), got {}", option, value));
  }
}

}  // namespace likely::optim
