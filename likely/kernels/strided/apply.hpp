// The walk over strided operands: which memory a row kernel is called with. Internal to likely.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "likely/core/strided_copy.hpp"
#include "likely/core/threads.hpp"
#include "likely/kernels/strided/plan.hpp"

namespace likely::kernels {

// Elements a thread takes at a time: whole vectors of any type.
inline constexpr std::int64_t kStridedTile = 32768;

inline const std::byte* advance_bytes(const void* data, std::int64_t elements, std::size_t size) {
  return static_cast<const std::byte*>(data) + elements * static_cast<std::int64_t>(size);
}

inline std::byte* advance_bytes(void* data, std::int64_t elements, std::size_t size) {
  return static_cast<std::byte*>(data) + elements * static_cast<std::int64_t>(size);
}

// One application of a row kernel, called as row(pointers, steps, out, n) with a pointer and a step (0 or 1)
// for each operand, to all of the output.
template <int Operands, class Row>
class StridedWalk {
 public:
  StridedWalk(const Operand (&operands)[Operands], const std::size_t (&sizes)[Operands], void* out,
              std::size_t out_size, const StridedPlan<Operands>& plan, double nanoseconds, const Row& row)
      : operands_(operands),
        sizes_(sizes),
        out_(out),
        out_size_(out_size),
        plan_(plan),
        nanoseconds_(nanoseconds),
        row_(row) {}

  void run() {
    if (plan_.elements == 0) return;
    const std::int64_t length = plan_.row_length();
    bool plain = true;
    for (int k = 0; k < Operands; ++k) {
      const std::int64_t stride = plan_.row_stride(k);
      plain = plain && (stride == 0 || stride == 1);
      steps_[k] = stride == 0 ? 0 : 1;
    }
    if (plain && plan_.one_row() && length <= kStridedTile) {
      const void* pointers[Operands];
      for (int k = 0; k < Operands; ++k) pointers[k] = operands_[k].data;
      row_(pointers, steps_, out_, length);
    } else if (plain && plan_.rank == 2 && length <= kBuffer / 2 && plan_.elements > kFewRows * length &&
               periodic()) {
      run_periodic(length);
    } else if (plain && (length >= kLongRow || plan_.elements <= kFewRows * length)) {
      run_rows(length);
    } else if (const int dimension = transposed_dimension(); dimension >= 0) {
      run_blocks(dimension);
    } else {
      run_gathered();
    }
  }

 private:
  // A shorter row is not worth a call of its own.
  static constexpr std::int64_t kLongRow = 64;
  static constexpr std::int64_t kFewRows = 4;
  static constexpr std::int64_t kBuffer = 512;
  static constexpr std::int64_t kBlockRows = 16;
  static constexpr std::int64_t kBlockColumns = 128;
  static constexpr double kGatherNanoseconds = 0.6;

  bool repeats_rows(int k) const { return plan_.strides[k][0] == 0 && plan_.strides[k][1] == 1; }

  // True if every operand is contiguous, a scalar, or one row that serves all rows, such as a bias.
  bool periodic() const {
    for (int k = 0; k < Operands; ++k) {
      if (!repeats_rows(k) && !plan_.contiguous(k) && !plan_.scalar(k)) return false;
    }
    return true;
  }

  // The row that repeats is written several times into a buffer, which then serves many rows in one call.
  void run_periodic(std::int64_t length) {
    const std::int64_t stretch = kBuffer / length * length;
    const std::int64_t tile_length = kStridedTile / stretch * stretch;
    const auto work_on = [&](std::int64_t first, std::int64_t end) {
      alignas(64) std::byte buffers[Operands][kBuffer * 8];
      const std::int64_t used = std::min(stretch, end - first);
      int steps[Operands];
      for (int k = 0; k < Operands; ++k) {
        steps[k] = plan_.scalar(k) ? 0 : 1;
        if (!repeats_rows(k)) continue;
        for (std::int64_t i = 0; i < used; i += length) {
          std::memcpy(advance_bytes(buffers[k], i, sizes_[k]), operands_[k].data,
                      static_cast<std::size_t>(length) * sizes_[k]);
        }
      }
      for (std::int64_t begin = first; begin < end; begin += stretch) {
        const void* pointers[Operands];
        for (int k = 0; k < Operands; ++k) {
          pointers[k] =
              repeats_rows(k) ? buffers[k] : advance_bytes(operands_[k].data, begin * steps[k], sizes_[k]);
        }
        row_(pointers, steps, advance_bytes(out_, begin, out_size_), std::min(stretch, end - begin));
      }
    };
    if (plan_.elements <= tile_length) return work_on(0, plan_.elements);
    parallel_tiles((plan_.elements + tile_length - 1) / tile_length,
                   nanoseconds_ * static_cast<double>(plan_.elements), [&](std::int64_t tile) {
                     work_on(tile * tile_length, std::min(plan_.elements, (tile + 1) * tile_length));
                   });
  }

