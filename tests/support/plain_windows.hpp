// Convolutions and pooling as plain loops over (batch, channels, height, width). Nothing here uses likely.
#pragma once

#include <utility>

#include "tests/support/plain_array.hpp"

namespace likely::testing::plain {

struct WindowOptions {
  std::int64_t stride_h = 1, stride_w = 1;
  std::int64_t top = 0, bottom = 0, left = 0, right = 0;  // zeros around the input
  std::int64_t dilation_h = 1, dilation_w = 1;
  std::int64_t groups = 1;
};

// y[n, o, i, j] = bias[o] + sum of weight[o, c, k, l] x[n, c, i stride + k dilation - top, ...]; an empty
// bias is 0.
Array convolution(const Array& x, const Array& weight, const Array& bias, const WindowOptions& options);
// Each x[n, c, i, j] weight[c, o, k, l] goes to [n, o, i stride + k dilation - top, ...] of a result of this
// size.
Array transposed_convolution(const Array& x, const Array& weight, const Array& bias,
                             const WindowOptions& options, std::int64_t height, std::int64_t width);

// Lines (batch, channels, length) seen as planes of height 1, and back.
Array as_planes(const Array& x);
Array as_lines(const Array& x);

// The inputs [begin, end) of one window along one axis.
using Window = std::pair<std::int64_t, std::int64_t>;
using Windows = std::vector<Window>;
// Windows that slide: of `kernel` elements, cut off at the borders.
Windows sliding(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t padding);
// `count` windows spread evenly.
Windows adaptive(std::int64_t size, std::int64_t count);

// The first largest element of each window over the last two axes, or its place in the plane.
Array largest(const Array& x, const Windows& rows, const Windows& columns, bool places);
// The mean of each window, divided by its elements or by `count` where that is above 0.
Array average(const Array& x, const Windows& rows, const Windows& columns, std::int64_t count);

}  // namespace likely::testing::plain
