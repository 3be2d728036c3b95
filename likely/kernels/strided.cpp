#include "likely/kernels/strided.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/kernels/strided_plan.hpp"

namespace likely::kernels {

void refuse_rank() {
  refuse("elementwise", "more than " + std::to_string(kMaxMergedRank) +
                            " dimensions of a view cannot be merged; make it contiguous first");
}

namespace {

// Elements a thread takes at a time, and elements that a stack buffer holds; both whole vectors of any type.
constexpr std::int64_t kTile = 32768;
constexpr std::int64_t kBuffer = 512;
// A shorter row is not worth a call of its own.
constexpr std::int64_t kLongRow = 64;

constexpr double kMemoryNanoseconds = 0.15;
constexpr double kGatherNanoseconds = 0.6;

const std::byte* advance(const void* data, std::int64_t elements, std::size_t size) {
  return static_cast<const std::byte*>(data) + elements * static_cast<std::int64_t>(size);
}

std::byte* advance(void* data, std::int64_t elements, std::size_t size) {
  return static_cast<std::byte*>(data) + elements * static_cast<std::int64_t>(size);
}

template <class Plan>
void gather_bytes(const Plan& plan, int operand, const void* from, std::size_t size, std::int64_t begin,
                  std::int64_t count, void* to) {
  switch (size) {
    case 1:
      return gather(plan, operand, static_cast<const std::uint8_t*>(from), begin, count,
                    static_cast<std::uint8_t*>(to));
    case 4:
      return gather(plan, operand, static_cast<const std::uint32_t*>(from), begin, count,
                    static_cast<std::uint32_t*>(to));
    default:
      return gather(plan, operand, static_cast<const std::uint64_t*>(from), begin, count,
                    static_cast<std::uint64_t*>(to));
  }
}

// Row is called as row(pointers, steps, out, n) with one pointer and one step (0 or 1) for each operand.
template <int Operands, class Row>
void apply(const Operand (&operands)[Operands], const std::size_t (&sizes)[Operands], void* out,
           std::size_t out_size, int rank, const std::int64_t* shape, double nanoseconds, const Row& row) {
  const std::int64_t* strides[Operands];
  for (int k = 0; k < Operands; ++k) strides[k] = operands[k].strides;
  const StridedPlan<Operands> plan(rank, shape, strides);
  if (plan.elements == 0) return;

  int steps[Operands];
  bool plain = true;
  for (int k = 0; k < Operands; ++k) {
    const std::int64_t stride = plan.row_stride(k);
    plain = plain && (stride == 0 || stride == 1);
    steps[k] = stride == 0 ? 0 : 1;
  }
  const std::int64_t length = plan.row_length();

  if (plain && (plan.one_row() || length >= kLongRow)) {
    // Pieces of rows of at most kTile elements, several short rows to a tile.
    const std::int64_t rows = plan.elements / length;
    const std::int64_t pieces = (length + kTile - 1) / kTile;
    const std::int64_t together = pieces > 1 ? 1 : std::max<std::int64_t>(1, kTile / length);
    const std::int64_t tiles = (rows + together - 1) / together * pieces;
    parallel_tiles(tiles, nanoseconds * static_cast<double>(plan.elements), [&](std::int64_t tile) {
      const std::int64_t begin = tile % pieces * kTile;
      const std::int64_t count = std::min(kTile, length - begin);
      const std::int64_t first = tile / pieces * together;
      const std::int64_t end = std::min(rows, first + together);
      for (std::int64_t r = first; r < end; ++r) {
        const std::int64_t flat = r * length + begin;
        const void* pointers[Operands];
        for (int k = 0; k < Operands; ++k) {
          pointers[k] = advance(operands[k].data, plan.row_offset(k, r) + begin * steps[k], sizes[k]);
        }
        row(pointers, steps, advance(out, flat, out_size), count);
      }
    });
    return;
  }

  // Short or strided rows: what is not contiguous is gathered into buffers, and the rows become long.
  bool contiguous[Operands];
  bool scalar[Operands];
  for (int k = 0; k < Operands; ++k) {
    contiguous[k] = plan.contiguous(k);
    scalar[k] = plan.scalar(k);
    steps[k] = scalar[k] ? 0 : 1;
  }
  const std::int64_t tiles = (plan.elements + kTile - 1) / kTile;
  const double work = (nanoseconds + kGatherNanoseconds) * static_cast<double>(plan.elements);
  parallel_tiles(tiles, work, [&](std::int64_t tile) {
    alignas(64) std::byte buffers[Operands][kBuffer * 8];
    const std::int64_t end = std::min(plan.elements, (tile + 1) * kTile);
    for (std::int64_t begin = tile * kTile; begin < end; begin += kBuffer) {
      const std::int64_t count = std::min(kBuffer, end - begin);
      const void* pointers[Operands];
      for (int k = 0; k < Operands; ++k) {
        if (contiguous[k] || scalar[k]) {
          pointers[k] = advance(operands[k].data, scalar[k] ? 0 : begin, sizes[k]);
        } else {
          gather_bytes(plan, k, operands[k].data, sizes[k], begin, count, buffers[k]);
          pointers[k] = buffers[k];
        }
      }
      row(pointers, steps, advance(out, begin, out_size), count);
    }
  });
}

// For contiguous operands: nothing to plan, and one direct call where one thread does it.
template <class Row>
void apply_contiguous(std::int64_t n, double nanoseconds, const Row& row) {
  if (n <= kTile) {
    if (n > 0) row(0, n);
    return;
  }
  const std::int64_t tiles = (n + kTile - 1) / kTile;
  parallel_tiles(tiles, nanoseconds * static_cast<double>(n),
                 [&](std::int64_t tile) { row(tile * kTile, std::min(kTile, n - tile * kTile)); });
}

std::int64_t product(int rank, const std::int64_t* shape) {
  std::int64_t result = 1;
  for (int d = 0; d < rank; ++d) result *= shape[d];
  return result;
}

template <class Row>
Row must_exist(Row row, DType type) {
  if (row == nullptr) refuse("elementwise", "no such operation on " + std::string(name_of(type)));
  return row;
}

}  // namespace

void apply_unary(Unary operation, DType type, const void* x, void* out, std::int64_t n, double p, double q) {
  const UnaryRow kernel = must_exist(unary_row(operation, type), type);
  const std::size_t size = size_of(type);
  apply_contiguous(n, nanoseconds_per_element(operation, type), [&](std::int64_t begin, std::int64_t count) {
    kernel(advance(x, begin, size), advance(out, begin, size), count, p, q);
  });
}

void apply_binary(Binary operation, DType type, const void* a, const void* b, void* out, std::int64_t n,
                  double p) {
  const BinaryRow kernel = must_exist(binary_row(operation, type), type);
  const std::size_t size = size_of(type);
  apply_contiguous(n, nanoseconds_per_element(operation, type), [&](std::int64_t begin, std::int64_t count) {
    kernel(advance(a, begin, size), advance(b, begin, size), advance(out, begin, size), count, 1, 1, p);
  });
}

void apply_unary(Unary operation, DType type, Operand x, void* out, int rank, const std::int64_t* shape,
                 double p, double q) {
  if (x.strides == nullptr) return apply_unary(operation, type, x.data, out, product(rank, shape), p, q);
  const UnaryRow kernel = must_exist(unary_row(operation, type), type);
  const std::size_t size = size_of(type);
  apply<1>({x}, {size}, out, size, rank, shape, nanoseconds_per_element(operation, type),
           [&](const void* const* in, const int* steps, void* to, std::int64_t n) {
             if (steps[0] == 1 || n == 1) return kernel(in[0], to, n, p, q);
             // One element for the whole row: computed once.
             kernel(in[0], to, 1, p, q);
             repeat_first(size, to, n);
           });
}

void apply_binary(Binary operation, DType type, Operand a, Operand b, void* out, int rank,
                  const std::int64_t* shape, double p) {
  if (a.strides == nullptr && b.strides == nullptr) {
    return apply_binary(operation, type, a.data, b.data, out, product(rank, shape), p);
  }
  const BinaryRow kernel = must_exist(binary_row(operation, type), type);
  const std::size_t size = size_of(type);
  apply<2>({a, b}, {size, size}, out, size, rank, shape, nanoseconds_per_element(operation, type),
           [&](const void* const* in, const int* steps, void* to, std::int64_t n) {
             kernel(in[0], in[1], to, n, steps[0], steps[1], p);
           });
}

void apply_compare(Compare operation, DType type, Operand a, Operand b, void* out, int rank,
                   const std::int64_t* shape) {
  const CompareRow kernel = compare_row(operation, type);
  const std::size_t size = size_of(type);
  apply<2>({a, b}, {size, size}, out, 1, rank, shape, kMemoryNanoseconds,
           [&](const void* const* in, const int* steps, void* to, std::int64_t n) {
             kernel(in[0], in[1], to, n, steps[0], steps[1]);
           });
}

void apply_logical(Logical operation, Operand a, Operand b, void* out, int rank, const std::int64_t* shape) {
  const CompareRow kernel = logical_row(operation);
  apply<2>({a, b}, {1, 1}, out, 1, rank, shape, kMemoryNanoseconds,
           [&](const void* const* in, const int* steps, void* to, std::int64_t n) {
             kernel(in[0], in[1], to, n, steps[0], steps[1]);
           });
}

void apply_where(DType type, Operand condition, Operand a, Operand b, void* out, int rank,
                 const std::int64_t* shape) {
  const WhereRow kernel = where_row(type);
  const std::size_t size = size_of(type);
  apply<3>({condition, a, b}, {1, size, size}, out, size, rank, shape, kMemoryNanoseconds,
           [&](const void* const* in, const int* steps, void* to, std::int64_t n) {
             kernel(in[0], in[1], in[2], to, n, steps[0], steps[1], steps[2]);
           });
}

void apply_cast(DType from, DType to_type, Operand x, void* out, int rank, const std::int64_t* shape) {
  const CastRow kernel = cast_row(from, to_type);
  const std::size_t to_size = size_of(to_type);
  apply<1>({x}, {size_of(from)}, out, to_size, rank, shape, kMemoryNanoseconds,
           [&](const void* const* in, const int* steps, void* to, std::int64_t n) {
             if (steps[0] == 1 || n == 1) return kernel(in[0], to, n);
             kernel(in[0], to, 1);
             repeat_first(to_size, to, n);
           });
}

}  // namespace likely::kernels
