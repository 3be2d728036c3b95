#include "likely/prob/divergences/monte_carlo.hpp"

#include <fmt/format.h>

namespace likely::detail {

void check_samples(const char* name, std::int64_t samples) {
  if (samples < 1) refuse(name, fmt::format("at least one sample is needed, got {}", samples));
}

}  // namespace likely::detail
