// Work on many independent planes, cut into tiles. Internal to likely.
#pragma once

#include <algorithm>
#include <cstdint>

#include "likely/core/threads.hpp"

namespace likely::kernels {

// Calls body(plane) for each plane; `elements` and `nanoseconds_each` say how much work a plane is. Planes
// are independent, so any cut gives the same bits; a tile is some thousands of elements.
template <class Body>
void for_each_plane(std::int64_t planes, std::int64_t elements, double nanoseconds_each, const Body& body) {
  const std::int64_t each = std::max<std::int64_t>(1, 8192 / std::max<std::int64_t>(1, elements));
  const std::int64_t tiles = (planes + each - 1) / each;
  const double nanoseconds = nanoseconds_each * static_cast<double>(planes) * static_cast<double>(elements);
  parallel_tiles(tiles, nanoseconds, [&](std::int64_t tile) {
    const std::int64_t end = std::min(planes, (tile + 1) * each);
    for (std::int64_t plane = tile * each; plane < end; ++plane) body(plane);
  });
}

}  // namespace likely::kernels
