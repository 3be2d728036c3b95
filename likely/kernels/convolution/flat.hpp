// Convolution with stride 1 straight from the image: no matrix of windows, for layers with few channels.
// Internal to likely.
#pragma once

#include "likely/kernels/convolution/convolution.hpp"

namespace likely::kernels {

// An image with rows of width w is one long line, and so is its output with rows of the same width, of which
// the last w - out_width are thrown away:  output[p] = sum_d weights[d] line[p + offset_d].  Both directions
// below read whole vectors of the line at the offsets of the window.

// True for shapes that the method covers and for which it is the fastest.
bool flat_forward_applies(const Conv2dShape& shape);
bool flat_backward_weights_applies(const Conv2dShape& shape);

// The same contracts as in convolution.hpp. In the gradient of the weights, an infinite or NaN input may
// reach weights whose windows it is not in, since the outputs thrown away have gradient zero but are
// multiplied.
void flat_forward(const Conv2dShape& shape, const float* input, const float* weights, const float* bias,
                  bool relu, float* output);
void flat_backward_weights(const Conv2dShape& shape, const float* input, const float* grad_output,
                           float* grad_weights);

}  // namespace likely::kernels
