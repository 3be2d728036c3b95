// Sorting and the k best, along the rows of contiguous memory. Equal elements keep their order (and -0 equals
// +0); NaN comes last in either direction. Internal to likely.
#pragma once

#include <cstdint>

#include "likely/core/dtype.hpp"

namespace likely::kernels {

enum class Direction : std::uint8_t { ascending, descending };

// Sorts each of `rows` rows of `length` elements. `values` (of x's type) or `indices` may be nullptr.
// values may be the memory of x.
void sort_rows(DType type, const void* x, void* values, std::int64_t* indices, std::int64_t rows,
               std::int64_t length, Direction direction);

// The first k elements of each sorted row: descending gives the k largest. Refuses k > length and k < 0.
void top_k_rows(DType type, const void* x, void* values, std::int64_t* indices, std::int64_t rows,
                std::int64_t length, std::int64_t k, Direction direction = Direction::descending);

}  // namespace likely::kernels
