// Copies between views: rows, transposes in blocks, and whatever else element by element.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>

#include "likely/core/threads.hpp"
#include "likely/kernels/strided.hpp"
#include "likely/kernels/strided_plan.hpp"
#include "likely/kernels/strided_transpose.hpp"

namespace likely::kernels {

namespace {

constexpr std::int64_t kTileBytes = 131072;
constexpr double kNanosecondsPerByte = 0.05;
constexpr double kNanosecondsPerElement = 0.6;

struct Dimension {
  std::int64_t size, from, to;
};

// The order of a copy is free: the destination's smallest strides go inside, then neighbours are merged.
struct CopyPlan {
  int rank = 0;
  std::int64_t elements = 1;
  Dimension dimensions[kMaxMergedRank];

  CopyPlan(int full_rank, const std::int64_t* shape, const std::int64_t* from, const std::int64_t* to) {
    const StridedPlan<2> merged(full_rank, shape, {from, to});
    elements = merged.elements;
    rank = merged.rank;
    for (int d = 0; d < rank; ++d)
      dimensions[d] = {merged.shape[d], merged.strides[0][d], merged.strides[1][d]};
    // By insertion: there are few, and they mostly are in order.
    for (int i = 1; i < rank; ++i) {
      for (int j = i; j > 0 && std::abs(dimensions[j - 1].to) < std::abs(dimensions[j].to); --j) {
        std::swap(dimensions[j - 1], dimensions[j]);
      }
    }
    int kept = 0;
    for (int d = 0; d < rank; ++d) {
      const Dimension& inner = dimensions[d];
      Dimension& outer = dimensions[kept > 0 ? kept - 1 : 0];
      if (kept > 0 && outer.from == inner.from * inner.size && outer.to == inner.to * inner.size) {
        outer = {outer.size * inner.size, inner.from, inner.to};
      } else {
        dimensions[kept++] = inner;
      }
    }
    rank = kept;
  }
};

std::int64_t outer_offset(const CopyPlan& plan, int dimensions, std::int64_t index,
                          std::int64_t Dimension::*stride) {
  std::int64_t offset = 0;
  for (int d = dimensions - 1; d >= 0; --d) {
    offset += index % plan.dimensions[d].size * (plan.dimensions[d].*stride);
    index /= plan.dimensions[d].size;
  }
  return offset;
}

template <class Element>
void copy_row(const Element* from, std::int64_t from_stride, Element* to, std::int64_t to_stride,
              std::int64_t n) {
  if (from_stride == 1 && to_stride == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(Element));
  } else if (from_stride == 0 && to_stride == 1) {
    std::fill_n(to, n, *from);
  } else {
    for (std::int64_t i = 0; i < n; ++i) to[i * to_stride] = from[i * from_stride];
  }
}

template <class Element>
void copy_plain(const CopyPlan& plan, const Element* from, Element* to) {
  const Dimension inner = plan.rank > 0 ? plan.dimensions[plan.rank - 1] : Dimension{1, 1, 1};
  const std::int64_t rows = plan.elements / inner.size;
  const std::int64_t tile = kTileBytes / static_cast<std::int64_t>(sizeof(Element));
  const std::int64_t pieces = (inner.size + tile - 1) / tile;
  const std::int64_t together = pieces > 1 ? 1 : std::max<std::int64_t>(1, tile / inner.size);
  if (rows == 1 && inner.size <= tile) return copy_row(from, inner.from, to, inner.to, inner.size);
  const bool whole = inner.to == 1 && (inner.from == 1 || inner.from == 0) && inner.size >= 16;
  const double each = whole ? kNanosecondsPerByte * sizeof(Element) : kNanosecondsPerElement;
  const std::int64_t tiles = (rows + together - 1) / together * pieces;
  parallel_tiles(tiles, each * static_cast<double>(plan.elements), [&](std::int64_t index) {
    const std::int64_t begin = index % pieces * tile;
    const std::int64_t count = std::min(tile, inner.size - begin);
    const std::int64_t first = index / pieces * together;
    const std::int64_t end = std::min(rows, first + together);
    // Between two rows of the second-to-last dimension lies one stride; only beyond it is there division.
    const std::int64_t run = plan.rank > 1 ? plan.dimensions[plan.rank - 2].size : 1;
    for (std::int64_t row = first; row < end;) {
      const std::int64_t group = std::min(end - row, run - row % run);
      const Element* source =
          from + outer_offset(plan, plan.rank - 1, row, &Dimension::from) + begin * inner.from;
      Element* target = to + outer_offset(plan, plan.rank - 1, row, &Dimension::to) + begin * inner.to;
      for (std::int64_t i = 0; i < group; ++i) {
        copy_row(source, inner.from, target, inner.to, count);
        if (plan.rank > 1) {
          source += plan.dimensions[plan.rank - 2].from;
          target += plan.dimensions[plan.rank - 2].to;
        }
      }
      row += group;
    }
  });
}

// The dimension along which the source is contiguous while the destination is so along the last, or -1.
int transposed_dimension(const CopyPlan& plan) {
  if (plan.rank < 2 || plan.dimensions[plan.rank - 1].to != 1) return -1;
  if (plan.dimensions[plan.rank - 1].from == 1 || plan.dimensions[plan.rank - 1].size < 8) return -1;
  for (int d = 0; d < plan.rank - 1; ++d) {
    if (plan.dimensions[d].from == 1 && plan.dimensions[d].size >= 8) return d;
  }
  return -1;
}

template <class Element>
void copy_transposed(CopyPlan plan, int dimension, const Element* from, Element* to) {
  const Dimension columns = plan.dimensions[plan.rank - 1];
  const Dimension rows = plan.dimensions[dimension];
  for (int d = dimension; d + 1 < plan.rank - 1; ++d) plan.dimensions[d] = plan.dimensions[d + 1];
  const int outer = plan.rank - 2;
  const std::int64_t matrices = plan.elements / (rows.size * columns.size);
  constexpr std::int64_t kRows = 64;
  const std::int64_t strips = (rows.size + kRows - 1) / kRows;
  parallel_tiles(matrices * strips, kNanosecondsPerElement * static_cast<double>(plan.elements),
                 [&](std::int64_t tile) {
                   const std::int64_t matrix = tile / strips;
                   const std::int64_t row = tile % strips * kRows;
                   const Element* source = from + outer_offset(plan, outer, matrix, &Dimension::from) + row;
                   Element* target = to + outer_offset(plan, outer, matrix, &Dimension::to) + row * rows.to;
                   transpose(sizeof(Element), source, columns.from, target, rows.to,
                             std::min(kRows, rows.size - row), columns.size);
                 });
}

template <class Element>
void copy_elements(const CopyPlan& plan, const void* from_memory, void* to_memory) {
  const Element* from = static_cast<const Element*>(from_memory);
  Element* to = static_cast<Element*>(to_memory);
  const int dimension = transposed_dimension(plan);
  if (dimension >= 0) {
    copy_transposed(plan, dimension, from, to);
  } else {
    copy_plain(plan, from, to);
  }
}

}  // namespace

