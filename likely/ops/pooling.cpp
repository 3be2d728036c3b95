#include "likely/ops/pooling.hpp"

#include <algorithm>
#include <utility>

#include "likely/autodiff/tape.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/kernels/pooling/adaptive.hpp"
#include "likely/kernels/pooling/plane_index.hpp"
#include "likely/kernels/pooling/pooling.hpp"

namespace likely {

namespace {

// What a pooling does to which shapes: sliding windows, or (adaptive) evenly spread ones. In 1-D the planes
// have height 1.
struct Windows {
  const char* name;
  bool flat;
  bool adaptive;
  bool count_padding;
  kernels::Pool2dShape sliding;
  kernels::AdaptivePoolShape spread;
  Shape input;
  Shape output;

  std::int64_t in_size() const { return sliding.in_height * sliding.in_width; }
  std::int64_t out_size() const { return flat ? output.back() : output[output.rank() - 2] * output.back(); }
  kernels::PlaneIndex positions() const { return {sliding.planes, in_size(), out_size()}; }
};

// Maxima move the elements at `index` to the windows; differentiated, they only move others the same way and
// back.
Tensor gather_largest(const Windows& w, const Tensor& x, const Tensor& index);
Tensor scatter_largest(const Windows& w, const Tensor& g, const Tensor& index);

template <class T>
Tensor gather_numbers(const Windows& w, const Tensor& x, const Tensor& index) {
  Tensor y = Tensor::uninitialized(w.output, dtype_of<T>);
  kernels::gather_in_planes(w.positions(), x.data<T>(), index.data<std::int64_t>(), y.mutable_data<T>());
  return y;
}

Tensor gather_largest(const Windows& w, const Tensor& x, const Tensor& index) {
  if (Tape* tape = recording_tape(x)) {
    return tape->record(
        "max_pool_gather", gather_largest(w, tape->below(x), index), {&x},
        [w, index](const Tensor& g, Pull& pull) { pull(0, [&] { return scatter_largest(w, g, index); }); });
  }
  return detail::with_floating(w.name, x.dtype(),
                               [&]<class T>(T) { return gather_numbers<T>(w, x.contiguous(), index); });
}

template <class T>
Tensor scatter_numbers(const Windows& w, const Tensor& g, const Tensor& index) {
  Tensor x = Tensor::uninitialized(w.input, dtype_of<T>);
  if (w.adaptive) {
    kernels::scatter_in_planes(w.positions(), g.data<T>(), index.data<std::int64_t>(), x.mutable_data<T>());
  } else {
    // Knows that positions lie in their windows, which a plain scatter does not.
    kernels::max_pool2d_backward(w.sliding, g.data<T>(), index.data<std::int64_t>(), x.mutable_data<T>());
  }
  return x;
}

Tensor scatter_largest(const Windows& w, const Tensor& g, const Tensor& index) {
  if (Tape* tape = recording_tape(g)) {
    return tape->record(
        "max_unpool", scatter_largest(w, tape->below(g), index), {&g},
        [w, index](const Tensor& h, Pull& pull) { pull(0, [&] { return gather_largest(w, h, index); }); });
  }
  return detail::with_floating(w.name, g.dtype(),
                               [&]<class T>(T) { return scatter_numbers<T>(w, g.contiguous(), index); });
}

template <class T>
MaxPool max_numbers(const Windows& w, const Tensor& x, bool with_indices) {
  MaxPool result{Tensor::uninitialized(w.output, dtype_of<T>), {}};
  std::int64_t* index = nullptr;
  if (with_indices || w.adaptive) {
    result.indices = Tensor::uninitialized(w.output, DType::i64);
    index = result.indices.mutable_data<std::int64_t>();
  }
  if (w.adaptive) {
    kernels::adaptive_max_forward(w.spread, x.data<T>(), result.values.mutable_data<T>(), index);
  } else {
    kernels::max_pool2d_forward(w.sliding, x.data<T>(), result.values.mutable_data<T>(), index);
  }
  return result;
}

MaxPool max_pool(const Windows& w, const Tensor& x, bool with_indices) {
  if (Tape* tape = recording_tape(x)) {
    MaxPool lower = max_pool(w, tape->below(x), true);
    Tensor values =
        tape->record(w.name, lower.values, {&x}, [w, index = lower.indices](const Tensor& g, Pull& pull) {
          pull(0, [&] { return scatter_largest(w, g, index); });
        });
    return {std::move(values), std::move(lower.indices)};
  }
  return detail::with_floating(w.name, x.dtype(),
                               [&]<class T>(T) { return max_numbers<T>(w, x.contiguous(), with_indices); });
}

// Means and their transpose.
Tensor average(const Windows& w, const Tensor& x);
Tensor spread_average(const Windows& w, const Tensor& g);

template <class T>
Tensor average_numbers(const Windows& w, const Tensor& x) {
  Tensor y = Tensor::uninitialized(w.output, dtype_of<T>);
  if (w.adaptive) {
    kernels::adaptive_average_forward(w.spread, x.data<T>(), y.mutable_data<T>());
  } else {
    kernels::average_pool2d_forward(w.sliding, w.count_padding, x.data<T>(), y.mutable_data<T>());
  }
  return y;
}

Tensor average(const Windows& w, const Tensor& x) {
  if (Tape* tape = recording_tape(x)) {
    return tape->record(w.name, average(w, tape->below(x)), {&x},
                        [w](const Tensor& g, Pull& pull) { pull(0, [&] { return spread_average(w, g); }); });
  }
  return detail::with_floating(w.name, x.dtype(),
                               [&]<class T>(T) { return average_numbers<T>(w, x.contiguous()); });
}

template <class T>
Tensor spread_numbers(const Windows& w, const Tensor& g) {
  Tensor x = Tensor::uninitialized(w.input, dtype_of<T>);
  if (w.adaptive) {
    kernels::adaptive_average_backward(w.spread, g.data<T>(), x.mutable_data<T>());
  } else {
    kernels::average_pool2d_backward(w.sliding, w.count_padding, g.data<T>(), x.mutable_data<T>());
  }
  return x;
}

Tensor spread_average(const Windows& w, const Tensor& g) {
  if (Tape* tape = recording_tape(g)) {
    return tape->record("avg_pool_gradient", spread_average(w, tape->below(g)), {&g},
                        [w](const Tensor& h, Pull& pull) { pull(0, [&] { return average(w, h); }); });
  }
  return detail::with_floating(w.name, g.dtype(),
                               [&]<class T>(T) { return spread_numbers<T>(w, g.contiguous()); });
}

std::string extent_string(bool flat, const Extent2d& e) {
  return flat ? std::to_string(e.width) : std::to_string(e.height) + " x " + std::to_string(e.width);
}

// Everything that depends on the input alone.
Windows look_at(const char* name, bool flat, const Tensor& x) {
  const int axes = flat ? 1 : 2;
  if (x.rank() < axes) {
    refuse(name, "at least " + std::to_string(axes) + (flat ? " dimension is" : " dimensions are") +
                     " needed, got shape " + x.shape().string());
  }
  if (!is_floating(x.dtype())) {
    refuse(name, "floating numbers are needed, got " + std::string(name_of(x.dtype())));
  }
  Windows w{};
  w.name = name;
  w.flat = flat;
  w.count_padding = true;
  w.input = x.shape();
  w.output = x.shape();
  w.sliding.planes = x.shape().sub(0, x.rank() - axes).size();
  w.sliding.in_height = flat ? 1 : x.shape()[x.rank() - 2];
  w.sliding.in_width = x.shape().back();
  return w;
}

void set_output(Windows& w, const Extent2d& size) {
  if (!w.flat) w.output[w.output.rank() - 2] = size.height;
  w.output[w.output.rank() - 1] = size.width;
}

Windows sliding_windows(const char* name, bool flat, const Tensor& x, const Extent2d& kernel,
                        const Extent2d& stride, const Extent2d& padding) {
  Windows w = look_at(name, flat, x);
  if (kernel.height < 1 || kernel.width < 1) {
    refuse(name, "the kernel must be at least 1, got " + extent_string(flat, kernel));
  }
  if (stride.height < 1 || stride.width < 1) {
    refuse(name, "stride must be at least 1, got " + extent_string(flat, stride));
  }
  if (padding.height < 0 || padding.width < 0 || padding.height >= kernel.height ||
      padding.width >= kernel.width) {
    refuse(name, "padding must be at least 0 and smaller than the kernel " + extent_string(flat, kernel) +
                     ", got " + extent_string(flat, padding));
  }
  const auto beyond = [](const Extent2d& e) {
    return e.height > Shape::kMaxSize || e.width > Shape::kMaxSize;
  };
  if (beyond(kernel) || beyond(stride)) {
    refuse(name, "kernel and stride are beyond any size, got " + extent_string(flat, kernel) + " and " +
                     extent_string(flat, stride));
  }
  multiply_sizes(name, kernel.height, kernel.width);
  kernels::Pool2dShape& s = w.sliding;
  const bool empty = s.in_height < 1 || s.in_width < 1;
  if (empty || s.in_height + 2 * padding.height < kernel.height ||
      s.in_width + 2 * padding.width < kernel.width) {
    refuse(name, "the kernel " + extent_string(flat, kernel) + " is larger than the padded input " +
                     x.shape().string());
  }
  s.kernel_height = kernel.height;
  s.kernel_width = kernel.width;
  s.stride_h = stride.height;
  s.stride_w = stride.width;
  s.pad_top = s.pad_bottom = padding.height;
  s.pad_left = s.pad_right = padding.width;
  set_output(w, {s.out_height(), s.out_width()});
  return w;
}

Windows spread_windows(const char* name, bool flat, const Tensor& x, const Extent2d& size) {
  Windows w = look_at(name, flat, x);
  kernels::Pool2dShape& s = w.sliding;
  if (size.height < 1 || size.width < 1 || s.in_height < 1 || s.in_width < 1) {
    refuse(name, "cannot make " + extent_string(flat, size) + " windows of shape " + x.shape().string());
  }
  set_output(w, size);
  if (s.in_height % size.height == 0 && s.in_width % size.width == 0) {
    // Equal windows side by side: the faster kernels can do that.
    s.kernel_height = s.stride_h = s.in_height / size.height;
    s.kernel_width = s.stride_w = s.in_width / size.width;
  } else {
    w.adaptive = true;
    w.spread = {s.planes, s.in_height, s.in_width, size.height, size.width};
  }
  return w;
}

Windows windows_1d(const char* name, const Tensor& x, std::int64_t kernel,
                   const std::optional<std::int64_t>& stride, std::int64_t padding) {
  return sliding_windows(name, true, x, {1, kernel}, {1, stride.value_or(kernel)}, {0, padding});
}

}  // namespace

Tensor max_pool1d(const Tensor& x, std::int64_t kernel, const Pool1dOptions& options) {
  return max_pool(windows_1d("max_pool1d", x, kernel, options.stride, options.padding), x, false).values;
}

Tensor max_pool2d(const Tensor& x, const Extent2d& kernel, const Pool2dOptions& options) {
  return max_pool(sliding_windows("max_pool2d", false, x, kernel, options.stride.value_or(kernel),
                                  options.padding),
                  x, false)
      .values;
}

MaxPool max_pool1d_with_indices(const Tensor& x, std::int64_t kernel, const Pool1dOptions& options) {
  return max_pool(windows_1d("max_pool1d", x, kernel, options.stride, options.padding), x, true);
}

MaxPool max_pool2d_with_indices(const Tensor& x, const Extent2d& kernel, const Pool2dOptions& options) {
  return max_pool(
      sliding_windows("max_pool2d", false, x, kernel, options.stride.value_or(kernel), options.padding), x,
      true);
}

Tensor max_unpool2d(const Tensor& x, const Tensor& indices, const Extent2d& size) {
  // Seen from the other side: x is what a pooling of the larger planes gave.
  Windows w = look_at("max_unpool2d", false, x);
  if (!(indices.shape() == x.shape())) {
    refuse("max_unpool2d", "the indices must have the input's shape " + x.shape().string() + ", got " +
                               indices.shape().string());
  }
  if (indices.dtype() != DType::i64) {
    refuse("max_unpool2d", "the indices must be i64, got " + std::string(name_of(indices.dtype())));
  }
  if (size.height < 0 || size.width < 0) {
    refuse("max_unpool2d", "the size must not be negative, got " + extent_string(false, size));
  }
  multiply_sizes("max_unpool2d", size.height, size.width);
  w.adaptive = true;
  w.sliding.in_height = size.height;
  w.sliding.in_width = size.width;
  w.input[x.rank() - 2] = size.height;
  w.input[x.rank() - 1] = size.width;
  const Tensor index = indices.contiguous();
  const std::span positions(index.data<std::int64_t>(), static_cast<std::size_t>(index.size()));
  const auto outside =
      std::ranges::find_if(positions, [&](std::int64_t i) { return i < 0 || i >= w.in_size(); });
  if (outside != positions.end()) {
    refuse("max_unpool2d",
           "index " + std::to_string(*outside) + " is outside a plane of " + extent_string(false, size));
  }
  return scatter_largest(w, x, index);
}

Tensor avg_pool1d(const Tensor& x, std::int64_t kernel, const AveragePool1dOptions& options) {
  Windows w = windows_1d("avg_pool1d", x, kernel, options.stride, options.padding);
  w.count_padding = options.count_padding;
  return average(w, x);
}

Tensor avg_pool2d(const Tensor& x, const Extent2d& kernel, const AveragePool2dOptions& options) {
  Windows w =
      sliding_windows("avg_pool2d", false, x, kernel, options.stride.value_or(kernel), options.padding);
  w.count_padding = options.count_padding;
  return average(w, x);
}

Tensor adaptive_avg_pool1d(const Tensor& x, std::int64_t size) {
  return average(spread_windows("adaptive_avg_pool1d", true, x, {1, size}), x);
}

Tensor adaptive_avg_pool2d(const Tensor& x, const Extent2d& size) {
  return average(spread_windows("adaptive_avg_pool2d", false, x, size), x);
}

Tensor adaptive_max_pool1d(const Tensor& x, std::int64_t size) {
  return max_pool(spread_windows("adaptive_max_pool1d", true, x, {1, size}), x, false).values;
}

Tensor adaptive_max_pool2d(const Tensor& x, const Extent2d& size) {
  return max_pool(spread_windows("adaptive_max_pool2d", false, x, size), x, false).values;
}

}  // namespace likely
