// Reductions of contiguous memory seen as (outer, reduced, inner), to (outer, inner). The order of summation
// depends on these three sizes alone, never on the number of threads. Internal to likely.
#pragma once

#include <cstdint>

#include "likely/core/dtype.hpp"

namespace likely::kernels {

enum class Reduce : std::uint8_t {
  // f32, f64 and i64; the result has the type of x
  sum,  // blocks in x's type, blocks added in double (f32) or with compensation (f64)
  product,
  maximum,  // NaN if any element is NaN; an empty reduction gives the least value, or -inf
  minimum,
  sum_of_squares,
  sum_of_magnitudes,
  // f32 and f64
  logsumexp,  // log(sum(e^x)), without overflow; -inf if all are -inf or there are none
  // every type; the result is bool
  any,  // some x != 0
  all,
  // every type; the result is i64
  count_nonzero,
};
inline constexpr int kReduceCount = static_cast<int>(Reduce::count_nonzero) + 1;

// The type of the result: of x, bool or i64.
DType reduced_type(Reduce operation, DType type);

// Refuses an operation that does not exist for the type.
void reduce(Reduce operation, DType type, const void* x, void* out, std::int64_t outer, std::int64_t reduced,
            std::int64_t inner);

// The position of the largest or least element along the reduced dimension: the first of equals, and the
// first NaN if there is one. Every type; refuses reduced == 0 unless there is nothing to write.
enum class ArgReduce : std::uint8_t { argmax, argmin };
void arg_reduce(ArgReduce operation, DType type, const void* x, std::int64_t* out, std::int64_t outer,
                std::int64_t reduced, std::int64_t inner);

}  // namespace likely::kernels
