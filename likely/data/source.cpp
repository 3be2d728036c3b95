#include "likely/data/source.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "likely/core/threads.hpp"

namespace likely::data {

namespace {

// About what a core moves from memory that is in no cache.
constexpr double kNanosecondsPerByte = 0.15;
constexpr double kNanosecondsPerRow = 20.0;
constexpr std::int64_t kTileBytes = std::int64_t{1} << 15;

// Rows as short as a label are moved as one word: calling memcpy for each would cost more than the move.
template <class Word>
void copy_words(const char* from, char* to, std::span<const std::int64_t> which) {
  for (std::size_t i = 0; i < which.size(); ++i) {
    std::memcpy(to + i * sizeof(Word), from + static_cast<std::size_t>(which[i]) * sizeof(Word),
                sizeof(Word));
  }
}

void copy_rows(std::size_t bytes, const char* from, char* to, std::span<const std::int64_t> which) {
  switch (bytes) {
    case 1: copy_words<char>(from, to, which); return;
    case 4: copy_words<std::uint32_t>(from, to, which); return;
    case 8: copy_words<std::uint64_t>(from, to, which); return;
    default:
      for (std::size_t i = 0; i < which.size(); ++i) {
        std::memcpy(to + i * bytes, from + static_cast<std::size_t>(which[i]) * bytes, bytes);
      }
  }
}

}  // namespace

Source::~Source() = default;

Batch Source::range(std::int64_t first, std::int64_t count) const {
  std::vector<std::int64_t> which(static_cast<std::size_t>(count));
  std::iota(which.begin(), which.end(), first);
  return rows(which);
}

bool are_consecutive(std::span<const std::int64_t> which) {
  for (std::size_t i = 1; i < which.size(); ++i) {
    if (which[i] != which[i - 1] + 1) return false;
  }
  return !which.empty();
}

Tensor gather_rows(const Tensor& x, std::span<const std::int64_t> which) {
  const auto count = static_cast<std::int64_t>(which.size());
  Shape shape = x.shape();
  shape[0] = count;
  Tensor result = Tensor::uninitialized(shape, x.dtype());
  if (result.size() == 0) return result;

  const auto bytes = static_cast<std::size_t>(result.size() / count) * size_of(x.dtype());
  const auto* from = static_cast<const char*>(x.raw());
  auto* to = static_cast<char*>(result.mutable_raw());
  const std::int64_t rows_per_tile = std::max<std::int64_t>(1, kTileBytes / static_cast<std::int64_t>(bytes));
  const double cost =
      static_cast<double>(count) * (kNanosecondsPerRow + kNanosecondsPerByte * static_cast<double>(bytes));
  parallel_tiles((count + rows_per_tile - 1) / rows_per_tile, cost, [&](std::int64_t tile) {
    const std::int64_t begin = tile * rows_per_tile;
    const std::int64_t end = std::min(count, begin + rows_per_tile);
    copy_rows(bytes, from, to + static_cast<std::size_t>(begin) * bytes,
              which.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
  });
  return result;
}

}  // namespace likely::data
