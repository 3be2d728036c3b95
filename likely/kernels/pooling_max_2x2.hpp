// Maximum pooling with 2 x 2 windows that do not overlap, in vectors: what nearly every network uses.
#pragma once

#include <cstdint>

namespace likely::kernels {

// One row of outputs from the input rows `top` and `top + in_width`. `first` is the index of top[0] in its
// plane; `index` may be null.
void max_pool_row_2x2(const float* top, std::int64_t in_width, std::int64_t out_width, std::int64_t first,
                      float* output, std::int64_t* index);

// The two rows of gradients of the inputs, each written once; columns from 2 * out_width on are set to zero.
void max_unpool_row_2x2(const float* grad_output, const std::int64_t* index, std::int64_t in_width,
                        std::int64_t out_width, std::int64_t first, float* grad_top);

}  // namespace likely::kernels
