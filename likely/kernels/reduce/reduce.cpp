#include "likely/kernels/reduce/reduce.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "likely/core/dispatch.hpp"
#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/kernels/reduce/kernels.hpp"

namespace likely::kernels {

namespace {

// A row is cut into tiles of at least so many elements, and only where the rows alone cannot feed the
// threads.
constexpr std::int64_t kTile = 32768;
constexpr std::int64_t kColumnTile = 131072;  // putting column totals together costs more
constexpr std::int64_t kMostTiles = 64;
constexpr std::int64_t kEnoughRows = 16;

struct Cut {
  std::int64_t tiles, length;
};

// `length` units of `weight` elements each, into tiles of about `tile` elements; a tile is a multiple of
// `unit`.
Cut cut(std::int64_t length, std::int64_t weight, std::int64_t parallel, std::int64_t tile,
        std::int64_t unit) {
  if (parallel >= kEnoughRows || length * weight <= 2 * tile) return {1, length};
  std::int64_t size = std::max((tile + weight - 1) / weight, (length + kMostTiles - 1) / kMostTiles);
  size = (size + unit - 1) / unit * unit;
  return {(length + size - 1) / size, size};
}

const std::byte* at(const void* x, std::int64_t elements, std::int64_t size) {
  return static_cast<const std::byte*>(x) + elements * size;
}

template <class T>
void reduce_rows(const ReduceKernel& kernel, const T* x, T* out, std::int64_t outer, std::int64_t reduced) {
  const Cut parts = cut(reduced, 1, outer, kTile, 64);
  const double work = kernel.nanoseconds * static_cast<double>(outer * reduced);
  if (parts.tiles == 1) {
    const std::int64_t together = std::max<std::int64_t>(1, kTile / std::max<std::int64_t>(1, reduced));
    parallel_tiles((outer + together - 1) / together, work, [&](std::int64_t tile) {
      const std::int64_t end = std::min(outer, (tile + 1) * together);
      for (std::int64_t row = tile * together; row < end; ++row) {
        out[row] = static_cast<T>(kernel.finish(kernel.row(x + row * reduced, reduced)));
      }
    });
    return;
  }
  std::vector<PartialResult> partial(static_cast<std::size_t>(outer * parts.tiles));
  parallel_tiles(outer * parts.tiles, work, [&](std::int64_t tile) {
    const std::int64_t begin = tile % parts.tiles * parts.length;
    const std::int64_t count = std::min(parts.length, reduced - begin);
    partial[tile] = kernel.row(x + tile / parts.tiles * reduced + begin, count);
  });
  for (std::int64_t row = 0; row < outer; ++row) {
    PartialResult total = partial[row * parts.tiles];
    for (std::int64_t i = 1; i < parts.tiles; ++i)
      total = kernel.combine(total, partial[row * parts.tiles + i]);
    out[row] = static_cast<T>(kernel.finish(total));
  }
}

// The width to which a narrow matrix is folded.
constexpr std::int64_t kFoldedColumns = 128;

struct Accumulators {
  alignas(64) double value[kColumns];
  alignas(64) double extra[kColumns];

