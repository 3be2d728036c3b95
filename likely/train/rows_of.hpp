// How many rows a batch of any type has. Only for train/.
#pragma once

#include <cstdint>

#include "likely/core/parts.hpp"

namespace likely::train::detail {

// By which the losses of a batch count.
template <class BatchType>
std::int64_t rows_of(const BatchType& batch) {
  if constexpr (requires { batch.size(); }) {
    return batch.size();
  } else {
    std::int64_t rows = 0;
    for_each_leaf(batch, [&](const Tensor& tensor, PartKind) {
      if (rows == 0 && tensor.defined() && tensor.rank() > 0) rows = tensor.dim(0);
    });
    return rows > 0 ? rows : 1;
  }
}

}  // namespace likely::train::detail
