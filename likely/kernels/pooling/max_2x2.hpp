// Maximum pooling with 2 x 2 windows that do not overlap, in vectors: what nearly every network uses.
// Internal to likely.
#pragma once

#include <cstdint>

namespace likely::kernels {

// The outputs of one plane; `index` may be null. Requires in_width < 2^30.
void max_pool_plane_2x2(const float* input, std::int64_t in_width, std::int64_t out_height,
                        std::int64_t out_width, float* output, std::int64_t* index);

// The gradients of the inputs of the first 2 * out_height rows of one plane, each written once.
void max_unpool_plane_2x2(const float* grad_output, const std::int64_t* index, std::int64_t in_width,
                          std::int64_t out_height, std::int64_t out_width, float* grad_input);

}  // namespace likely::kernels
