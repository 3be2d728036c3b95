// Maximum and average pooling over the two last axes of raw row-major memory. Internal to likely.
#pragma once

#include <cstdint>

namespace likely::kernels {

// Windows of kernel_height x kernel_width over `planes` images (batch times channels) of in_height x
// in_width. Each padding must be smaller than the kernel's side, so that every window holds at least one
// input.
struct Pool2dShape {
  std::int64_t planes = 0;
  std::int64_t in_height = 0;
  std::int64_t in_width = 0;
  std::int64_t kernel_height = 1;
  std::int64_t kernel_width = 1;
  std::int64_t stride_h = 1;
  std::int64_t stride_w = 1;
  std::int64_t pad_top = 0;
  std::int64_t pad_left = 0;
  std::int64_t pad_bottom = 0;
  std::int64_t pad_right = 0;

  std::int64_t out_height() const;
  std::int64_t out_width() const;
};

// output = the largest input of each window, index = where it is in its plane (row * in_width + column).
// Of equal values the first wins, padding never does, and a NaN counts as larger than everything.
// `index` may be null.
void max_pool2d_forward(const Pool2dShape& shape, const float* input, float* output, std::int64_t* index);
void max_pool2d_forward(const Pool2dShape& shape, const double* input, double* output, std::int64_t* index);

// grad_input[index of an output] = the sum of grad_output over the outputs with that index; 0 elsewhere.
void max_pool2d_backward(const Pool2dShape& shape, const float* grad_output, const std::int64_t* index,
                         float* grad_input);
void max_pool2d_backward(const Pool2dShape& shape, const double* grad_output, const std::int64_t* index,
                         double* grad_input);

// output = the sum of each window over the number of its inputs, or over the kernel's size if
// count_include_padding (padding counts as zeros then).
void average_pool2d_forward(const Pool2dShape& shape, bool count_include_padding, const float* input,
                            float* output);
void average_pool2d_forward(const Pool2dShape& shape, bool count_include_padding, const double* input,
                            double* output);

// grad_input = the sum of grad_output / count over the windows that hold the input.
void average_pool2d_backward(const Pool2dShape& shape, bool count_include_padding, const float* grad_output,
                             float* grad_input);
void average_pool2d_backward(const Pool2dShape& shape, bool count_include_padding, const double* grad_output,
                             double* grad_input);

}  // namespace likely::kernels
