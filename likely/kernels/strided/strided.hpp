// Row kernels applied to operands of any strides (views, transposes, broadcasts), into a contiguous row-major
// output of the given shape; with threads where the work is worth it. The output may be an operand's memory
// only if that operand is contiguous with the output's shape. Internal to likely.
#pragma once

#include <cstddef>
#include <cstdint>

#include "likely/core/dtype.hpp"
#include "likely/kernels/elementwise/compare.hpp"
#include "likely/kernels/elementwise/elementwise.hpp"

namespace likely::kernels {

// Dimensions that remain after neighbours have been merged; more are refused.
inline constexpr int kMaxMergedRank = 16;

// Strides are counted in elements, one a dimension of the output; 0 repeats (broadcast), negative runs back.
// nullptr means contiguous in the output's shape.
struct Operand {
  const void* data;
  const std::int64_t* strides = nullptr;
};

void apply_unary(Unary operation, DType type, Operand x, void* out, int rank, const std::int64_t* shape,
                 double p = 0.0, double q = 0.0);
void apply_binary(Binary operation, DType type, Operand a, Operand b, void* out, int rank,
                  const std::int64_t* shape, double p = 0.0);
void apply_compare(Compare operation, DType type, Operand a, Operand b, void* out, int rank,
                   const std::int64_t* shape);
void apply_logical(Logical operation, Operand a, Operand b, void* out, int rank, const std::int64_t* shape);
void apply_where(DType type, Operand condition, Operand a, Operand b, void* out, int rank,
                 const std::int64_t* shape);
void apply_cast(DType from, DType to, Operand x, void* out, int rank, const std::int64_t* shape);

// The same for n contiguous elements.
void apply_unary(Unary operation, DType type, const void* x, void* out, std::int64_t n, double p = 0.0,
                 double q = 0.0);
void apply_binary(Binary operation, DType type, const void* a, const void* b, void* out, std::int64_t n,
                  double p = 0.0);

// Repeats the first of n elements.
void repeat_first(std::size_t element_size, void* memory, std::int64_t n);

}  // namespace likely::kernels
