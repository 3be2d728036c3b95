#include "likely/kernels/convolution_columns.hpp"

#include <algorithm>

#include "likely/core/threads.hpp"
#include "likely/kernels/gemm_simd.hpp"
#include "likely/kernels/scratch.hpp"

namespace likely::kernels {

namespace {

// Columns of this many bytes stay in a second-level cache between being gathered and being multiplied.
constexpr std::int64_t kColumnBytes = 256 * 1024;
constexpr double kNanosecondsPerMultiplyAdd = 0.04;

// A convolution of one group, and how its output rows are cut.
struct Geometry {
  Conv2dShape s;
  std::int64_t out_height;
  std::int64_t out_width;
  std::int64_t group_in;   // input channels of a group
  std::int64_t group_out;  // output channels of a group
  std::int64_t depth;      // products in the sum of one output
  std::int64_t block;      // output rows whose columns are gathered at a time
  bool plain;              // 1 x 1 windows: the image is its own column matrix

  Geometry(const Conv2dShape& shape, std::int64_t element_size)
      : s(shape),
        out_height(shape.out_height()),
        out_width(shape.out_width()),
        group_in(shape.in_channels / shape.groups),
        group_out(shape.out_channels / shape.groups),
        depth(group_in * shape.kernel_height * shape.kernel_width),
        block(out_height),
        plain(s.kernel_height == 1 && s.kernel_width == 1 && s.stride_h == 1 && s.stride_w == 1 &&
              s.pad_top == 0 && s.pad_left == 0 && s.pad_bottom == 0 && s.pad_right == 0) {
    if (!plain && depth * out_width > 0) {
      const std::int64_t rows = kColumnBytes / element_size / (depth * out_width);
      block = std::clamp<std::int64_t>(rows, 1, std::max<std::int64_t>(1, out_height));
    }
  }

