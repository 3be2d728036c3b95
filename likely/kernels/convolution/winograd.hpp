// Convolution with 3 x 3 windows and stride 1 by Winograd's minimal filtering: a quarter of the
// multiplications. Internal to likely.
#pragma once

#include "likely/kernels/convolution/convolution.hpp"

namespace likely::kernels {

// True for shapes that this method covers and for which it is the fastest (docs/kernels.md has the numbers
// and the errors): 3 x 3 windows, stride and dilation 1, one group, paddings of at most 2, channels enough to
// fill vectors, and tiles enough to pay for the transformed weights. An infinite or NaN input may make NaN of
// all outputs of its 4 x 4 tile, not only of its own 3 x 3 window.
bool winograd_forward_applies(const Conv2dShape& shape);
bool winograd_backward_input_applies(const Conv2dShape& shape);
bool winograd_backward_weights_applies(const Conv2dShape& shape);

// The same contracts as in convolution.hpp.
void winograd_forward(const Conv2dShape& shape, const float* input, const float* weights, const float* bias,
                      bool relu, float* output);
void winograd_backward_input(const Conv2dShape& shape, const float* grad_output, const float* weights,
                             float* grad_input);
void winograd_backward_weights(const Conv2dShape& shape, const float* input, const float* grad_output,
                               float* grad_weights);

}  // namespace likely::kernels
