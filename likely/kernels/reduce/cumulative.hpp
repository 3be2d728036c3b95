// Running totals along the middle dimension of contiguous memory seen as (outer, length, inner).
// Internal to likely.
#pragma once

#include <cstdint>

#include "likely/core/dtype.hpp"

namespace likely::kernels {

enum class Cumulative : std::uint8_t {
  sum,        // y_i = x_0 + ... + x_i, carried in double for f32
  product,    // y_i = x_0 ... x_i, carried in double for f32
  logsumexp,  // y_i = log(e^x_0 + ... + e^x_i), without overflow; f32 and f64 only
};

// With `reversed` the totals run from the last element to the first. The output may be the memory of x.
// Refuses logsumexp of i64, and bool.
void cumulate(Cumulative operation, DType type, const void* x, void* out, std::int64_t outer,
              std::int64_t length, std::int64_t inner, bool reversed = false);

}  // namespace likely::kernels
