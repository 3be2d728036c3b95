#include "likely/kernels/pooling/pooling.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "likely/core/threads.hpp"
#include "likely/kernels/pooling/max_2x2.hpp"
#include "likely/kernels/scratch.hpp"

namespace likely::kernels {

std::int64_t Pool2dShape::out_height() const {
  return (in_height + pad_top + pad_bottom - kernel_height) / stride_h + 1;
}

std::int64_t Pool2dShape::out_width() const {
  return (in_width + pad_left + pad_right - kernel_width) / stride_w + 1;
}

namespace {

// The inputs [begin, end) of one window along one axis.
struct Range {
  std::int64_t begin;
  std::int64_t end;
};

Range window(std::int64_t out, std::int64_t stride, std::int64_t pad, std::int64_t kernel,
             std::int64_t size) {
  const std::int64_t begin = out * stride - pad;
  return {std::max<std::int64_t>(0, begin), std::min(size, begin + kernel)};
}

// Planes are independent, so any cut gives the same bits; a tile is some thousands of elements.
template <class Body>
void for_each_plane(const Pool2dShape& shape, double nanoseconds_per_input, const Body& body) {
  const std::int64_t size = std::max<std::int64_t>(1, shape.in_height * shape.in_width);
  const std::int64_t each = std::max<std::int64_t>(1, 8192 / size);
  const std::int64_t tiles = (shape.planes + each - 1) / each;
  const double nanoseconds = nanoseconds_per_input * static_cast<double>(shape.planes * size);
  parallel_tiles(tiles, nanoseconds, [&](std::int64_t tile) {
    const std::int64_t end = std::min(shape.planes, (tile + 1) * each);
    for (std::int64_t plane = tile * each; plane < end; ++plane) body(plane);
  });
}

bool is_plain_2x2(const Pool2dShape& s) {
  return s.kernel_height == 2 && s.kernel_width == 2 && s.stride_h == 2 && s.stride_w == 2 &&
         s.pad_top == 0 && s.pad_left == 0 && s.pad_bottom == 0 && s.pad_right == 0 && s.in_width < (1 << 30);
}

template <class T>
void max_plane(const Pool2dShape& s, const T* input, T* output, std::int64_t* index) {
  const std::int64_t out_height = s.out_height();
  const std::int64_t out_width = s.out_width();
  for (std::int64_t row = 0; row < out_height; ++row) {
    const Range rows = window(row, s.stride_h, s.pad_top, s.kernel_height, s.in_height);
    for (std::int64_t column = 0; column < out_width; ++column) {
      const Range columns = window(column, s.stride_w, s.pad_left, s.kernel_width, s.in_width);
      std::int64_t best = rows.begin * s.in_width + columns.begin;
      T largest = input[best];
      for (std::int64_t y = rows.begin; y < rows.end; ++y) {
        for (std::int64_t x = columns.begin; x < columns.end; ++x) {
          const T value = input[y * s.in_width + x];
          if (value > largest || std::isnan(value)) {
            largest = value;
            best = y * s.in_width + x;
          }
        }
      }
      output[row * out_width + column] = largest;
      if (index != nullptr) index[row * out_width + column] = best;
    }
  }
}

template <class T>
void max_forward(const Pool2dShape& s, const T* input, T* output, std::int64_t* index) {
  const std::int64_t in_size = s.in_height * s.in_width;
  const std::int64_t out_height = s.out_height();
  const std::int64_t out_width = s.out_width();
  const bool plain = is_plain_2x2(s);
  for_each_plane(s, plain ? 0.2 : 2.0, [&](std::int64_t plane) {
    const T* const from = input + plane * in_size;
    T* const to = output + plane * out_height * out_width;
    std::int64_t* const where = index == nullptr ? nullptr : index + plane * out_height * out_width;
    if constexpr (std::is_same_v<T, float>) {
      if (plain) return max_pool_plane_2x2(from, s.in_width, out_height, out_width, to, where);
    }
    max_plane(s, from, to, where);
  });
}

template <class T>
void max_backward(const Pool2dShape& s, const T* grad_output, const std::int64_t* index, T* grad_input) {
  const std::int64_t in_size = s.in_height * s.in_width;
  const std::int64_t out_height = s.out_height();
  const std::int64_t out_width = s.out_width();
  const bool plain = is_plain_2x2(s);
  for_each_plane(s, plain ? 0.2 : 1.0, [&](std::int64_t plane) {
    const T* const from = grad_output + plane * out_height * out_width;
    const std::int64_t* const where = index + plane * out_height * out_width;
    T* const to = grad_input + plane * in_size;
    if constexpr (std::is_same_v<T, float>) {
      if (plain) {
        max_unpool_plane_2x2(from, where, s.in_width, out_height, out_width, to);
        std::fill(to + 2 * out_height * s.in_width, to + in_size, T(0));
        return;
      }
    }
    std::fill(to, to + in_size, T(0));
    for (std::int64_t i = 0; i < out_height * out_width; ++i) to[where[i]] += from[i];
  });
}

// A window's sum is a sum of sums over its rows, so both directions work on one line of column sums at a
// time.
template <class T>
void average_forward(const Pool2dShape& s, bool include_padding, const T* input, T* output) {
  const std::int64_t out_height = s.out_height();
  const std::int64_t out_width = s.out_width();
  for_each_plane(s, 0.5, [&](std::int64_t plane) {
    const T* const from = input + plane * s.in_height * s.in_width;
    T* const to = output + plane * out_height * out_width;
    T* const line = scratch<T>(ScratchSlot::pooling_line, s.in_width);
    for (std::int64_t row = 0; row < out_height; ++row) {
      const Range rows = window(row, s.stride_h, s.pad_top, s.kernel_height, s.in_height);
      std::copy_n(from + rows.begin * s.in_width, s.in_width, line);
      for (std::int64_t y = rows.begin + 1; y < rows.end; ++y) {
        for (std::int64_t x = 0; x < s.in_width; ++x) line[x] += from[y * s.in_width + x];
      }
      const std::int64_t height = include_padding ? s.kernel_height : rows.end - rows.begin;
      for (std::int64_t column = 0; column < out_width; ++column) {
        const Range columns = window(column, s.stride_w, s.pad_left, s.kernel_width, s.in_width);
        T sum = 0;
        for (std::int64_t x = columns.begin; x < columns.end; ++x) sum += line[x];
        const std::int64_t width = include_padding ? s.kernel_width : columns.end - columns.begin;
        to[row * out_width + column] = sum / static_cast<T>(height * width);
      }
    }
  });
}

template <class T>
void average_backward(const Pool2dShape& s, bool include_padding, const T* grad_output, T* grad_input) {
  const std::int64_t out_height = s.out_height();
  const std::int64_t out_width = s.out_width();
  for_each_plane(s, 0.7, [&](std::int64_t plane) {
    const T* const from = grad_output + plane * out_height * out_width;
    T* const to = grad_input + plane * s.in_height * s.in_width;
    T* const line = scratch<T>(ScratchSlot::pooling_line, s.in_width);
    std::fill(to, to + s.in_height * s.in_width, T(0));
    for (std::int64_t row = 0; row < out_height; ++row) {
      const Range rows = window(row, s.stride_h, s.pad_top, s.kernel_height, s.in_height);
      const std::int64_t height = include_padding ? s.kernel_height : rows.end - rows.begin;
      std::fill(line, line + s.in_width, T(0));
      for (std::int64_t column = 0; column < out_width; ++column) {
        const Range columns = window(column, s.stride_w, s.pad_left, s.kernel_width, s.in_width);
        const std::int64_t width = include_padding ? s.kernel_width : columns.end - columns.begin;
        const T share = from[row * out_width + column] / static_cast<T>(height * width);
        for (std::int64_t x = columns.begin; x < columns.end; ++x) line[x] += share;
      }
      for (std::int64_t y = rows.begin; y < rows.end; ++y) {
        for (std::int64_t x = 0; x < s.in_width; ++x) to[y * s.in_width + x] += line[x];
      }
    }
  });
}

}  // namespace

void max_pool2d_forward(const Pool2dShape& shape, const float* input, float* output, std::int64_t* index) {
  max_forward(shape, input, output, index);
}

void max_pool2d_forward(const Pool2dShape& shape, const double* input, double* output, std::int64_t* index) {
  max_forward(shape, input, output, index);
}

void max_pool2d_backward(const Pool2dShape& shape, const float* grad_output, const std::int64_t* index,
                         float* grad_input) {
  max_backward(shape, grad_output, index, grad_input);
}

void max_pool2d_backward(const Pool2dShape& shape, const double* grad_output, const std::int64_t* index,
                         double* grad_input) {
  max_backward(shape, grad_output, index, grad_input);
}

void average_pool2d_forward(const Pool2dShape& shape, bool count_include_padding, const float* input,
                            float* output) {
  average_forward(shape, count_include_padding, input, output);
}

void average_pool2d_forward(const Pool2dShape& shape, bool count_include_padding, const double* input,
                            double* output) {
  average_forward(shape, count_include_padding, input, output);
}

void average_pool2d_backward(const Pool2dShape& shape, bool count_include_padding, const float* grad_output,
                             float* grad_input) {
  average_backward(shape, count_include_padding, grad_output, grad_input);
}

void average_pool2d_backward(const Pool2dShape& shape, bool count_include_padding, const double* grad_output,
                             double* grad_input) {
  average_backward(shape, count_include_padding, grad_output, grad_input);
}

}  // namespace likely::kernels
