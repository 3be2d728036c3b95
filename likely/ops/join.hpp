// Putting tensors together and taking them apart.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely {

// Along an existing axis: all other dimensions must agree. Refuses an empty list.
[[nodiscard]] Tensor concat(const std::vector<Tensor>& parts, int axis = 0);
// Along a new axis: all shapes must agree.
[[nodiscard]] Tensor stack(const std::vector<Tensor>& parts, int axis = 0);
// Views of consecutive pieces of these sizes, which must add up; or of `pieces` equal ones.
std::vector<Tensor> split(const Tensor& x, const std::vector<std::int64_t>& sizes, int axis = 0);
std::vector<Tensor> split(const Tensor& x, std::int64_t pieces, int axis = 0);

}  // namespace likely
