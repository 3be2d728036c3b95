#include "likely/kernels/gather.hpp"

#include <algorithm>
#include <cstring>

#include "likely/core/threads.hpp"

namespace likely::kernels {
namespace {

// Bits of elements whose type does not matter here.
using Bits8 [[gnu::may_alias]] = std::uint8_t;
using Bits32 [[gnu::may_alias]] = std::uint32_t;
using Bits64 [[gnu::may_alias]] = std::uint64_t;

// Calls body(begin, end) for pieces of [0, n) of `piece` each.
template <class Body>
void for_pieces(std::int64_t n, std::int64_t piece, double nanoseconds, const Body& body) {
  parallel_tiles((n + piece - 1) / piece, nanoseconds,
                 [&](std::int64_t tile) { body(tile * piece, std::min(n, (tile + 1) * piece)); });
}

// A row of known size is moved by a few instructions instead of a call.
template <std::size_t kBytes>
void gather_fixed(const char* table, const std::int64_t* indices, std::int64_t begin, std::int64_t end,
                  char* out) {
  for (std::int64_t i = begin; i < end; ++i) {
    std::memcpy(out + i * std::int64_t{kBytes}, table + indices[i] * std::int64_t{kBytes}, kBytes);
  }
}

// Columns are cut, never indices: each sum keeps its order.
template <class T>
void scatter_add_rows_all(const T* rows, std::int64_t width, const std::int64_t* indices, std::int64_t count,
                          T* out) {
  constexpr std::int64_t kColumns = 64;
  for_pieces(width, kColumns, 0.3 * static_cast<double>(count * width),
             [&](std::int64_t begin, std::int64_t end) {
               const std::int64_t columns = end - begin;
               for (std::int64_t i = 0; i < count; ++i) {
                 const T* from = rows + i * width + begin;
                 T* to = out + indices[i] * width + begin;
                 for (std::int64_t k = 0; k < columns; ++k) to[k] += from[k];
               }
             });
}

// Calls body(o, begin, end) for ranges of `inner` within each outer.
template <class Body>
void for_lines(AxisShape shape, const Body& body) {
  constexpr std::int64_t kInner = 256;
  const std::int64_t blocks = (shape.inner + kInner - 1) / kInner;
  const double work = 2.0 * static_cast<double>(shape.outer * shape.indices * shape.inner);
  parallel_tiles(shape.outer * blocks, work, [&](std::int64_t tile) {
    const std::int64_t begin = tile % blocks * kInner;
    body(tile / blocks, begin, std::min(shape.inner, begin + kInner));
  });
}

template <class Bits>
void gather_along_all(const Bits* x, AxisShape shape, const std::int64_t* indices, Bits* out) {
  for_lines(shape, [&](std::int64_t o, std::int64_t begin, std::int64_t end) {
    const Bits* from = x + o * shape.length * shape.inner;
    for (std::int64_t j = 0; j < shape.indices; ++j) {
      const std::int64_t at = (o * shape.indices + j) * shape.inner;
      for (std::int64_t i = begin; i < end; ++i) out[at + i] = from[indices[at + i] * shape.inner + i];
    }
  });
}

template <class T>
void scatter_add_along_all(const T* values, AxisShape shape, const std::int64_t* indices, T* out) {
  for_lines(shape, [&](std::int64_t o, std::int64_t begin, std::int64_t end) {
    T* to = out + o * shape.length * shape.inner;
    for (std::int64_t j = 0; j < shape.indices; ++j) {
      const std::int64_t at = (o * shape.indices + j) * shape.inner;
      for (std::int64_t i = begin; i < end; ++i) to[indices[at + i] * shape.inner + i] += values[at + i];
    }
  });
}

}  // namespace

std::int64_t first_outside(const std::int64_t* indices, std::int64_t count, std::int64_t limit) {
  constexpr std::int64_t kRun = 256;
  const auto bound = static_cast<std::uint64_t>(limit);
  for (std::int64_t begin = 0; begin < count; begin += kRun) {
    const std::int64_t end = std::min(count, begin + kRun);
    // Counting instead of stopping at the first lets the compiler compare many at once.
    std::int64_t outside = 0;
    for (std::int64_t i = begin; i < end; ++i) outside += static_cast<std::uint64_t>(indices[i]) >= bound;
    if (outside == 0) continue;
    for (std::int64_t i = begin; i < end; ++i) {
      if (static_cast<std::uint64_t>(indices[i]) >= bound) return i;
    }
  }
  return -1;
}

void gather_rows(const void* table, std::int64_t row_bytes, const std::int64_t* indices, std::int64_t count,
                 void* out) {
  const char* from = static_cast<const char*>(table);
  char* to = static_cast<char*>(out);
  const std::int64_t piece = std::max<std::int64_t>(16, 65536 / std::max<std::int64_t>(row_bytes, 1));
  const double work = static_cast<double>(count) * (5 + 0.1 * static_cast<double>(row_bytes));
  for_pieces(count, piece, work, [&](std::int64_t begin, std::int64_t end) {
    switch (row_bytes) {
      case 1: return gather_fixed<1>(from, indices, begin, end, to);
      case 4: return gather_fixed<4>(from, indices, begin, end, to);
      case 8: return gather_fixed<8>(from, indices, begin, end, to);
      case 16: return gather_fixed<16>(from, indices, begin, end, to);
      case 64: return gather_fixed<64>(from, indices, begin, end, to);
      default: break;
    }
    for (std::int64_t i = begin; i < end; ++i) {
      std::memcpy(to + i * row_bytes, from + indices[i] * row_bytes, static_cast<std::size_t>(row_bytes));
    }
  });
}

void scatter_add_rows(const float* rows, std::int64_t width, const std::int64_t* indices, std::int64_t count,
                      float* out) {
  scatter_add_rows_all(rows, width, indices, count, out);
}
void scatter_add_rows(const double* rows, std::int64_t width, const std::int64_t* indices, std::int64_t count,
                      double* out) {
  scatter_add_rows_all(rows, width, indices, count, out);
}

void gather_along(const void* x, AxisShape shape, std::int64_t element_bytes, const std::int64_t* indices,
                  void* out) {
  switch (element_bytes) {
    case 1: return gather_along_all(static_cast<const Bits8*>(x), shape, indices, static_cast<Bits8*>(out));
    case 4: return gather_along_all(static_cast<const Bits32*>(x), shape, indices, static_cast<Bits32*>(out));
    default:
      return gather_along_all(static_cast<const Bits64*>(x), shape, indices, static_cast<Bits64*>(out));
  }
}

void scatter_add_along(const float* values, AxisShape shape, const std::int64_t* indices, float* out) {
  scatter_add_along_all(values, shape, indices, out);
}
void scatter_add_along(const double* values, AxisShape shape, const std::int64_t* indices, double* out) {
  scatter_add_along_all(values, shape, indices, out);
}

}  // namespace likely::kernels
