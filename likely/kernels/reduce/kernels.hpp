// What the reduction driver works with: kernels over a row, kernels over some columns, and how results of
// parts are put together. A partial result is a value and, for logsumexp, the sum of e^(x - value).
// Internal to likely.
#pragma once

#include <cstdint>

#include "likely/kernels/reduce/reduce.hpp"

namespace likely::kernels {

struct PartialResult {
  double value;
  double extra;  // f64 sums: what the additions lost
};

// Columns that are reduced together; an accumulator array has this length.
inline constexpr std::int64_t kColumns = 512;

struct ReduceKernel {
  PartialResult identity;
  PartialResult (*row)(const void* x, std::int64_t n);
  // Adds `rows` rows of at most kColumns elements to the accumulators.
  void (*columns)(const void* x, std::int64_t rows, std::int64_t row_stride, std::int64_t width,
                  double* value, double* extra);
  // Puts together accumulators j, inner + j, 2 inner + j, ... (fold of them) for each column j < width, and
  // writes the results in x's type.
  void (*finish_columns)(const double* value, const double* extra, std::int64_t fold, std::int64_t inner,
                         std::int64_t width, void* out);
  PartialResult (*combine)(PartialResult a, PartialResult b);
  double (*finish)(PartialResult a);
  double nanoseconds;  // per element, roughly
};

// For f32 and f64; nullptr for operations that are not among the floating-point ones.
const ReduceKernel* reduce_kernel(Reduce operation, DType type);

// The operations whose result is i64 or bool, and those of i64: sums of integers may be cut anywhere.
void reduce_integer(Reduce operation, DType type, const void* x, void* out, std::int64_t outer,
                    std::int64_t reduced, std::int64_t inner);

}  // namespace likely::kernels
