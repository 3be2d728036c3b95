#include "likely/kernels/gemm/zeros.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "likely/kernels/scratch.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/gemm/zeros.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/gemm/pack-inl.hpp"
#include "likely/kernels/gemm/tile-inl.hpp"
#include "likely/kernels/load_where-inl.hpp"
#include "likely/kernels/transpose_four-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

// The sums of one row of C that registers hold at a time; enough of them to hide the look-up of the next
// number of A.
constexpr int kMostVectors = HWY_TARGET <= HWY_AVX3 ? 8 : 12;

// A section of a panel of B has at most this many elements: a first-level cache of 32 KB, which measured
// better than leaving room.
constexpr std::int64_t kSectionElements = 8 * 1024;
// This many elements of B, and what is not zero in this many rows of A, share a second-level cache.
constexpr std::int64_t kBlockElements = 384 * 256;
constexpr std::int64_t kBlockRows = 128;

#if HWY_TARGET <= HWY_AVX3

// Moves the lanes of a mask to the front.
class CloseGaps {
 public:
  explicit CloseGaps(hn::Mask<hn::ScalableTag<float>> mask) : mask_(mask) {}
  hn::Vec<hn::ScalableTag<float>> operator()(hn::Vec<hn::ScalableTag<float>> v) const {
    return hn::Compress(v, mask_);
  }
  std::int64_t count() const {
    return static_cast<std::int64_t>(hn::CountTrue(hn::ScalableTag<float>(), mask_));
  }

 private:
  hn::Mask<hn::ScalableTag<float>> mask_;
};

#else

// Which lanes a mask of eight moves to the front. (Highway's own table is copied to the stack at each use.)
using LanesOfMask = std::array<std::array<std::uint8_t, 8>, 256>;
constexpr LanesOfMask lanes_of_mask() {
  LanesOfMask table{};
  for (std::size_t bits = 0; bits < table.size(); ++bits) {
    std::size_t filled = 0;
    for (std::uint8_t lane = 0; lane < 8; ++lane) {
      if ((bits >> lane & 1) != 0) table[bits][filled++] = lane;
    }
  }
  return table;
}
constexpr LanesOfMask kLanesOfMask = lanes_of_mask();

class CloseGaps {
 public:
  explicit CloseGaps(hn::Mask<hn::ScalableTag<float>> mask) {
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> di;
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, mask, bits);
    const hn::Rebind<std::uint8_t, decltype(d)> bytes;
    const auto lanes = hn::PromoteTo(di, hn::LoadU(bytes, kLanesOfMask[bits[0]].data()));
    indices_ = hn::IndicesFromVec(d, lanes);
    count_ = __builtin_popcount(bits[0]);
  }
  hn::Vec<hn::ScalableTag<float>> operator()(hn::Vec<hn::ScalableTag<float>> v) const {
    return hn::TableLookupLanes(v, indices_);
  }
  std::int64_t count() const { return count_; }

 private:
  decltype(hn::IndicesFromVec(hn::ScalableTag<float>(), hn::Zero(hn::ScalableTag<std::int32_t>()))) indices_;
  std::int64_t count_;
};

#endif

// What is not zero in some rows of A over a block of depth, for each section of the depth row after row: the
// values, and how far into the section of a panel the rows of B begin that they meet.
class Lists {
 public:
  Lists(std::int64_t rows, std::int64_t depth, std::int64_t section, std::int64_t width)
      : section_(section), width_(width), capacity_(rows * section + lanes_of<float>()), rows_(rows) {
    const std::int64_t sections = (depth + section - 1) / section;
    values_ = scratch<float>(ScratchSlot::gemm_zeros_values, sections * capacity_);
    offsets_ = scratch<std::uint32_t>(ScratchSlot::gemm_zeros_offsets, sections * capacity_);
    ends_ = scratch<std::int32_t>(ScratchSlot::gemm_zeros_ends, sections * rows);
  }

