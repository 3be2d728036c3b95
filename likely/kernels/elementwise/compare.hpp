// Comparison, logic, selection and conversion along a row of memory. A bool is one byte, 0 or 1.
// Internal to likely.
#pragma once

#include <cstdint>

#include "likely/core/dtype.hpp"

namespace likely::kernels {

// Steps are 1, or 0 for an operand whose first element serves the whole row.
using CompareRow = void (*)(const void* a, const void* b, void* out, std::int64_t n, int a_step, int b_step);

// out[i] = a[i] ? b[i]; every comparison with NaN is false, except not_equal.
enum class Compare : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };
inline constexpr int kCompareCount = 6;
CompareRow compare_row(Compare operation, DType type);

// Of two bools.
enum class Logical : std::uint8_t { logical_and, logical_or, logical_xor };
inline constexpr int kLogicalCount = 3;
CompareRow logical_row(Logical operation);

// out[i] = !a[i], of bools.
void logical_not_row(const void* a, void* out, std::int64_t n);

// out[i] = condition[i] ? a[i] : b[i]; the condition is bool, a, b and out have the type asked for.
using WhereRow = void (*)(const void* condition, const void* a, const void* b, void* out, std::int64_t n,
                          int condition_step, int a_step, int b_step);
WhereRow where_row(DType type);

// out[i] = x[i] as another type. To bool: x != 0. From floating point to i64: toward zero, saturated, NaN ->
// 0.
using CastRow = void (*)(const void* x, void* out, std::int64_t n);
CastRow cast_row(DType from, DType to);

// 1 where x is finite (f32, f64), as bools; nullptr for other types.
CastRow is_finite_row(DType type);
CastRow is_nan_row(DType type);

// True if every element is finite; true for i64 and bool.
bool all_finite(const void* x, std::int64_t n, DType type);

}  // namespace likely::kernels
