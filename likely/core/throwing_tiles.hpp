// parallel_tiles for work that may be refused.
#pragma once

#include <cstdint>
#include <exception>
#include <vector>

#include "likely/core/threads.hpp"

namespace likely {

// As parallel_tiles, but the body may throw: when all tiles are done, what the first of them threw is thrown
// again.
template <class Body>
void throwing_tiles(std::int64_t tiles, double nanoseconds, const Body& body) {
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(tiles < 0 ? 0 : tiles));
  parallel_tiles(tiles, nanoseconds, [&](std::int64_t tile) {
    try {
      body(tile);
    } catch (...) {
      errors[static_cast<std::size_t>(tile)] = std::current_exception();
    }
  });
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace likely