  // Pieces of rows of at most kStridedTile elements, several short rows to a tile.
  void run_rows(std::int64_t length) {
    const std::int64_t rows = plan_.elements / length;
    if (plan_.elements <= kStridedTile) return call_rows(0, rows, length, 0, length);
    const std::int64_t pieces = (length + kStridedTile - 1) / kStridedTile;
    const std::int64_t together = pieces > 1 ? 1 : kStridedTile / length;
    const std::int64_t tiles = (rows + together - 1) / together * pieces;
    parallel_tiles(tiles, nanoseconds_ * static_cast<double>(plan_.elements), [&](std::int64_t tile) {
      const std::int64_t begin = tile % pieces * kStridedTile;
      const std::int64_t first = tile / pieces * together;
      call_rows(first, std::min(rows, first + together), length, begin,
                std::min(kStridedTile, length - begin));
    });
  }

  void call_rows(std::int64_t first, std::int64_t end, std::int64_t length, std::int64_t begin,
                 std::int64_t count) {
    for (std::int64_t r = first; r < end; ++r) {
      const void* pointers[Operands];
      for (int k = 0; k < Operands; ++k) {
        pointers[k] = advance_bytes(operands_[k].data, plan_.row_offset(k, r) + begin * steps_[k], sizes_[k]);
      }
      row_(pointers, steps_, advance_bytes(out_, r * length + begin, out_size_), count);
    }
  }

  // A dimension along which an operand is contiguous while its rows are not: gathering it row by row would
  // fetch every cache line many times.
  int transposed_dimension() const {
    if (plan_.rank < 2 || plan_.row_length() < kBlockRows || plan_.elements < 4096) return -1;
    for (int k = 0; k < Operands; ++k) {
      if (plan_.row_stride(k) == 0 || plan_.row_stride(k) == 1) continue;
      for (int d = 0; d < plan_.rank - 1; ++d) {
        if (plan_.strides[k][d] == 1 && plan_.shape[d] >= kBlockRows) return d;
      }
    }
    return -1;
  }

  // Blocks of 16 x 128 of that dimension and the last: transposed into a buffer, then row by row.
  void run_blocks(int dimension) {
    const int last = plan_.rank - 1;
    const std::int64_t rows = plan_.shape[dimension];
    const std::int64_t length = plan_.shape[last];
    const std::int64_t row_blocks = (rows + kBlockRows - 1) / kBlockRows;
    const std::int64_t outer = plan_.elements / (rows * length);
    std::int64_t out_stride = 1;
    for (int d = dimension + 1; d <= last; ++d) out_stride *= plan_.shape[d];
    const double work = (nanoseconds_ + kGatherNanoseconds) * static_cast<double>(plan_.elements);
    parallel_tiles(outer * row_blocks, work, [&](std::int64_t tile) {
      alignas(64) std::byte buffers[Operands][kBlockRows * kBlockColumns * 8];
      const std::int64_t row = tile % row_blocks * kBlockRows;
      const std::int64_t row_count = std::min(kBlockRows, rows - row);
      std::int64_t rest = tile / row_blocks;
      std::int64_t out_offset = row * out_stride;
      std::int64_t offsets[Operands];
      for (int k = 0; k < Operands; ++k) offsets[k] = row * plan_.strides[k][dimension];
      std::int64_t stride = length;
      for (int d = last - 1; d >= 0; --d) {
        if (d != dimension) {
          const std::int64_t index = rest % plan_.shape[d];
          rest /= plan_.shape[d];
          out_offset += index * stride;
          for (int k = 0; k < Operands; ++k) offsets[k] += index * plan_.strides[k][d];
        }
        stride *= plan_.shape[d];
      }
      for (std::int64_t column = 0; column < length; column += kBlockColumns) {
        const std::int64_t count = std::min(kBlockColumns, length - column);
        const void* pointers[Operands];
        std::int64_t between[Operands];
        for (int k = 0; k < Operands; ++k) {
          const std::int64_t along = plan_.row_stride(k);
          const std::int64_t across = plan_.strides[k][dimension];
          const void* from = advance_bytes(operands_[k].data, offsets[k] + column * along, sizes_[k]);
          if (along == 0 || along == 1) {
            pointers[k] = from;
            between[k] = across;
            continue;
          }
          if (across == 1) {
            detail::transpose_block(sizes_[k], from, along, buffers[k], kBlockColumns, row_count, count);
          } else {
            detail::copy_strided(sizes_[k], {row_count, count}, from, {across, along}, buffers[k],
                                 {kBlockColumns, 1});
          }
          pointers[k] = buffers[k];
          between[k] = kBlockColumns;
        }
        for (std::int64_t r = 0; r < row_count; ++r) {
          row_(pointers, steps_, advance_bytes(out_, out_offset + r * out_stride + column, out_size_), count);
          for (int k = 0; k < Operands; ++k) pointers[k] = advance_bytes(pointers[k], between[k], sizes_[k]);
        }
      }
    });
  }

