#include "likely/kernels/gemm/simd.hpp"

#include <algorithm>

#include "likely/kernels/scratch.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/gemm/simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/gemm/pack-inl.hpp"
#include "likely/kernels/gemm/tile-inl.hpp"
#include "likely/kernels/load_where-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

template <class T>
constexpr std::int64_t panel_width() {
  return kTileVectors * lanes_of<T>();
}

// The rows of a part in groups of at most kTileRows, as equal as can be: a group of one row would waste the
// pipeline.
class Groups {
 public:
  explicit Groups(std::int64_t rows)
      : count_((rows + kTileRows - 1) / kTileRows), short_(rows / count_), long_groups_(rows % count_) {}
  std::int64_t count() const { return count_; }
  std::int64_t rows(std::int64_t group) const { return group < long_groups_ ? short_ + 1 : short_; }

 private:
  std::int64_t count_;
  std::int64_t short_;
  std::int64_t long_groups_;
};

// The rows of a transposed A over one block of depth, group after group, each with the rows of a group side
// by side. A few lines of A at a time: a panel is often a power of two long, and the lines that are being
// written in all of them would share a place in a first-level cache.
template <class T>
void pack_rows(const Product<T>& p, const Part& part, std::int64_t from, std::int64_t depth, T* packed) {
  constexpr std::int64_t kLines = 8;
  const Groups groups(part.rows);
  for (std::int64_t k = 0; k < depth; k += kLines) {
    const std::int64_t lines = std::min(kLines, depth - k);
    const T* source = p.a + (from + k) * p.lda + part.row;
    T* panel = packed;
    for (std::int64_t group = 0; group < groups.count(); ++group) {
      const std::int64_t rows = groups.rows(group);
      T* to = panel + k * rows;
      for (std::int64_t line = 0; line < lines; ++line, to += rows) {
        const T* const numbers = source + line * p.lda;
        if (rows == kTileRows) {
          for (int i = 0; i < kTileRows; ++i) to[i] = numbers[i];
        } else {
          for (std::int64_t i = 0; i < rows; ++i) to[i] = numbers[i];
        }
      }
      source += rows;
      panel += rows * depth;
    }
  }
}

// A block of B of this many elements shares a last-level cache with those of other threads, a panel of it at
// a time fills the first level, and so many rows of A stay in a second-level cache.
constexpr std::int64_t kBlockElements = 1024 * 256;
constexpr std::int64_t kBlockRows = 96;

// Blocks of whole panels, as equal as can be: A is read, and packed, once for each.
template <class T>
std::int64_t columns_of_block(std::int64_t columns, std::int64_t depth) {
  constexpr std::int64_t kWidth = panel_width<T>();
  const std::int64_t panels = (columns + kWidth - 1) / kWidth;
  const std::int64_t most = std::max<std::int64_t>(1, kBlockElements / depth / kWidth);
  const std::int64_t blocks = (panels + most - 1) / most;
  return (panels + blocks - 1) / blocks * kWidth;
}

// How many of the `left` columns the next tile takes. Few enough in the last vector are left to a narrow one;
// four vectors are two and two, not three and one, which would wait for its own sums.
template <class T>
std::int64_t columns_of_tile(std::int64_t left) {
  constexpr std::int64_t kWidth = panel_width<T>();
  constexpr std::int64_t kLanes = lanes_of<T>();
  const std::int64_t whole =
      left > kLanes && left % kLanes <= kNarrowColumns<T> ? left / kLanes * kLanes : left;
  return std::min(whole, whole <= kWidth || whole > kWidth + kLanes ? kWidth : kWidth - kLanes);
}

