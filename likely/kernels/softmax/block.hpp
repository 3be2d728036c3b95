// How long a piece of a row the softmax kernels work on at a time. Internal to likely.
#pragma once

#include <cstdint>

namespace likely::kernels {

// What fits the nearest cache: the maximum of a block is found first, then its exponentials, and memory is
// read once.
inline constexpr std::int64_t kSoftmaxBlock = 4096;

}  // namespace likely::kernels
