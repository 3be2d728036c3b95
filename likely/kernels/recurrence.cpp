#include "likely/kernels/recurrence.hpp"

#include <algorithm>

#include "likely/core/dispatch.hpp"
#include "likely/core/threads.hpp"

namespace likely::kernels {

namespace {

// Columns carried side by side, and columns or rows that a thread takes at a time.
constexpr std::int64_t kColumns = 64;
constexpr std::int64_t kTileElements = 16384;
constexpr double kNanosecondsPerElement = 1.5;

// `count` neighbouring columns of a (length, inner) matrix, from the first row or from the last.
template <class T>
void run_columns(const T* a, const T* b, T* out, std::int64_t length, std::int64_t inner, std::int64_t count,
                 bool reversed) {
  double carry[kColumns] = {};
  for (std::int64_t i = 0; i < length; ++i) {
    const std::int64_t row = (reversed ? length - 1 - i : i) * inner;
    for (std::int64_t j = 0; j < count; ++j) {
      carry[j] = static_cast<double>(a[row + j]) * carry[j] + static_cast<double>(b[row + j]);
      out[row + j] = static_cast<T>(carry[j]);
    }
  }
}

template <class T>
void run(const T* a, const T* b, T* out, std::int64_t outer, std::int64_t length, std::int64_t inner,
         bool reversed) {
  const std::int64_t blocks = (inner + kColumns - 1) / kColumns;
  const std::int64_t cells = outer * blocks;
  const std::int64_t together = std::max<std::int64_t>(
      1, kTileElements / std::max<std::int64_t>(1, length * std::min(inner, kColumns)));
  const double work = kNanosecondsPerElement * static_cast<double>(outer * length * inner);
  parallel_tiles((cells + together - 1) / together, work, [&](std::int64_t tile) {
    const std::int64_t end = std::min(cells, (tile + 1) * together);
    for (std::int64_t cell = tile * together; cell < end; ++cell) {
      const std::int64_t column = cell % blocks * kColumns;
      const std::int64_t place = cell / blocks * length * inner + column;
      run_columns(a + place, b + place, out + place, length, inner, std::min(kColumns, inner - column),
                  reversed);
    }
  });
}

}  // namespace

void linear_recurrence(DType type, const void* a, const void* b, void* out, std::int64_t outer,
                       std::int64_t length, std::int64_t inner, bool reversed) {
  if (outer == 0 || length == 0 || inner == 0) return;
  detail::with_floating("linear_recurrence", type, [&]<class T>(T) {
    run(static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(out), outer, length, inner,
        reversed);
  });
}

}  // namespace likely::kernels