template <class T>
TileFunction<T> function_of_tile(std::int64_t rows, std::int64_t columns, bool whole_vectors) {
  constexpr std::int64_t kLanes = lanes_of<T>();
  if (columns <= kNarrowColumns<T>) {
    const bool partial = !whole_vectors && columns < kNarrowColumns<T>;
    return partial ? narrow_function<T, true>(rows) : narrow_function<T, false>(rows);
  }
  const std::int64_t vectors = (columns + kLanes - 1) / kLanes;
  const bool partial = !whole_vectors && columns % kLanes != 0;
  return partial ? tile_function<T, true>(rows, vectors) : tile_function<T, false>(rows, vectors);
}

// One block: all groups of rows by all panels, which are whole vectors in a packed B.
template <class T>
void multiply_block(const Groups& groups, std::int64_t columns, Tile<T> tile, bool packed_a, bool packed_b) {
  constexpr std::int64_t kWidth = panel_width<T>();
  const T* const a = tile.a;
  const T* const b = tile.b;
  T* const c = tile.c;
  const T* const bias = tile.bias;
  for (std::int64_t column = 0; column < columns; column += tile.columns) {
    const std::int64_t in_panel = column % kWidth;
    const std::int64_t left = columns - column;
    tile.columns = columns_of_tile<T>(packed_b ? std::min(left, kWidth - in_panel) : left);
    tile.b = b + (packed_b ? (column - in_panel) * tile.depth + in_panel : column);
    if (bias != nullptr) tile.bias = bias + column;
    std::int64_t row = 0;
    std::int64_t rows = 0;
    TileFunction<T> function = nullptr;
    for (std::int64_t group = 0; group < groups.count(); ++group) {
      if (const std::int64_t next = groups.rows(group); next != rows) {
        rows = next;
        function = function_of_tile<T>(rows, tile.columns, packed_b);
      }
      tile.a = a + row * (packed_a ? tile.depth : tile.row_stride);
      if (packed_a) tile.depth_stride = rows;
      tile.c = c + row * tile.ldc + column;
      function(tile);
      row += rows;
    }
  }
}

template <class T>
void multiply(const Product<T>& p, const Part& part) {
  constexpr std::int64_t kSize = sizeof(T);
  constexpr std::int64_t kLongEnough = 32;  // a shorter sum is over before C arrives
  const bool small = (p.m + p.n) * p.k * kSize <= 96 * 1024;
  // A few rows of A are not worth a copy of a large B. It is read once, some rows at a time from end to end:
  // whole panels of it would be a pattern that nothing prefetches.
  const bool stream = !p.transpose_b && p.m <= 16 && p.k * p.n * kSize > 256 * 1024;
  const std::int64_t depth = stream ? 16 : depth_of_block(p.k);
  const std::int64_t block_columns = stream ? part.columns : columns_of_block<T>(part.columns, depth);
  // Small matrices are read where they are: copying costs more than unaligned or scattered loads.
  const bool pack_b = p.transpose_b || (!small && !stream && part.rows > 2 * kTileRows);
  // The rows of A are read one number at a time, along k, as well from where they are as from a copy.
  const bool pack_a = p.transpose_a && !small && !stream && part.columns >= 2 * panel_width<T>();
  T* const packed_a =
      pack_a ? scratch<T>(ScratchSlot::gemm_panels_of_a, std::min(part.rows, kBlockRows) * depth) : nullptr;
  T* const packed_b = pack_b ? scratch<T>(ScratchSlot::gemm_panels_of_b,
                                          (std::min(part.columns, block_columns) + panel_width<T>()) * depth)
                             : nullptr;
  const std::int64_t row_stride = p.transpose_a ? 1 : p.lda;
  const std::int64_t depth_stride = p.transpose_a ? p.lda : 1;
  for (std::int64_t column = part.column; column < part.column + part.columns; column += block_columns) {
    const std::int64_t columns = std::min(block_columns, part.column + part.columns - column);
    for (std::int64_t from = 0; from < p.k; from += depth) {
      Tile<T> tile;
      tile.depth = std::min(depth, p.k - from);
      tile.alpha = p.alpha;
      tile.beta = from == 0 ? p.beta : T(1);
      tile.ldc = p.ldc;
      tile.far = !small && depth >= kLongEnough;
      if (from + tile.depth == p.k) {
        if (p.finish.bias != nullptr) tile.bias = p.finish.bias + column;
        tile.relu = p.finish.relu;
      }
      tile.ldb = pack_b ? panel_width<T>() : p.ldb;
      tile.b = pack_b ? packed_b : p.b + from * p.ldb + column;
      if (pack_b) pack_columns(p, from, tile.depth, column, columns, panel_width<T>(), !small, packed_b);
      for (std::int64_t row = part.row; row < part.row + part.rows; row += kBlockRows) {
        const Part rows{row, std::min(kBlockRows, part.row + part.rows - row), column, columns};
        if (pack_a) pack_rows(p, rows, from, tile.depth, packed_a);
        tile.a = pack_a ? packed_a : p.a + row * row_stride + from * depth_stride;
        tile.row_stride = pack_a ? 1 : row_stride;
        tile.depth_stride = depth_stride;
        tile.c = p.c + row * p.ldc + column;
        multiply_block(Groups(rows.rows), columns, tile, pack_a, pack_b);
      }
    }
  }
}

