// Reading and copying the elements of any tensor, whatever its strides and type: the one way strided memory
// is copied.
#pragma once

#include <cstddef>
#include <cstdint>

#include "likely/core/dtype.hpp"
#include "likely/core/shape.hpp"

namespace likely {

class Tensor;

namespace detail {

double element(const char* operation, const void* elements, DType dtype, std::int64_t position);
// Refuses, for the operation, what is no whole number that i64 holds where the elements are i64.
void set_element(const char* operation, void* elements, DType dtype, std::int64_t position, double value);

// to[i] = from[i] for every index i of the shape. Strides count elements of `bytes` (1, 4 or 8) and may be 0
// or negative in the source; the target's elements are all different ones, and none of the source's.
void copy_strided(std::size_t bytes, const Shape& shape, const void* from, const Strides& from_strides,
                  void* to, const Strides& to_strides);

// to[i * to_step + j] = from[i + j * from_step] for i < rows and j < columns, on the calling thread.
void transpose_block(std::size_t bytes, const void* from, std::int64_t from_step, void* to,
                     std::int64_t to_step, std::int64_t rows, std::int64_t columns);

// Writes the elements in row-major order.
void copy_to_dense(const Tensor& source, void* target);
void convert_to_dense(const Tensor& source, void* target, DType target_type);

}  // namespace detail
}  // namespace likely