void copy_between_strided(std::size_t element_size, Operand from, void* to, const std::int64_t* to_strides,
                          int rank, const std::int64_t* shape) {
  const CopyPlan plan(rank, shape, from.strides, to_strides);
  if (plan.elements == 0) return;
  switch (element_size) {
    case 1: return copy_elements<std::uint8_t>(plan, from.data, to);
    case 4: return copy_elements<std::uint32_t>(plan, from.data, to);
    default: return copy_elements<std::uint64_t>(plan, from.data, to);
  }
}

void copy_strided(std::size_t element_size, Operand from, void* to, int rank, const std::int64_t* shape) {
  copy_between_strided(element_size, from, to, nullptr, rank, shape);
}

void scatter_strided(std::size_t element_size, const void* from, void* to, const std::int64_t* to_strides,
                     int rank, const std::int64_t* shape) {
  copy_between_strided(element_size, {from, nullptr}, to, to_strides, rank, shape);
}

void repeat_first(std::size_t element_size, void* memory, std::int64_t n) {
  switch (element_size) {
    case 1: std::fill_n(static_cast<std::uint8_t*>(memory), n, *static_cast<std::uint8_t*>(memory)); break;
    case 4: std::fill_n(static_cast<std::uint32_t*>(memory), n, *static_cast<std::uint32_t*>(memory)); break;
    default: std::fill_n(static_cast<std::uint64_t*>(memory), n, *static_cast<std::uint64_t*>(memory)); break;
  }
}

namespace {

template <class Element>
void fill_elements(void* memory, std::int64_t n, Element value) {
  Element* to = static_cast<Element*>(memory);
  const std::int64_t tile = kTileBytes / static_cast<std::int64_t>(sizeof(Element));
  if (n <= tile) {
    std::fill_n(to, n, value);
    return;
  }
  parallel_tiles(
      (n + tile - 1) / tile, kNanosecondsPerByte * static_cast<double>(n * sizeof(Element)),
      [&](std::int64_t index) { std::fill_n(to + index * tile, std::min(tile, n - index * tile), value); });
}

}  // namespace

void fill(DType type, void* to, std::int64_t n, double value) {
  switch (type) {
    case DType::f32: return fill_elements(to, n, static_cast<float>(value));
    case DType::f64: return fill_elements(to, n, value);
    case DType::i64: {
      std::int64_t integer = 0;
      cast_row(DType::f64, DType::i64)(&value, &integer, 1);
      return fill_elements(to, n, integer);
    }
    case DType::boolean: return fill_elements(to, n, static_cast<std::uint8_t>(value != 0.0));
  }
}

void fill_integer(void* to, std::int64_t n, std::int64_t value) { fill_elements(to, n, value); }

}  // namespace likely::kernels
