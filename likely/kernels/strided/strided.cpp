#include "likely/kernels/strided/strided.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "likely/core/dispatch.hpp"
#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/kernels/strided/apply.hpp"
#include "likely/kernels/strided/plan.hpp"

namespace likely::kernels {

void refuse_rank() {
  refuse("elementwise", "more than " + std::to_string(kMaxMergedRank) +
                            " dimensions of a view cannot be merged; make it contiguous first");
}

namespace {

constexpr double kMemoryNanoseconds = 0.15;

// For contiguous operands: nothing to plan, and one direct call where one thread does it.
template <class Operation, class Row>
void apply_contiguous(Operation operation, DType type, std::int64_t n, const Row& row) {
  if (n <= kStridedTile) {
    if (n > 0) row(0, n);
    return;
  }
  const std::int64_t tiles = (n + kStridedTile - 1) / kStridedTile;
  parallel_tiles(
      tiles, nanoseconds_per_element(operation, type) * static_cast<double>(n),
      [&](std::int64_t tile) { row(tile * kStridedTile, std::min(kStridedTile, n - tile * kStridedTile)); });
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

// Of operations that every type has.
template <class Row>
Row must_have_type(const char* operation, Row row, DType type) {
  if (row == nullptr) detail::refuse_type(operation, type);
  return row;
}

}  // namespace

void apply_unary(Unary operation, DType type, const void* x, void* out, std::int64_t n, double p, double q) {
  const UnaryRow kernel = must_exist(unary_row(operation, type), type);
  const std::size_t size = size_of(type);
  apply_contiguous(operation, type, n, [&](std::int64_t begin, std::int64_t count) {
    kernel(advance_bytes(x, begin, size), advance_bytes(out, begin, size), count, p, q);
  });
}

void apply_binary(Binary operation, DType type, const void* a, const void* b, void* out, std::int64_t n,
                  double p) {
  const BinaryRow kernel = must_exist(binary_row(operation, type), type);
  const std::size_t size = size_of(type);
  apply_contiguous(operation, type, n, [&](std::int64_t begin, std::int64_t count) {
    kernel(advance_bytes(a, begin, size), advance_bytes(b, begin, size), advance_bytes(out, begin, size),
           count, 1, 1, p);
  });
}

void apply_unary(Unary operation, DType type, Operand x, void* out, int rank, const std::int64_t* shape,
                 double p, double q) {
  if (x.strides == nullptr) return apply_unary(operation, type, x.data, out, product(rank, shape), p, q);
  const UnaryRow kernel = must_exist(unary_row(operation, type), type);
  const std::size_t size = size_of(type);
  apply_strided<1>({x}, {size}, out, size, rank, shape, nanoseconds_per_element(operation, type),
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
  apply_strided<2>({a, b}, {size, size}, out, size, rank, shape, nanoseconds_per_element(operation, type),
                   [&](const void* const* in, const int* steps, void* to, std::int64_t n) {
                     kernel(in[0], in[1], to, n, steps[0], steps[1], p);
                   });
}

void apply_compare(Compare operation, DType type, Operand a, Operand b, void* out, int rank,
                   const std::int64_t* shape) {
  const CompareRow kernel = must_have_type("compare", compare_row(operation, type), type);
  const std::size_t size = size_of(type);
  apply_strided<2>({a, b}, {size, size}, out, 1, rank, shape, kMemoryNanoseconds,
                   [&](const void* const* in, const int* steps, void* to, std::int64_t n) {
                     kernel(in[0], in[1], to, n, steps[0], steps[1]);
                   });
}

void apply_logical(Logical operation, Operand a, Operand b, void* out, int rank, const std::int64_t* shape) {
  const CompareRow kernel = logical_row(operation);
  apply_strided<2>({a, b}, {1, 1}, out, 1, rank, shape, kMemoryNanoseconds,
                   [&](const void* const* in, const int* steps, void* to, std::int64_t n) {
                     kernel(in[0], in[1], to, n, steps[0], steps[1]);
                   });
}

void apply_where(DType type, Operand condition, Operand a, Operand b, void* out, int rank,
                 const std::int64_t* shape) {
  const WhereRow kernel = must_have_type("where", where_row(type), type);
  const std::size_t size = size_of(type);
  apply_strided<3>({condition, a, b}, {1, size, size}, out, size, rank, shape, kMemoryNanoseconds,
                   [&](const void* const* in, const int* steps, void* to, std::int64_t n) {
                     kernel(in[0], in[1], in[2], to, n, steps[0], steps[1], steps[2]);
                   });
}

void apply_cast(DType from, DType to_type, Operand x, void* out, int rank, const std::int64_t* shape) {
  const CastRow kernel = cast_row(from, to_type);
  if (kernel == nullptr) detail::refuse_type("cast", cast_row(from, from) == nullptr ? from : to_type);
  const std::size_t to_size = size_of(to_type);
  apply_strided<1>({x}, {size_of(from)}, out, to_size, rank, shape, kMemoryNanoseconds,
                   [&](const void* const* in, const int* steps, void* to, std::int64_t n) {
                     if (steps[0] == 1 || n == 1) return kernel(in[0], to, n);
                     kernel(in[0], to, 1);
                     repeat_first(to_size, to, n);
                   });
}

void repeat_first(std::size_t element_size, void* memory, std::int64_t n) {
  switch (element_size) {
    case 1: std::fill_n(static_cast<std::uint8_t*>(memory), n, *static_cast<std::uint8_t*>(memory)); break;
    case 4: std::fill_n(static_cast<std::uint32_t*>(memory), n, *static_cast<std::uint32_t*>(memory)); break;
    default: std::fill_n(static_cast<std::uint64_t*>(memory), n, *static_cast<std::uint64_t*>(memory)); break;
  }
}

}  // namespace likely::kernels