template <class T>
void finish_rows(const Product<T>& p, const Part& part) {
  const hn::ScalableTag<T> d;
  constexpr std::int64_t kLanes = lanes_of<T>();
  for (std::int64_t row = part.row; row < part.row + part.rows; ++row) {
    T* const line = p.c + row * p.ldc;
    for (std::int64_t column = part.column; column < part.column + part.columns; column += kLanes) {
      const std::int64_t left = part.column + part.columns - column;
      const auto mask = hn::FirstN(d, static_cast<std::size_t>(std::min(left, kLanes)));
      auto value = load_where(d, mask, line + column);
      if (p.finish.bias != nullptr) value = hn::Add(value, load_where(d, mask, p.finish.bias + column));
      if (p.finish.relu) value = hn::Max(hn::Zero(d), value);
      hn::BlendedStore(value, mask, d, line + column);
    }
  }
}

// A scalar product of each of kFew rows of one matrix with each of four rows of the other, all along k.
template <int kFew, class T>
void dots(std::int64_t k, const T* few, std::int64_t ld_few, const T* many, std::int64_t ld_many,
          std::int64_t count, T (&result)[kFew][4]) {
  const hn::ScalableTag<T> d;
  constexpr std::int64_t kLanes = lanes_of<T>();
  const T* rows[4];
  for (std::int64_t j = 0; j < 4; ++j) rows[j] = many + std::min(j, count - 1) * ld_many;
  hn::Vec<decltype(d)> sum[kFew][4];
  HWY_UNROLL(2)
  for (int i = 0; i < kFew; ++i) {
    HWY_UNROLL(4)
    for (int j = 0; j < 4; ++j) sum[i][j] = hn::Zero(d);
  }
  const auto step = [&](auto load) HWY_ATTR {
    HWY_UNROLL(2)
    for (int i = 0; i < kFew; ++i) {
      const auto left = load(few + i * ld_few);
      HWY_UNROLL(4)
      for (int j = 0; j < 4; ++j) sum[i][j] = hn::MulAdd(left, load(rows[j]), sum[i][j]);
    }
  };
  std::int64_t at = 0;
  for (; at + kLanes <= k; at += kLanes) {
    step([&](const T* from) HWY_ATTR { return hn::LoadU(d, from + at); });
  }
  if (at < k) {
    const auto mask = hn::FirstN(d, static_cast<std::size_t>(k - at));
    step([&](const T* from) HWY_ATTR { return load_where(d, mask, from + at); });
  }
  for (int i = 0; i < kFew; ++i) {
    for (int j = 0; j < 4; ++j) result[i][j] = hn::GetLane(hn::SumOfLanes(d, sum[i][j]));
  }
}

