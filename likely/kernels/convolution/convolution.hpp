// Two-dimensional convolution (cross-correlation, as networks use it) over raw memory, with its gradients.
// Internal to likely.
#pragma once

#include <cstdint>

namespace likely::kernels {

// Images are (batch, channels, height, width), weights (out_channels, in_channels / groups, kernel_height,
// kernel_width), all row-major without gaps. A 1-D convolution has height 1; a transposed convolution is the
// gradient with respect to the input.
struct Conv2dShape {
  std::int64_t batch = 1;
  std::int64_t in_channels = 1;
  std::int64_t in_height = 1;
  std::int64_t in_width = 1;
  std::int64_t out_channels = 1;
  std::int64_t kernel_height = 1;
  std::int64_t kernel_width = 1;
  std::int64_t stride_h = 1;
  std::int64_t stride_w = 1;
  std::int64_t pad_top = 0;
  std::int64_t pad_left = 0;
  std::int64_t pad_bottom = 0;
  std::int64_t pad_right = 0;
  std::int64_t dilation_h = 1;
  std::int64_t dilation_w = 1;
  std::int64_t groups = 1;  // divides both numbers of channels

  // (in_height + pad_top + pad_bottom - dilation_h (kernel_height - 1) - 1) / stride_h + 1, at least 0.
  std::int64_t out_height() const;
  std::int64_t out_width() const;
};

// output[b, o, y, x] = bias[o] + sum_{c, i, j} weights[o, c, i, j] *
//     input[b, first channel of o's group + c, y stride_h - pad_top + i dilation_h, x stride_w - pad_left + j
//     dilation_w]
// where inputs outside the image are 0. `bias` may be null; with `relu`, negative results become 0 and NaN
// stays. The bits do not depend on the number of threads. That holds for all functions of this file.
void conv2d_forward(const Conv2dShape& shape, const float* input, const float* weights, const float* bias,
                    bool relu, float* output);
void conv2d_forward(const Conv2dShape& shape, const double* input, const double* weights, const double* bias,
                    bool relu, double* output);

// The gradient of <grad_output, output> with respect to the input: the transposed convolution of grad_output.
void conv2d_backward_input(const Conv2dShape& shape, const float* grad_output, const float* weights,
                           float* grad_input);
void conv2d_backward_input(const Conv2dShape& shape, const double* grad_output, const double* weights,
                           double* grad_input);

// The gradient of <grad_output, output> with respect to the weights and, unless null, the bias.
void conv2d_backward_weights(const Conv2dShape& shape, const float* input, const float* grad_output,
                             float* grad_weights, float* grad_bias);
void conv2d_backward_weights(const Conv2dShape& shape, const double* input, const double* grad_output,
                             double* grad_weights, double* grad_bias);

}  // namespace likely::kernels
