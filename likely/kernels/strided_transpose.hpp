// Blocked transposition of a matrix.
#pragma once

#include <cstddef>
#include <cstdint>

namespace likely::kernels {

// to[r * to_stride + c] = from[c * from_stride + r] for r < rows, c < columns; elements of 1, 4 or 8 bytes.
void transpose(std::size_t element_size, const void* from, std::int64_t from_stride, void* to,
               std::int64_t to_stride, std::int64_t rows, std::int64_t columns);

}  // namespace likely::kernels