  void clear(PartialResult identity, std::int64_t width) {
    std::fill_n(value, width, identity.value);
    std::fill_n(extra, width, identity.extra);
  }
};

// Several rows of a narrow matrix lie side by side as one row of `fold` times the width, whose columns are
// reduced first and then put together.
void reduce_columns(const ReduceKernel& kernel, DType type, const void* x, void* out, std::int64_t outer,
                    std::int64_t reduced, std::int64_t inner) {
  const std::int64_t size = static_cast<std::int64_t>(size_of(type));
  const std::int64_t fold =
      std::clamp<std::int64_t>(kFoldedColumns / inner, 1, std::max<std::int64_t>(reduced, 1));
  const std::int64_t wide = inner * fold;
  const std::int64_t chunks = (inner + kColumns - 1) / kColumns;
  const Cut parts = cut(reduced / fold, std::min(wide, kColumns), outer * chunks, kColumnTile, 32);
  const double work = kernel.nanoseconds * static_cast<double>(outer * reduced * inner);
  const std::int64_t tiles = outer * chunks * parts.tiles;

  const auto accumulate = [&](std::int64_t tile, Accumulators& totals) {
    const std::int64_t part = tile % parts.tiles;
    const std::int64_t column = tile / parts.tiles % chunks * kColumns;
    const std::int64_t row = tile / parts.tiles / chunks * reduced;
    const std::int64_t begin = part * parts.length;
    const std::int64_t count = std::min(parts.length, reduced / fold - begin);
    const std::int64_t width = std::min(kColumns, wide - column);
    totals.clear(kernel.identity, width);
    kernel.columns(at(x, (row + begin * fold) * inner + column, size), count, wide, width, totals.value,
                   totals.extra);
    const std::int64_t rest = reduced % fold;
    if (rest > 0 && part == parts.tiles - 1) {
      kernel.columns(at(x, (row + reduced - rest) * inner, size), 1, wide, rest * inner, totals.value,
                     totals.extra);
    }
  };
  const auto finish = [&](std::int64_t tile, Accumulators& totals) {
    const std::int64_t column = tile % chunks * kColumns;
    const std::int64_t width = std::min(kColumns, inner - column);
    auto* const to = static_cast<std::byte*>(out) + (tile / chunks * inner + column) * size;
    kernel.finish_columns(totals.value, totals.extra, fold, inner, width, to);
  };

  if (parts.tiles == 1) {
    parallel_tiles(tiles, work, [&](std::int64_t tile) {
      Accumulators totals;
      accumulate(tile, totals);
      finish(tile, totals);
    });
    return;
  }
  const auto partial = std::make_unique_for_overwrite<Accumulators[]>(static_cast<std::size_t>(tiles));
  parallel_tiles(tiles, work, [&](std::int64_t tile) { accumulate(tile, partial[tile]); });
  for (std::int64_t chunk = 0; chunk < outer * chunks; ++chunk) {
    Accumulators& totals = partial[chunk * parts.tiles];
    for (std::int64_t i = 1; i < parts.tiles; ++i) {
      const Accumulators& next = partial[chunk * parts.tiles + i];
      const std::int64_t width = std::min(kColumns, wide - chunk % chunks * kColumns);
      for (std::int64_t j = 0; j < width; ++j) {
        const PartialResult sum =
            kernel.combine({totals.value[j], totals.extra[j]}, {next.value[j], next.extra[j]});
        totals.value[j] = sum.value;
        totals.extra[j] = sum.extra;
      }
    }
    finish(chunk, totals);
  }
}

// So few numbers that choosing a kernel would cost more than adding them.
constexpr std::int64_t kFewNumbers = 64;

template <class T>
void add_few(const void* x, void* out, std::int64_t outer, std::int64_t reduced, std::int64_t inner) {
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(out);
  for (std::int64_t i = 0; i < outer; ++i, from += reduced * inner) {
    for (std::int64_t k = 0; k < inner; ++k) {
      double totals[4] = {};  // additions that need not wait for each other
      for (std::int64_t j = 0; j < reduced; ++j) totals[j % 4] += static_cast<double>(from[j * inner + k]);
      to[i * inner + k] = static_cast<T>((totals[0] + totals[1]) + (totals[2] + totals[3]));
    }
  }
}

}  // namespace

DType reduced_type(Reduce operation, DType type) {
  if (operation == Reduce::any || operation == Reduce::all) return DType::boolean;
  return operation == Reduce::count_nonzero ? DType::i64 : type;
}

void reduce(Reduce operation, DType type, const void* x, void* out, std::int64_t outer, std::int64_t reduced,
            std::int64_t inner) {
  if (outer == 0 || inner == 0) return;
  if (operation == Reduce::sum && is_floating(type) && outer * reduced * inner <= kFewNumbers) {
    return detail::with_floating("reduce", type,
                                 [&]<class T>(T) { add_few<T>(x, out, outer, reduced, inner); });
  }
  const ReduceKernel* kernel = reduce_kernel(operation, type);
  if (kernel == nullptr) return reduce_integer(operation, type, x, out, outer, reduced, inner);
  if (inner == 1) {
    return detail::with_floating("reduce", type, [&]<class T>(T) {
      reduce_rows(*kernel, static_cast<const T*>(x), static_cast<T*>(out), outer, reduced);
    });
  }
  reduce_columns(*kernel, type, x, out, outer, reduced, inner);
}

}  // namespace likely::kernels
