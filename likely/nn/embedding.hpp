// A table of learned vectors, one for each id.
#pragma once

#include <cstdint>
#include <string>

#include "likely/core/layer_error.hpp"
#include "likely/core/parts.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/rng.hpp"

namespace likely::nn {

// ids (...) of whole numbers from 0 to count - 1 become (..., width). The table starts as standard normal
// numbers. Refuses sizes < 1 and ids outside.
struct Embedding {
  Tensor weight;  // (count, width)

  Embedding(std::int64_t count, std::int64_t width, Rng rng);

  Tensor operator()(const Tensor& ids) const {
    return inside_layer(*this, [&] { return embedding(weight, ids); });
  }
  std::string misfit() const;  // (tree/misfit.hpp): the weight must be there
  LIKELY_PARTS(weight)
};

}  // namespace likely::nn