  std::int64_t in_size() const { return s.in_height * s.in_width; }
  std::int64_t out_size() const { return out_height * out_width; }
  bool empty() const { return s.batch == 0 || s.out_channels == 0 || out_size() == 0; }
  double nanoseconds() const {
    return kNanosecondsPerMultiplyAdd * static_cast<double>(s.batch * s.out_channels * depth) *
           static_cast<double>(out_size());
  }
};

// The outputs x of one row, [begin, end), whose input x * stride - pad + offset lies inside [0, size).
struct Inside {
  std::int64_t begin;
  std::int64_t end;
  Inside(std::int64_t outputs, std::int64_t stride, std::int64_t offset, std::int64_t size) {
    begin = std::clamp<std::int64_t>(offset >= 0 ? 0 : (-offset + stride - 1) / stride, 0, outputs);
    end = std::clamp<std::int64_t>(size - offset <= 0 ? 0 : (size - offset - 1) / stride + 1, begin, outputs);
  }
};

// Calls visit(line of the column matrix, image row or null, first x of the image, inside) for each kernel
// position and output row of [row, row + rows).
template <class T, class Visit>
void visit_lines(const Geometry& g, T* image, std::int64_t row, std::int64_t rows, const Visit& visit) {
  std::int64_t line = 0;
  for (std::int64_t channel = 0; channel < g.group_in; ++channel) {
    for (std::int64_t i = 0; i < g.s.kernel_height; ++i) {
      for (std::int64_t j = 0; j < g.s.kernel_width; ++j, ++line) {
        const std::int64_t left = j * g.s.dilation_w - g.s.pad_left;
        const Inside inside(g.out_width, g.s.stride_w, left, g.s.in_width);
        for (std::int64_t r = 0; r < rows; ++r) {
          const std::int64_t y = (row + r) * g.s.stride_h - g.s.pad_top + i * g.s.dilation_h;
          const bool outside = y < 0 || y >= g.s.in_height;
          T* const source = outside ? nullptr : image + channel * g.in_size() + y * g.s.in_width;
          visit((line * rows + r) * g.out_width, source, left, inside);
        }
      }
    }
  }
}

template <class T>
void gather(const Geometry& g, const T* image, std::int64_t row, std::int64_t rows, T* columns) {
  visit_lines(g, image, row, rows,
              [&](std::int64_t at, const T* source, std::int64_t left, const Inside& inside) {
                T* const line = columns + at;
                if (source == nullptr) {
                  std::fill(line, line + g.out_width, T(0));
                  return;
                }
                std::fill(line, line + inside.begin, T(0));
                if (g.s.stride_w == 1) {
                  std::copy(source + left + inside.begin, source + left + inside.end, line + inside.begin);
                } else {
                  for (std::int64_t x = inside.begin; x < inside.end; ++x) {
                    line[x] = source[x * g.s.stride_w + left];
                  }
                }
                std::fill(line + inside.end, line + g.out_width, T(0));
              });
}

template <class T>
void scatter(const Geometry& g, const T* columns, std::int64_t row, std::int64_t rows, T* image) {
  visit_lines(g, image, row, rows, [&](std::int64_t at, T* target, std::int64_t left, const Inside& inside) {
    if (target == nullptr) return;
    const T* const line = columns + at;
    for (std::int64_t x = inside.begin; x < inside.end; ++x) target[x * g.s.stride_w + left] += line[x];
  });
}

template <class T>
void add_bias(const Geometry& g, const T* bias, bool relu, T* output) {
  for (std::int64_t channel = 0; channel < g.s.out_channels; ++channel) {
    T* const plane = output + channel * g.out_size();
    const T shift = bias == nullptr ? T(0) : bias[channel];
    for (std::int64_t i = 0; i < g.out_size(); ++i) {
      const T value = plane[i] + shift;
      plane[i] = relu && value < T(0) ? T(0) : value;
    }
  }
}

template <class T>
void multiply(const Product<T>& product) {
  multiply_part(product, {0, product.m, 0, product.n});
}

// Calls body(first row, rows) for each block of output rows.
template <class Body>
void for_each_block(const Geometry& g, const Body& body) {
  for (std::int64_t row = 0; row < g.out_height; row += g.block) {
    body(row, std::min(g.block, g.out_height - row));
  }
}

}  // namespace

template <class T>
void columns_forward(const Conv2dShape& shape, const T* input, const T* weights, const T* bias, bool relu,
                     T* output) {
  const Geometry g(shape, sizeof(T));
  if (g.empty()) return;
  parallel_tiles(shape.batch, g.nanoseconds(), [&](std::int64_t image) {
    T* const result = output + image * shape.out_channels * g.out_size();
    for (std::int64_t group = 0; group < shape.groups; ++group) {
      const T* const from = input + (image * shape.in_channels + group * g.group_in) * g.in_size();
      T* const to = result + group * g.group_out * g.out_size();
      if (g.depth == 0) {
        std::fill(to, to + g.group_out * g.out_size(), T(0));
        continue;
      }
      for_each_block(g, [&](std::int64_t row, std::int64_t rows) {
        const std::int64_t count = rows * g.out_width;
        const T* columns = from;
        if (!g.plain) {
          T* const gathered = scratch<T>(ScratchSlot::convolution_columns, g.depth * count);
          gather(g, from, row, rows, gathered);
          columns = gathered;
        }
        multiply(Product<T>{false, false, g.group_out, count, g.depth, T(1),
                            weights + group * g.group_out * g.depth, g.depth, columns, count, T(0),
                            to + row * g.out_width, g.out_size()});
      });
    }
    if (bias != nullptr || relu) add_bias(g, bias, relu, result);
  });
}

template <class T>
void columns_backward_input(const Conv2dShape& shape, const T* grad_output, const T* weights, T* grad_input) {
  const Geometry g(shape, sizeof(T));
  const std::int64_t image_size = shape.in_channels * g.in_size();
  if (g.empty() || g.depth == 0) {
    std::fill(grad_input, grad_input + shape.batch * image_size, T(0));
    return;
  }
  parallel_tiles(shape.batch, g.nanoseconds(), [&](std::int64_t image) {
    T* const result = grad_input + image * image_size;
    if (!g.plain) std::fill(result, result + image_size, T(0));
    for (std::int64_t group = 0; group < shape.groups; ++group) {
      const T* const from = grad_output + (image * shape.out_channels + group * g.group_out) * g.out_size();
      T* const to = result + group * g.group_in * g.in_size();
      for_each_block(g, [&](std::int64_t row, std::int64_t rows) {
        const std::int64_t count = rows * g.out_width;
        T* const columns = g.plain ? to : scratch<T>(ScratchSlot::convolution_columns, g.depth * count);
        multiply(Product<T>{true, false, g.depth, count, g.group_out, T(1),
                            weights + group * g.group_out * g.depth, g.depth, from + row * g.out_width,
                            g.out_size(), T(0), columns, count});
        if (!g.plain) scatter(g, columns, row, rows, to);
      });
    }
  });
}

template <class T>
void columns_backward_weights(const Conv2dShape& shape, const T* input, const T* grad_output,
                              T* grad_weights) {
  const Geometry g(shape, sizeof(T));
  const std::int64_t size = shape.out_channels * g.depth;
  if (g.empty() || size == 0) {
    std::fill(grad_weights, grad_weights + size, T(0));
    return;
  }
  // Each chunk of images has a sum of its own; the chunks are cut by the batch alone and added in order.
  constexpr std::int64_t kChunks = 16;
  const std::int64_t each = (shape.batch + kChunks - 1) / kChunks;
  const std::int64_t chunks = (shape.batch + each - 1) / each;
  T* const sums = scratch<T>(ScratchSlot::convolution_partial_sums, chunks * size);
  parallel_tiles(chunks, g.nanoseconds(), [&](std::int64_t chunk) {
    T* const sum = sums + chunk * size;
    std::fill(sum, sum + size, T(0));
    const std::int64_t end = std::min(shape.batch, (chunk + 1) * each);
    for (std::int64_t image = chunk * each; image < end; ++image) {
      for (std::int64_t group = 0; group < shape.groups; ++group) {
        const T* const from = input + (image * shape.in_channels + group * g.group_in) * g.in_size();
        const T* const gradient =
            grad_output + (image * shape.out_channels + group * g.group_out) * g.out_size();
        for_each_block(g, [&](std::int64_t row, std::int64_t rows) {
          const std::int64_t count = rows * g.out_width;
          const T* columns = from;
          if (!g.plain) {
            T* const gathered = scratch<T>(ScratchSlot::convolution_columns, g.depth * count);
            gather(g, from, row, rows, gathered);
            columns = gathered;
          }
          multiply(Product<T>{false, true, g.group_out, g.depth, count, T(1), gradient + row * g.out_width,
                              g.out_size(), columns, count, T(1), sum + group * g.group_out * g.depth,
                              g.depth});
        });
      }
    }
  });
  for (std::int64_t i = 0; i < size; ++i) {
    T sum = 0;
    for (std::int64_t chunk = 0; chunk < chunks; ++chunk) sum += sums[chunk * size + i];
    grad_weights[i] = sum;
  }
}

template void columns_forward(const Conv2dShape&, const float*, const float*, const float*, bool, float*);
template void columns_forward(const Conv2dShape&, const double*, const double*, const double*, bool, double*);
template void columns_backward_input(const Conv2dShape&, const float*, const float*, float*);
template void columns_backward_input(const Conv2dShape&, const double*, const double*, double*);
template void columns_backward_weights(const Conv2dShape&, const float*, const float*, float*);
template void columns_backward_weights(const Conv2dShape&, const double*, const double*, double*);

}  // namespace likely::kernels
