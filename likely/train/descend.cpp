#include "likely/train/descend.hpp"

#include <fmt/format.h>

namespace likely::train::detail {

void check_clip_norm(const char* caller, double clip_norm) {
  if (!(clip_norm >= 0.0)) refuse(caller, fmt::format("clip_norm must be at least 0, got {}", clip_norm));
}

}  // namespace likely::train::detail
