#include "likely/kernels/convolution/columns.hpp"

#include <algorithm>

#include "likely/core/threads.hpp"
#include "likely/kernels/convolution/gather.hpp"
#include "likely/kernels/gemm/simd.hpp"
#include "likely/kernels/scratch.hpp"

namespace likely::kernels {

namespace {

// A matrix of windows of this many bytes stays in a second-level cache between being gathered and being
// multiplied.
constexpr std::int64_t kMatrixBytes = 256 * 1024;

bool is_empty(const Windows& w) {
  return w.shape.batch == 0 || w.shape.out_channels == 0 || w.out_size() == 0 || w.depth == 0;
}

double nanoseconds(const Windows& w) {
  constexpr double kPerMultiplyAdd = 0.02;
  return kPerMultiplyAdd * static_cast<double>(w.shape.batch * w.shape.out_channels * w.depth) *
         static_cast<double>(w.out_size());
}

// Calls body(first row, rows) for blocks of output rows whose windows have about kMatrixBytes.
template <class T, class Body>
void for_each_block(const Windows& w, const Body& body) {
  const std::int64_t row_bytes = w.depth * w.out_width * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t block =
      w.plain ? w.out_height : std::clamp(kMatrixBytes / row_bytes, std::int64_t{1}, w.out_height);
  for (std::int64_t row = 0; row < w.out_height; row += block) body(row, std::min(block, w.out_height - row));
}

template <class T>
void multiply(const Product<T>& product) {
  multiply_part(product, {0, product.m, 0, product.n});
}

template <class T>
void add_bias(const Windows& w, const T* bias, bool relu, T* output) {
  for (std::int64_t channel = 0; channel < w.shape.out_channels; ++channel) {
    T* const plane = output + channel * w.out_size();
    const T shift = bias == nullptr ? T(0) : bias[channel];
    for (std::int64_t i = 0; i < w.out_size(); ++i) {
      const T value = plane[i] + shift;
      plane[i] = relu && value < T(0) ? T(0) : value;
    }
  }
}

}  // namespace

template <class T>
void columns_forward(const Conv2dShape& s, const T* input, const T* weights, const T* bias, bool relu,
                     T* output) {
  const Windows w(s);
  const std::int64_t image_size = s.out_channels * w.out_size();
  const bool empty = is_empty(w);
  if (empty) std::fill(output, output + s.batch * image_size, T(0));
  parallel_tiles(s.batch, nanoseconds(w), [&](std::int64_t image) {
    T* const result = output + image * image_size;
    for (std::int64_t group = 0; group < s.groups && !empty; ++group) {
      const T* const from = input + (image * s.in_channels + group * w.group_in) * w.in_size();
      T* const to = result + group * w.group_out * w.out_size();
      for_each_block<T>(w, [&](std::int64_t row, std::int64_t rows) {
        const std::int64_t count = rows * w.out_width;
        const T* columns = from;
        if (!w.plain) {
          T* const gathered = scratch<T>(ScratchSlot::convolution_columns, w.depth * count);
          gather_columns(w, from, row, rows, gathered);
          columns = gathered;
        }
        multiply(Product<T>{false, false, w.group_out, count, w.depth, T(1),
                            weights + group * w.group_out * w.depth, w.depth, columns, count, T(0),
                            to + row * w.out_width, w.out_size()});
      });
    }
    if (bias != nullptr || relu) add_bias(w, bias, relu, result);
  });
}

template <class T>
void columns_backward_input(const Conv2dShape& s, const T* grad_output, const T* weights, T* grad_input) {
  const Windows w(s);
  const std::int64_t image_size = s.in_channels * w.in_size();
  if (is_empty(w)) {
    std::fill(grad_input, grad_input + s.batch * image_size, T(0));
    return;
  }
  parallel_tiles(s.batch, nanoseconds(w), [&](std::int64_t image) {
    T* const result = grad_input + image * image_size;
    if (!w.plain) std::fill(result, result + image_size, T(0));
    for (std::int64_t group = 0; group < s.groups; ++group) {
      const T* const from = grad_output + (image * s.out_channels + group * w.group_out) * w.out_size();
      T* const to = result + group * w.group_in * w.in_size();
      for_each_block<T>(w, [&](std::int64_t row, std::int64_t rows) {
        const std::int64_t count = rows * w.out_width;
        T* const columns = w.plain ? to : scratch<T>(ScratchSlot::convolution_columns, w.depth * count);
        multiply(Product<T>{true, false, w.depth, count, w.group_out, T(1),
                            weights + group * w.group_out * w.depth, w.depth, from + row * w.out_width,
                            w.out_size(), T(0), columns, count});
        if (!w.plain) scatter_columns(w, columns, row, rows, to);
      });
    }
  });
}

template <class T>
void columns_backward_weights(const Conv2dShape& s, const T* input, const T* grad_output, T* grad_weights) {
  const Windows w(s);
  const std::int64_t size = s.out_channels * w.depth;
  if (is_empty(w)) {
    std::fill(grad_weights, grad_weights + size, T(0));
    return;
  }
  // Each chunk of images has a sum of its own; the chunks are cut by the batch alone and added in order.
  constexpr std::int64_t kChunks = 16;
  const std::int64_t each = (s.batch + kChunks - 1) / kChunks;
  const std::int64_t chunks = (s.batch + each - 1) / each;
  const std::int64_t stride = (w.depth + 15) / 16 * 16;
  T* const sums = scratch<T>(ScratchSlot::convolution_partial_sums, chunks * size);
  parallel_tiles(chunks, nanoseconds(w), [&](std::int64_t chunk) {
    T* const sum = sums + chunk * size;
    const std::int64_t end = std::min(s.batch, (chunk + 1) * each);
    for (std::int64_t image = chunk * each; image < end; ++image) {
      for (std::int64_t group = 0; group < s.groups; ++group) {
        const T* const from = input + (image * s.in_channels + group * w.group_in) * w.in_size();
        const T* const gradient = grad_output + (image * s.out_channels + group * w.group_out) * w.out_size();
        for_each_block<T>(w, [&](std::int64_t row, std::int64_t rows) {
          const std::int64_t count = rows * w.out_width;
          Product<T> product{false,
                             w.plain,
                             w.group_out,
                             w.depth,
                             count,
                             T(1),
                             gradient + row * w.out_width,
                             w.out_size(),
                             from,
                             w.in_size(),
                             T(1),
                             sum + group * w.group_out * w.depth,
                             w.depth};
          if (image == chunk * each && row == 0) product.beta = T(0);
          if (!w.plain) {
            T* const lines = scratch<T>(ScratchSlot::convolution_columns, stride * count + kGatherSlack);
            gather_windows(w, from, row, rows, stride, lines);
            product.b = lines;
            product.ldb = stride;
          }
          multiply(product);
        });
      }
    }
  });
  for (std::int64_t chunk = 1; chunk < chunks; ++chunk) {
    const T* const more = sums + chunk * size;
    for (std::int64_t i = 0; i < size; ++i) sums[i] += more[i];
  }
  std::copy_n(sums, size, grad_weights);
}

template void columns_forward(const Conv2dShape&, const float*, const float*, const float*, bool, float*);
template void columns_forward(const Conv2dShape&, const double*, const double*, const double*, bool, double*);
template void columns_backward_input(const Conv2dShape&, const float*, const float*, float*);
template void columns_backward_input(const Conv2dShape&, const double*, const double*, double*);
template void columns_backward_weights(const Conv2dShape&, const float*, const float*, float*);
template void columns_backward_weights(const Conv2dShape&, const double*, const double*, double*);

}  // namespace likely::kernels
