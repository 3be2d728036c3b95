#include "likely/ops/rng_draws.hpp"

#include <fmt/format.h>

namespace likely::detail {

void refuse_parameter(const char* name, const char* what, double value, const Shape& place) {
  refuse(name, fmt::format("{}, got {} at {}", what, value, place.string()));
}

}  // namespace likely::detail
