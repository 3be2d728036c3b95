// What operations on the rows of the last axis share. Internal to ops/ and prob/.
#pragma once

#include <cstdint>
#include <string>

#include "likely/core/tensor.hpp"

namespace likely::detail {

void check_floating(const char* name, const char* what, const Tensor& x);

// Refuses a tensor without a last axis, or with nothing in it.
void check_rows(const char* name, const char* what, const Tensor& x);

inline Shape without_last(const Shape& shape) { return shape.sub(0, shape.rank() - 1); }

// A row of a tensor as people count it: "row 3", or "row (1, 3)" where rows have two indices.
std::string row_name(const Shape& shape, std::int64_t row);

// What the softmax kernels return is the first row that has no softmax, or -1.
void check_bad_row(const char* name, const char* what, const Shape& shape, std::int64_t bad);

}  // namespace likely::detail
