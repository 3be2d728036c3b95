// The windows of an image laid out as a matrix, and back. Internal to likely.
#pragma once

#include "likely/kernels/convolution/convolution.hpp"

namespace likely::kernels {

// One group of a convolution: sizes that the three layouts below share.
struct Windows {
  explicit Windows(const Conv2dShape& shape);

  Conv2dShape shape;
  std::int64_t out_height;
  std::int64_t out_width;
  std::int64_t group_in;   // input channels of a group
  std::int64_t group_out;  // output channels of a group
  std::int64_t depth;      // inputs of a window: group_in * kernel_height * kernel_width
  bool plain;              // windows of one input, side by side: the image is its own matrix

  std::int64_t in_size() const { return shape.in_height * shape.in_width; }
  std::int64_t out_size() const { return out_height * out_width; }
};

// columns[d][p] = the d-th input of the window of output p, for the outputs of rows [row, row + rows): a
// matrix of depth x (rows * out_width). Inputs outside the image are 0.
void gather_columns(const Windows& windows, const float* image, std::int64_t row, std::int64_t rows,
                    float* columns);
void gather_columns(const Windows& windows, const double* image, std::int64_t row, std::int64_t rows,
                    double* columns);

// The transpose of gather_columns as a linear map: adds each element to the input it came from.
void scatter_columns(const Windows& windows, const float* columns, std::int64_t row, std::int64_t rows,
                     float* image);
void scatter_columns(const Windows& windows, const double* columns, std::int64_t row, std::int64_t rows,
                     double* image);

// lines[p][d], the same values with one window a line; lines are `stride` >= depth apart. May write up to
// kGatherSlack elements after the last line.
inline constexpr std::int64_t kGatherSlack = 16;
void gather_windows(const Windows& windows, const float* image, std::int64_t row, std::int64_t rows,
                    std::int64_t stride, float* lines);
void gather_windows(const Windows& windows, const double* image, std::int64_t row, std::int64_t rows,
                    std::int64_t stride, double* lines);

}  // namespace likely::kernels
