#include "likely/kernels/convolution/convolution.hpp"

#include <algorithm>

#include "likely/core/threads.hpp"
#include "likely/kernels/convolution/columns.hpp"
#include "likely/kernels/convolution/flat.hpp"
#include "likely/kernels/convolution/winograd.hpp"
#include "likely/kernels/convolution/winograd_5x5.hpp"

namespace likely::kernels {

namespace {

std::int64_t outputs(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t dilation) {
  const std::int64_t reach = dilation * (kernel - 1) + 1;
  return size < reach ? 0 : (size - reach) / stride + 1;
}

// A channel's bias is added to each of its outputs, so its gradient is the sum over batch and plane.
template <class T>
void bias_gradient(const Conv2dShape& shape, const T* grad_output, T* grad_bias) {
  const std::int64_t plane = shape.out_height() * shape.out_width();
  const double nanoseconds = 0.3 * static_cast<double>(shape.batch * shape.out_channels * plane);
  parallel_tiles(shape.out_channels, nanoseconds, [&](std::int64_t channel) {
    constexpr std::int64_t kLanes = 16;
    T sum = 0;
    for (std::int64_t image = 0; image < shape.batch; ++image) {
      const T* const from = grad_output + (image * shape.out_channels + channel) * plane;
      // Sixteen sums side by side: the compiler may keep them in vectors without changing any bit.
      T lanes[kLanes] = {};
      std::int64_t i = 0;
      for (; i + kLanes <= plane; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] += from[i + lane];
      }
      T rest = 0;
      for (; i < plane; ++i) rest += from[i];
      for (std::int64_t half = kLanes / 2; half > 0; half /= 2) {
        for (std::int64_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
      }
      sum += lanes[0] + rest;
    }
    grad_bias[channel] = sum;
  });
}

// The fast ways count on images, channels and places; the way over columns takes what has none.
bool is_empty(const Conv2dShape& s) {
  return s.batch == 0 || s.in_channels == 0 || s.out_channels == 0 || s.in_height == 0 || s.in_width == 0 ||
         s.out_height() == 0 || s.out_width() == 0;
}

}  // namespace

std::int64_t Conv2dShape::out_height() const {
  return outputs(in_height + pad_top + pad_bottom, kernel_height, stride_h, dilation_h);
}

std::int64_t Conv2dShape::out_width() const {
  return outputs(in_width + pad_left + pad_right, kernel_width, stride_w, dilation_w);
}

void conv2d_forward(const Conv2dShape& shape, const float* input, const float* weights, const float* bias,
                    bool relu, float* output) {
  if (is_empty(shape)) return columns_forward(shape, input, weights, bias, relu, output);
  if (winograd_forward_applies(shape)) return winograd_forward(shape, input, weights, bias, relu, output);
  if (winograd_5x5_applies(shape)) return winograd_5x5_forward(shape, input, weights, bias, relu, output);
  if (flat_forward_applies(shape)) return flat_forward(shape, input, weights, bias, relu, output);
  columns_forward(shape, input, weights, bias, relu, output);
}

void conv2d_forward(const Conv2dShape& shape, const double* input, const double* weights, const double* bias,
                    bool relu, double* output) {
  columns_forward(shape, input, weights, bias, relu, output);
}

void conv2d_backward_input(const Conv2dShape& shape, const float* grad_output, const float* weights,
                           float* grad_input) {
  if (is_empty(shape)) return columns_backward_input(shape, grad_output, weights, grad_input);
  if (winograd_backward_input_applies(shape))
    return winograd_backward_input(shape, grad_output, weights, grad_input);
  if (winograd_5x5_applies(shape))
    return winograd_5x5_backward_input(shape, grad_output, weights, grad_input);
  columns_backward_input(shape, grad_output, weights, grad_input);
}

void conv2d_backward_input(const Conv2dShape& shape, const double* grad_output, const double* weights,
                           double* grad_input) {
  columns_backward_input(shape, grad_output, weights, grad_input);
}

void conv2d_backward_weights(const Conv2dShape& shape, const float* input, const float* grad_output,
                             float* grad_weights, float* grad_bias) {
  if (is_empty(shape)) {
    columns_backward_weights(shape, input, grad_output, grad_weights);
  } else if (winograd_backward_weights_applies(shape)) {
    winograd_backward_weights(shape, input, grad_output, grad_weights);
  } else if (winograd_5x5_applies(shape)) {
    winograd_5x5_backward_weights(shape, input, grad_output, grad_weights);
  } else if (flat_backward_weights_applies(shape)) {
    flat_backward_weights(shape, input, grad_output, grad_weights);
  } else {
    columns_backward_weights(shape, input, grad_output, grad_weights);
  }
  if (grad_bias != nullptr) bias_gradient(shape, grad_output, grad_bias);
}

void conv2d_backward_weights(const Conv2dShape& shape, const double* input, const double* grad_output,
                             double* grad_weights, double* grad_bias) {
  columns_backward_weights(shape, input, grad_output, grad_weights);
  if (grad_bias != nullptr) bias_gradient(shape, grad_output, grad_bias);
}

}  // namespace likely::kernels