  // Short or strided rows: what is not contiguous is gathered into buffers, and the rows become long.
  void run_gathered() {
    bool direct[Operands];
    for (int k = 0; k < Operands; ++k) {
      const bool scalar = plan_.scalar(k);
      steps_[k] = scalar ? 0 : 1;
      direct[k] = scalar || plan_.contiguous(k);
    }
    const auto work_on = [&](std::int64_t first, std::int64_t end) {
      alignas(64) std::byte buffers[Operands][kBuffer * 8];
      for (std::int64_t begin = first; begin < end; begin += kBuffer) {
        const std::int64_t count = std::min(kBuffer, end - begin);
        const void* pointers[Operands];
        for (int k = 0; k < Operands; ++k) {
          if (direct[k]) {
            pointers[k] = advance_bytes(operands_[k].data, begin * steps_[k], sizes_[k]);
          } else {
            gather_bytes(k, begin, count, buffers[k]);
            pointers[k] = buffers[k];
          }
        }
        row_(pointers, steps_, advance_bytes(out_, begin, out_size_), count);
      }
    };
    if (plan_.elements <= kBuffer) return work_on(0, plan_.elements);
    const double work = (nanoseconds_ + kGatherNanoseconds) * static_cast<double>(plan_.elements);
    parallel_tiles((plan_.elements + kStridedTile - 1) / kStridedTile, work, [&](std::int64_t tile) {
      work_on(tile * kStridedTile, std::min(plan_.elements, (tile + 1) * kStridedTile));
    });
  }

  void gather_bytes(int k, std::int64_t begin, std::int64_t count, void* to) const {
    const void* from = operands_[k].data;
    switch (sizes_[k]) {
      case 1:
        return gather(plan_, k, static_cast<const std::uint8_t*>(from), begin, count,
                      static_cast<std::uint8_t*>(to));
      case 4:
        return gather(plan_, k, static_cast<const std::uint32_t*>(from), begin, count,
                      static_cast<std::uint32_t*>(to));
      default:
        return gather(plan_, k, static_cast<const std::uint64_t*>(from), begin, count,
                      static_cast<std::uint64_t*>(to));
    }
  }

  const Operand (&operands_)[Operands];
  const std::size_t (&sizes_)[Operands];
  void* out_;
  std::size_t out_size_;
  const StridedPlan<Operands>& plan_;
  double nanoseconds_;
  const Row& row_;
  int steps_[Operands];
};

template <int Operands, class Row>
void apply_strided(const Operand (&operands)[Operands], const std::size_t (&sizes)[Operands], void* out,
                   std::size_t out_size, int rank, const std::int64_t* shape, double nanoseconds,
                   const Row& row) {
  const std::int64_t* strides[Operands];
  for (int k = 0; k < Operands; ++k) strides[k] = operands[k].strides;
  const StridedPlan<Operands> plan(rank, shape, strides);
  StridedWalk<Operands, Row>(operands, sizes, out, out_size, plan, nanoseconds, row).run();
}

}  // namespace likely::kernels
