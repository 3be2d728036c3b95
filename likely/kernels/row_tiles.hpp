// How the rows of a matrix are cut into tiles, and how a tile reports a bad row. Internal to likely.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "likely/core/threads.hpp"

namespace likely::kernels {

// Calls body(first, last) for consecutive ranges of rows, each about 16384 elements.
template <class Body>
void for_row_tiles(std::int64_t rows, std::int64_t cols, double nanoseconds_each, const Body& body) {
  const std::int64_t each = std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(cols, 1));
  const std::int64_t tiles = (rows + each - 1) / each;
  const double work = nanoseconds_each * static_cast<double>(rows) * static_cast<double>(cols);
  parallel_tiles(tiles, work,
                 [&](std::int64_t tile) { body(tile * each, std::min(rows, (tile + 1) * each)); });
}

// Outputs of this size are written around the caches: what follows finds nothing of them there in any case.
template <class T>
bool too_large_for_caches(std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t kLargeBytes = 8 << 20;
  return rows * cols >= kLargeBytes / static_cast<std::int64_t>(sizeof(T));
}

// The smallest row that any tile reported, or -1. Tiles may report in any order.
class FirstBadRow {
 public:
  void report(std::int64_t row) {
    if (row < 0) return;
    std::int64_t seen = first_.load(std::memory_order_relaxed);
    while ((seen < 0 || row < seen) && !first_.compare_exchange_weak(seen, row)) {
    }
  }
  std::int64_t get() const { return first_.load(); }

 private:
  std::atomic<std::int64_t> first_{-1};
};

}  // namespace likely::kernels