  // Reads `rows` rows of A, `depth` numbers each; with `keep_zeros` nothing is passed over.
  void fill(const float* a, std::int64_t lda, std::int64_t rows, std::int64_t depth, bool keep_zeros) {
    const hn::ScalableTag<float> d;
    const hn::RebindToUnsigned<decltype(d)> du;
    constexpr std::int64_t kLanes = lanes_of<float>();
    const auto all = hn::FirstN(d, static_cast<std::size_t>(kLanes));
    const auto offsets_of_lanes = hn::Mul(hn::Iota(du, 0), hn::Set(du, static_cast<std::uint32_t>(width_)));
    for (std::int64_t from = 0; from < depth; from += section_) {
      const std::int64_t which = from / section_;
      float* const values = values_ + which * capacity_;
      std::uint32_t* const offsets = offsets_ + which * capacity_;
      std::int32_t* const ends = ends_ + which * rows_;
      const std::int64_t length = std::min(section_, depth - from);
      const std::int64_t whole = length / kLanes * kLanes;
      const auto rest = hn::FirstN(d, static_cast<std::size_t>(length - whole));
      std::int64_t filled = 0;
      const auto append = [&](hn::Vec<decltype(d)> value, std::int64_t k,
                              hn::Mask<decltype(d)> inside) HWY_ATTR {
        // Not "differs from zero": NaN has to be kept, too.
        const auto keep = keep_zeros ? inside : hn::Not(hn::Eq(value, hn::Zero(d)));
        const auto offset = hn::Add(offsets_of_lanes, hn::Set(du, static_cast<std::uint32_t>(k * width_)));
        const CloseGaps close(keep);
        hn::StoreU(close(value), d, values + filled);
        hn::StoreU(hn::BitCast(du, close(hn::BitCast(d, offset))), du, offsets + filled);
        filled += close.count();
      };
      for (std::int64_t row = 0; row < rows; ++row) {
        const float* const source = a + row * lda + from;
        for (std::int64_t k = 0; k < whole; k += kLanes) append(hn::LoadU(d, source + k), k, all);
        if (whole < length) append(load_where(d, rest, source + whole), whole, rest);
        ends[row] = static_cast<std::int32_t>(filled);
      }
    }
  }

  const float* values(std::int64_t which) const { return values_ + which * capacity_; }
  const std::uint32_t* offsets(std::int64_t which) const { return offsets_ + which * capacity_; }
  const std::int32_t* ends(std::int64_t which) const { return ends_ + which * rows_; }

 private:
  std::int64_t section_;
  std::int64_t width_;
  std::int64_t capacity_;
  std::int64_t rows_;
  float* values_;
  std::uint32_t* offsets_;
  std::int32_t* ends_;
};

// One section of the sums of some rows of C over the columns of one panel. Between sections the sums wait in
// `sums`, a panel wide; after the last they go to C, as the tile says.
struct SectionOfRows {
  std::int64_t rows;
  const float* values;
  const std::uint32_t* offsets;
  const std::int32_t* ends;
  const float* b;
  float* sums;
  bool first;
  bool last;
};

template <int kVectors>
void sum_rows(const SectionOfRows& s, const Tile<float>& tile) {
  const hn::ScalableTag<float> d;
  constexpr std::int64_t kLanes = lanes_of<float>();
  Tile<float> line = tile;
  float* sums = s.sums;
  const float* const b = s.b;
  std::int32_t at = 0;
  for (std::int64_t row = 0; row < s.rows; ++row, sums += kVectors * kLanes, line.c += line.ldc) {
    hn::Vec<decltype(d)> sum[1][kVectors];
    HWY_UNROLL(12)
    for (int v = 0; v < kVectors; ++v) sum[0][v] = s.first ? hn::Zero(d) : hn::Load(d, sums + v * kLanes);
    for (const std::int32_t end = s.ends[row]; at < end; ++at) {
      const auto factor = hn::Set(d, s.values[at]);
      const float* const row_of_b = b + s.offsets[at];
      HWY_UNROLL(12)
      for (int v = 0; v < kVectors; ++v) {
        sum[0][v] = hn::MulAdd(factor, hn::Load(d, row_of_b + v * kLanes), sum[0][v]);
      }
    }
    if (s.last) {
      finish_tile(d, line, sum);
    } else {
      HWY_UNROLL(12)
      for (int v = 0; v < kVectors; ++v) hn::Store(sum[0][v], d, sums + v * kLanes);
    }
  }
}

