// Change of element type, with a gradient between floating types.
#pragma once

#include "likely/core/tensor.hpp"

namespace likely {

// The same values as another type: floating to i64 truncates, anything to bool is `!= 0`. The gradient comes
// back in x's type; through i64 and bool there is none.
[[nodiscard]] Tensor cast(const Tensor& x, DType dtype);

}  // namespace likely
