// What a layer of a network made of its input: for pictures of what goes on inside.
#pragma once

#include <string>

#include "likely/core/tensor.hpp"

namespace likely::vision {

struct LayerOutput {
  std::string name;
  Tensor value;  // (rows, units), (rows, channels, length) or (rows, channels, height, width)
};

}  // namespace likely::vision