using RowsFunction = void (*)(const SectionOfRows&, const Tile<float>&);

template <int... kIndex>
constexpr auto rows_functions(std::integer_sequence<int, kIndex...>) {
  return std::array<RowsFunction, sizeof...(kIndex)>{&sum_rows<kIndex + 1>...};
}

RowsFunction rows_function(std::int64_t vectors) {
  static constexpr auto kFunctions = rows_functions(std::make_integer_sequence<int, kMostVectors>());
  return kFunctions[static_cast<std::size_t>(vectors - 1)];
}

// Whether the packed columns hold neither infinity nor NaN: 0 times them is not 0. As numbers without a sign,
// the bits of both are above those of all others.
bool all_finite(const float* packed, std::int64_t depth, std::int64_t columns, std::int64_t width) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  constexpr std::int64_t kLanes = lanes_of<float>();
  constexpr std::uint32_t kInfinity = 0x7F800000;
  auto most = hn::Zero(du);
  for (std::int64_t start = 0; start < columns; start += width, packed += width * depth) {
    const std::int64_t used = std::min(width, columns - start);
    const auto rest = hn::FirstN(d, static_cast<std::size_t>(used % kLanes));
    for (std::int64_t k = 0; k < depth; ++k) {
      const float* const line = packed + k * width;
      std::int64_t j = 0;
      for (; j + kLanes <= used; j += kLanes) {
        most = hn::Max(most, hn::BitCast(du, hn::Abs(hn::Load(d, line + j))));
      }
      if (j < used) most = hn::Max(most, hn::BitCast(du, hn::Abs(load_where(d, rest, line + j))));
    }
  }
  return hn::AllTrue(du, hn::Lt(most, hn::Set(du, kInfinity)));
}

// The rows of a block of op(A), as they are or, if A is transposed, in a copy.
const float* rows_of_a(const Product<float>& p, std::int64_t row, std::int64_t rows, std::int64_t from,
                       std::int64_t depth, std::int64_t& distance) {
  if (!p.transpose_a) {
    distance = p.lda;
    return p.a + row * p.lda + from;
  }
  distance = depth;
  float* const copy = scratch<float>(ScratchSlot::gemm_panels_of_a, rows * depth);
  const float* const source = p.a + from * p.lda + row;
  // A line of memory from each row of A at a time: it is read whole, and what is written stays near.
  constexpr std::int64_t kStretch = 64 / sizeof(float);
  for (std::int64_t i = 0; i < rows; i += kStretch) {
    const std::int64_t count = std::min(kStretch, rows - i);
    float* const to = copy + i * depth;
    std::int64_t k = 0;
    for (; k + 4 <= depth; k += 4) transpose_four(source + k * p.lda + i, p.lda, count, depth, to + k);
    for (; k < depth; ++k) {
      for (std::int64_t j = 0; j < count; ++j) to[j * depth + k] = source[k * p.lda + i + j];
    }
  }
  return copy;
}

// The rows of B in a section, as equal as can be, and whole vectors of A if there is room.
std::int64_t section_of(std::int64_t depth, std::int64_t width) {
  constexpr std::int64_t kLanes = lanes_of<float>();
  const std::int64_t most = kSectionElements / width;
  const std::int64_t sections = (depth + most - 1) / most;
  const std::int64_t equal = (depth + sections - 1) / sections;
  const std::int64_t rounded = (equal + kLanes - 1) / kLanes * kLanes;
  return rounded <= most ? rounded : equal;
}

