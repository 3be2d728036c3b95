// Convolution as matrix products over gathered columns: any stride, padding, dilation and groups.
// Internal to likely.
#pragma once

#include "likely/kernels/convolution/convolution.hpp"

namespace likely::kernels {

// The same contracts as in convolution.hpp, for T = float and double.
template <class T>
void columns_forward(const Conv2dShape& shape, const T* input, const T* weights, const T* bias, bool relu,
                     T* output);
template <class T>
void columns_backward_input(const Conv2dShape& shape, const T* grad_output, const T* weights, T* grad_input);
template <class T>
void columns_backward_weights(const Conv2dShape& shape, const T* input, const T* grad_output,
                              T* grad_weights);

}  // namespace likely::kernels
