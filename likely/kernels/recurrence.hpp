// First-order linear recurrences along the middle dimension of contiguous memory seen as (outer, length,
// inner). Internal to likely.
#pragma once

#include <cstdint>

#include "likely/core/dtype.hpp"

namespace likely::kernels {

// y_i = a_i y_(i-1) + b_i with y_(-1) = 0, carried in double for f32; with `reversed` from the last element
// to the first: y_i = a_i y_(i+1) + b_i. f32 and f64; refuses others. The output may be the memory of a or b.
void linear_recurrence(DType type, const void* a, const void* b, void* out, std::int64_t outer,
                       std::int64_t length, std::int64_t inner, bool reversed = false);

}  // namespace likely::kernels