void multiply_zeros(const Product<float>& p, const Part& part) {
  constexpr std::int64_t kLanes = lanes_of<float>();
  const std::int64_t depth = depth_of_block(p.k);
  const std::int64_t vectors = (part.columns + kLanes - 1) / kLanes;
  const std::int64_t panels = (vectors + kMostVectors - 1) / kMostVectors;
  const std::int64_t width = (vectors + panels - 1) / panels * kLanes;
  const std::int64_t section = section_of(depth, width);
  const std::int64_t block_columns =
      std::min(panels, std::max<std::int64_t>(1, kBlockElements / depth / width)) * width;
  float* const packed = scratch<float>(ScratchSlot::gemm_panels_of_b, block_columns * depth);
  const std::int64_t most_rows = std::min(part.rows, kBlockRows);
  float* const sums = scratch<float>(ScratchSlot::gemm_zeros_sums, most_rows * width);
  Lists lists(most_rows, depth, section, width);
  for (std::int64_t column = part.column; column < part.column + part.columns; column += block_columns) {
    const std::int64_t columns = std::min(block_columns, part.column + part.columns - column);
    for (std::int64_t from = 0; from < p.k; from += depth) {
      Tile<float> tile;
      tile.depth = std::min(depth, p.k - from);
      tile.alpha = p.alpha;
      tile.beta = from == 0 ? p.beta : 1;
      tile.ldc = p.ldc;
      const bool complete = from + tile.depth == p.k;
      tile.relu = complete && p.finish.relu;
      pack_columns(p, from, tile.depth, column, columns, width, true, packed);
      const bool keep_zeros = !all_finite(packed, tile.depth, columns, width);
      for (std::int64_t row = part.row; row < part.row + part.rows; row += kBlockRows) {
        const std::int64_t rows = std::min(kBlockRows, part.row + part.rows - row);
        std::int64_t distance = 0;
        const float* const a = rows_of_a(p, row, rows, from, tile.depth, distance);
        lists.fill(a, distance, rows, tile.depth, keep_zeros);
        for (std::int64_t start = 0; start < columns; start += width) {
          tile.columns = std::min(width, columns - start);
          tile.c = p.c + row * p.ldc + column + start;
          if (complete && p.finish.bias != nullptr) tile.bias = p.finish.bias + column + start;
          const RowsFunction function = rows_function((tile.columns + kLanes - 1) / kLanes);
          const float* const panel = packed + start * tile.depth;
          for (std::int64_t k = 0; k < tile.depth; k += section) {
            const std::int64_t which = k / section;
            function({rows, lists.values(which), lists.offsets(which), lists.ends(which), panel + k * width,
                      sums, k == 0, k + section >= tile.depth},
                     tile);
          }
        }
      }
    }
  }
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(multiply_zeros);

bool worth_skipping_zeros(const Product<float>& p) {
  constexpr std::int64_t kSample = 128;
  constexpr std::int64_t kFewestZeros = kSample * 3 / 8;
  if (p.m < 32 || p.n < 64 || p.k < 32) return false;
  const std::int64_t step = 149 % p.k;
  std::int64_t zeros = 0;
  for (std::int64_t i = 0, k = 0; i < kSample; ++i, k = k + step < p.k ? k + step : k + step - p.k) {
    const std::int64_t row = i * p.m / kSample;
    zeros += p.a[p.transpose_a ? k * p.lda + row : row * p.lda + k] == 0;
  }
  return zeros >= kFewestZeros;
}

void multiply_part_skipping_zeros(const Product<float>& p, const Part& part) {
  HWY_DYNAMIC_DISPATCH(multiply_zeros)(p, part);
}

}  // namespace likely::kernels
#endif
