// Whether what a reader has accepted fits together.
#pragma once

#include <string>

#include "likely/data/dataset.hpp"
#include "likely/io/safetensors.hpp"
#include "likely/tree/tree.hpp"
#include "tests/fuzz/raw_tensors.hpp"

namespace likely::fuzz {

// What a tensor says of itself is so, and all its elements are there.
void look_at(const Tensor& tensor);
void look_at(const io::NamedTensors& file);
void look_at(const data::Dataset& dataset);
// The same tensors as were declared: no more, no fewer, of the same shapes.
void look_at(const io::NamedTensors& file, const RawTensors& declared);

namespace detail {
void look_at_state(const std::vector<Part>& parts);
}

// A model or an optimizer after it was loaded: no part is NaN, weights are finite (sums of squares and
// running statistics may have overflowed in good faith), counts are not below 0.
template <Tree T>
void look_at_state(const T& tree) {
  detail::look_at_state(named_parts(tree));
}

}  // namespace likely::fuzz
