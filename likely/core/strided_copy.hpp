// Reading and copying the elements of any tensor, whatever its strides and type. Internal to core/.
#pragma once

#include <cstdint>

#include "likely/core/dtype.hpp"

namespace likely {

class Tensor;

namespace detail {

double element(const void* elements, DType dtype, std::int64_t position);
void set_element(void* elements, DType dtype, std::int64_t position, double value);

// Writes the elements in row-major order.
void copy_to_dense(const Tensor& source, void* target);
void convert_to_dense(const Tensor& source, void* target, DType target_type);

}  // namespace detail
}  // namespace likely
