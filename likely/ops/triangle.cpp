#include "likely/ops/triangle.hpp"

#include <algorithm>
#include <cstring>

#include "likely/autodiff/tape.hpp"
#include "likely/core/threads.hpp"

namespace likely {

namespace {

// Each matrix with the columns [from, to) of each row kept, which move right by one from row to row.
Tensor keep_band(const Tensor& x, std::int64_t diagonal, bool lower) {
  Tensor y = x.copy();
  if (y.size() == 0) return y;
  const std::int64_t columns = x.shape().back();
  const std::int64_t rows = x.shape()[x.rank() - 2];
  diagonal = std::clamp(diagonal, -rows, columns);  // further out nothing changes, and no sum overflows
  const auto element = static_cast<std::int64_t>(size_of(x.dtype()));
  char* const data = static_cast<char*>(y.mutable_raw());
  constexpr double kNanosecondsPerElement = 0.1;
  parallel_tiles(y.size() / (rows * columns), kNanosecondsPerElement * static_cast<double>(y.size()),
                 [&](std::int64_t matrix) {
                   for (std::int64_t i = 0; i < rows; ++i) {
                     const std::int64_t edge = i + diagonal + (lower ? 1 : 0);
                     const std::int64_t cut = std::clamp<std::int64_t>(edge, 0, columns);
                     const std::int64_t first = lower ? cut : 0;
                     const std::int64_t count = lower ? columns - cut : cut;
                     std::memset(data + ((matrix * rows + i) * columns + first) * element, 0,
                                 static_cast<std::size_t>(count * element));
                   }
                 });
  return y;
}

Tensor triangle(const char* name, const Tensor& x, std::int64_t diagonal, bool lower) {
  if (x.rank() < 2) refuse(name, "matrices are needed, got shape " + x.shape().string());
  if (Tape* tape = recording_tape(x)) {
    return tape->record(name, triangle(name, tape->below(x), diagonal, lower), {&x},
                        [name, diagonal, lower](const Tensor& g, Pull& pull) {
                          pull(0, [&] { return triangle(name, g, diagonal, lower); });
                        });
  }
  return keep_band(x, diagonal, lower);
}

}  // namespace

Tensor tril(const Tensor& x, std::int64_t diagonal) { return triangle("tril", x, diagonal, true); }
Tensor triu(const Tensor& x, std::int64_t diagonal) { return triangle("triu", x, diagonal, false); }

}  // namespace likely