template <int kFew, class T>
void multiply_dots(const Product<T>& p, const Part& part, bool few_rows) {
  const std::int64_t first = few_rows ? part.column : part.row;
  const std::int64_t end = first + (few_rows ? part.columns : part.rows);
  const std::int64_t stride_few = few_rows ? p.ldc : 1;
  const std::int64_t stride_many = few_rows ? 1 : p.ldc;
  for (std::int64_t at = first; at < end; at += 4) {
    const std::int64_t count = std::min<std::int64_t>(4, end - at);
    T result[kFew][4];
    if (few_rows) {
      dots<kFew>(p.k, p.a, p.lda, p.b + at * p.ldb, p.ldb, count, result);
    } else {
      dots<kFew>(p.k, p.b, p.ldb, p.a + at * p.lda, p.lda, count, result);
    }
    for (std::int64_t i = 0; i < kFew; ++i) {
      for (std::int64_t j = 0; j < count; ++j) {
        T* const to = p.c + i * stride_few + (at + j) * stride_many;
        const T value = p.alpha * result[i][j];
        *to = p.beta == T(0) ? value : p.beta * *to + value;
      }
    }
  }
}

template <class T>
void multiply_by_dots(const Product<T>& p, const Part& part) {
  const bool few_rows = p.m <= p.n;
  if (std::min(p.m, p.n) == 1) {
    multiply_dots<1>(p, part, few_rows);
  } else {
    multiply_dots<2>(p, part, few_rows);
  }
}

void multiply_float(const Product<float>& p, const Part& part) { multiply(p, part); }
void multiply_double(const Product<double>& p, const Part& part) { multiply(p, part); }
void finish_float(const Product<float>& p, const Part& part) { finish_rows(p, part); }
void finish_double(const Product<double>& p, const Part& part) { finish_rows(p, part); }
void dots_float(const Product<float>& p, const Part& part) { multiply_by_dots(p, part); }
void dots_double(const Product<double>& p, const Part& part) { multiply_by_dots(p, part); }

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(multiply_float);
HWY_EXPORT(multiply_double);
HWY_EXPORT(finish_float);
HWY_EXPORT(finish_double);
HWY_EXPORT(dots_float);
HWY_EXPORT(dots_double);

namespace {

// Sums of nothing are 0, and a part of nothing has none: true if that was all. The loops count on a first
// term.
template <class T>
bool multiplied_nothing(const Product<T>& p, const Part& part) {
  if (part.rows <= 0 || part.columns <= 0) return true;
  if (p.k > 0) return false;
  for (std::int64_t row = part.row; row < part.row + part.rows; ++row) {
    T* const line = p.c + row * p.ldc + part.column;
    for (std::int64_t i = 0; i < part.columns; ++i) line[i] = p.beta == T(0) ? T(0) : p.beta * line[i];
  }
  if (p.finish.bias != nullptr || p.finish.relu) finish_part(p, part);
  return true;
}

}  // namespace

void multiply_part(const Product<float>& p, const Part& part) {
  if (!multiplied_nothing(p, part)) HWY_DYNAMIC_DISPATCH(multiply_float)(p, part);
}
void multiply_part(const Product<double>& p, const Part& part) {
  if (!multiplied_nothing(p, part)) HWY_DYNAMIC_DISPATCH(multiply_double)(p, part);
}
void finish_part(const Product<float>& p, const Part& part) { HWY_DYNAMIC_DISPATCH(finish_float)(p, part); }
void finish_part(const Product<double>& p, const Part& part) { HWY_DYNAMIC_DISPATCH(finish_double)(p, part); }
void multiply_part_by_dots(const Product<float>& p, const Part& part) {
  HWY_DYNAMIC_DISPATCH(dots_float)(p, part);
}
void multiply_part_by_dots(const Product<double>& p, const Part& part) {
  HWY_DYNAMIC_DISPATCH(dots_double)(p, part);
}

}  // namespace likely::kernels
#endif
