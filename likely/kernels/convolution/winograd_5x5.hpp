// Convolution with 5 x 5 windows and stride 1 by Winograd's minimal filtering, one image of the batch in each
// lane of a vector: a third of the multiplications, and full vectors for any number of channels.
// Internal to likely.
#pragma once

#include "likely/kernels/convolution/convolution.hpp"

namespace likely::kernels {

// True for shapes that this method covers and for which it is the fastest: 5 x 5 windows, stride and dilation
// 1, one group, paddings of at most 4, at least 12 images (and not just over a multiple of 16), at least six
// and at most some dozen channels. An infinite or NaN input may make NaN of all outputs of the 2 x 2 tiles
// that it touches, not only of its own window.
bool winograd_5x5_applies(const Conv2dShape& shape);

// The same contracts as in convolution.hpp.
void winograd_5x5_forward(const Conv2dShape& shape, const float* input, const float* weights,
                          const float* bias, bool relu, float* output);
void winograd_5x5_backward_input(const Conv2dShape& shape, const float* grad_output, const float* weights,
                                 float* grad_input);
void winograd_5x5_backward_weights(const Conv2dShape& shape, const float* input, const float* grad_output,
                                   float* grad_weights);

}  // namespace likely::kernels
