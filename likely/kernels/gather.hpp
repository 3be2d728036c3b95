// Reading and adding up by index. Indices must lie in range: first_outside finds one that does not. Sums are
// made in the order of the indices, so the same bits come out for any number of threads.
#pragma once

#include <cstdint>

namespace likely::kernels {

// The first position whose index is not in [0, limit), or -1.
std::int64_t first_outside(const std::int64_t* indices, std::int64_t count, std::int64_t limit);

// out[i] = table[indices[i]] for rows of row_bytes bytes, of any type.
void gather_rows(const void* table, std::int64_t row_bytes, const std::int64_t* indices, std::int64_t count,
                 void* out);

// out[indices[i]] += rows[i] for rows of `width` numbers.
void scatter_add_rows(const float* rows, std::int64_t width, const std::int64_t* indices, std::int64_t count,
                      float* out);
void scatter_add_rows(const double* rows, std::int64_t width, const std::int64_t* indices, std::int64_t count,
                      double* out);

// The axis of `length` in (outer, length, inner), and how many indices each of the outer * inner lines has.
struct AxisShape {
  std::int64_t outer = 1, length = 0, inner = 1, indices = 0;
};

// out[o, j, i] = x[o, indices[o, j, i], i]; elements of 1, 4 or 8 bytes.
void gather_along(const void* x, AxisShape shape, std::int64_t element_bytes, const std::int64_t* indices,
                  void* out);

// out[o, indices[o, j, i], i] += values[o, j, i]
void scatter_add_along(const float* values, AxisShape shape, const std::int64_t* indices, float* out);
void scatter_add_along(const double* values, AxisShape shape, const std::int64_t* indices, double* out);

}  // namespace likely::kernels
