#include "likely/ops/convolution.hpp"

#include "likely/autodiff/tape.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/core/layer_error.hpp"
#include "likely/kernels/convolution/convolution.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace {

// All sizes of a convolution. In memory 1-D tensors look like 2-D ones of height 1: only the ranks differ.
struct Geometry : kernels::Conv2dShape {
  bool flat = false;

  Shape input_shape() const { return with_plane(batch, in_channels, in_height, in_width); }
  Shape weight_shape() const {
    return with_plane(out_channels, in_channels / groups, kernel_height, kernel_width);
  }
  Shape output_shape() const { return with_plane(batch, out_channels, out_height(), out_width()); }

 private:
  Shape with_plane(std::int64_t a, std::int64_t b, std::int64_t height, std::int64_t width) const {
    return flat ? Shape{a, b, width} : Shape{a, b, height, width};
  }
};

// Three operations, each linear in each input and made of the other two when differentiated:
//   convolve(x, w) = y,   transposed(g, w) = dx,   weight_gradient(x, g) = dw.
Tensor convolve(const Geometry& s, const Tensor& x, const Tensor& w, const Tensor& bias, bool relu);
Tensor transposed(const Geometry& s, const Tensor& g, const Tensor& w);
Tensor weight_gradient(const Geometry& s, const Tensor& x, const Tensor& g);

// A tensor that only the gradient of `partner` looks at.
Tensor kept_for(const Tape& tape, const Tensor& partner, const Tensor& lower) {
  return tape.tracks(partner) ? lower : Tensor();
}

template <class T>
Tensor convolve_numbers(const Geometry& s, const Tensor& x, const Tensor& w, const Tensor& bias, bool relu) {
  Tensor y = Tensor::uninitialized(s.output_shape(), dtype_of<T>);
  kernels::conv2d_forward(s, x.data<T>(), w.data<T>(), bias.defined() ? bias.data<T>() : nullptr, relu,
                          y.mutable_data<T>());
  return y;
}

Tensor convolve(const Geometry& s, const Tensor& x, const Tensor& w, const Tensor& bias, bool relu) {
  if (Tape* tape = recording_tape(x, w, bias)) {
    const Tensor lower_x = tape->below(x);
    const Tensor lower_w = tape->below(w);
    const Tensor y = convolve(s, lower_x, lower_w, tape->below(bias), relu);
    return tape->record(s.flat ? "conv1d" : "conv2d", y, {&x, &w, &bias},
                        [s, kept_x = kept_for(*tape, w, lower_x), kept_w = kept_for(*tape, x, lower_w),
                         kept_y = relu ? y : Tensor()](const Tensor& g, Pull& pull) {
                          const Tensor slope = kept_y.defined() ? relu_gradient(kept_y, g) : g;
                          pull(0, [&] { return transposed(s, slope, kept_w); });
                          pull(1, [&] { return weight_gradient(s, kept_x, slope); });
                          pull(2, [&] { return sum(slope, s.flat ? Axes{0, 2} : Axes{0, 2, 3}); });
                        });
  }
  const Tensor dense_bias = bias.defined() ? bias.contiguous() : bias;
  return detail::with_floating(s.flat ? "conv1d" : "conv2d", x.dtype(), [&]<class T>(T) {
    return convolve_numbers<T>(s, x.contiguous(), w.contiguous(), dense_bias, relu);
  });
}

template <class T>
Tensor transposed_numbers(const Geometry& s, const Tensor& g, const Tensor& w) {
  Tensor x = Tensor::uninitialized(s.input_shape(), dtype_of<T>);
  kernels::conv2d_backward_input(s, g.data<T>(), w.data<T>(), x.mutable_data<T>());
  return x;
}

Tensor transposed(const Geometry& s, const Tensor& g, const Tensor& w) {
  if (Tape* tape = recording_tape(g, w)) {
    const Tensor lower_g = tape->below(g);
    const Tensor lower_w = tape->below(w);
    return tape->record(s.flat ? "conv_transpose1d" : "conv_transpose2d", transposed(s, lower_g, lower_w),
                        {&g, &w},
                        [s, kept_g = kept_for(*tape, w, lower_g), kept_w = kept_for(*tape, g, lower_w)](
                            const Tensor& h, Pull& pull) {
                          pull(0, [&] { return convolve(s, h, kept_w, {}, false); });
                          pull(1, [&] { return weight_gradient(s, h, kept_g); });
                        });
  }
  return detail::with_floating(s.flat ? "conv_transpose1d" : "conv_transpose2d", g.dtype(), [&]<class T>(T) {
    return transposed_numbers<T>(s, g.contiguous(), w.contiguous());
  });
}

template <class T>
Tensor weight_gradient_numbers(const Geometry& s, const Tensor& x, const Tensor& g) {
  Tensor w = Tensor::uninitialized(s.weight_shape(), dtype_of<T>);
  kernels::conv2d_backward_weights(s, x.data<T>(), g.data<T>(), w.mutable_data<T>(), nullptr);
  return w;
}

Tensor weight_gradient(const Geometry& s, const Tensor& x, const Tensor& g) {
  if (Tape* tape = recording_tape(x, g)) {
    const Tensor lower_x = tape->below(x);
    const Tensor lower_g = tape->below(g);
    return tape->record(s.flat ? "conv1d_weight_gradient" : "conv2d_weight_gradient",
                        weight_gradient(s, lower_x, lower_g), {&x, &g},
                        [s, kept_x = kept_for(*tape, g, lower_x), kept_g = kept_for(*tape, x, lower_g)](
                            const Tensor& h, Pull& pull) {
                          pull(0, [&] { return transposed(s, kept_g, h); });
                          pull(1, [&] { return convolve(s, kept_x, h, {}, false); });
                        });
  }
  return detail::with_floating(s.flat ? "conv1d" : "conv2d", x.dtype(), [&]<class T>(T) {
    return weight_gradient_numbers<T>(s, x.contiguous(), g.contiguous());
  });
}

// Who calls with which tensors, so that every refusal can say so.
struct Call {
  const char* name;
  const Tensor& x;
  const Tensor& weight;
  const Tensor& bias;
  bool flat;

  std::string shapes() const {
    return "input " + x.shape().string() + " and weight " + weight.shape().string();
  }
};

std::string extent_string(bool flat, const Extent2d& e) {
  return flat ? std::to_string(e.width) : std::to_string(e.height) + " x " + std::to_string(e.width);
}

void check_at_least(const Call& call, const char* what, const Extent2d& value, std::int64_t least) {
  if (value.height < least || value.width < least) {
    refuse(call.name, std::string(what) + " must be at least " + std::to_string(least) + ", got " +
                          extent_string(call.flat, value));
  }
  if (value.height > Shape::kMaxSize || value.width > Shape::kMaxSize) {
    refuse(call.name, std::string(what) + " is beyond any size, got " + extent_string(call.flat, value));
  }
}

void check_tensors(const Call& call, std::int64_t groups, std::int64_t bias_size) {
  const int rank = call.flat ? 3 : 4;
  if (call.x.rank() != rank) {
    refuse(call.name, std::string("the input must be (batch, channels, ") +
                          (call.flat ? "length)" : "height, width)") + ", got shape " +
                          call.x.shape().string());
  }
  if (call.weight.rank() != rank) {
    refuse(call.name, "the weight must have " + std::to_string(rank) + " dimensions, got shape " +
                          call.weight.shape().string());
  }
  if (!is_floating(call.x.dtype()) || !is_floating(call.weight.dtype())) {
    refuse(call.name, "floating numbers are needed, got " + std::string(name_of(call.x.dtype())) + " and " +
                          std::string(name_of(call.weight.dtype())));
  }
  for (int axis = 2; axis < rank; ++axis) {
    if (call.weight.shape()[axis] < 1) {
      refuse(call.name, "the kernel is empty: weight " + call.weight.shape().string());
    }
  }
  if (groups < 1 || call.x.shape()[1] % groups != 0 || call.weight.shape()[0] % groups != 0) {
    refuse(call.name, "groups " + std::to_string(groups) + " must divide the channels of " + call.shapes());
  }
  if (call.bias.defined() && !(call.bias.shape() == Shape{bias_size})) {
    refuse(call.name, "the bias must have shape " + Shape{bias_size}.string() + " for " + call.shapes() +
                          ", got " + call.bias.shape().string());
  }
}

// Sizes that are the same for a convolution and its transpose.
Geometry make_geometry(const Call& call, const Extent2d& stride, const Extent2d& dilation,
                       std::int64_t groups) {
  Geometry s;
  s.flat = call.flat;
  s.batch = call.x.shape()[0];
  s.out_channels = call.weight.shape()[0];
  s.in_channels = multiply_sizes(call.name, call.weight.shape()[1], groups);
  s.kernel_height = call.flat ? 1 : call.weight.shape()[2];
  s.kernel_width = call.weight.shape().back();
  s.stride_h = stride.height;
  s.stride_w = stride.width;
  s.dilation_h = dilation.height;
  s.dilation_w = dilation.width;
  s.groups = groups;
  return s;
}

// What a kernel reaches over, without its first element.
Extent2d reach_of(const Call& call, const Geometry& s) {
  return {multiply_sizes(call.name, s.dilation_h, s.kernel_height - 1),
          multiply_sizes(call.name, s.dilation_w, s.kernel_width - 1)};
}

// Kernels number the elements of the padded input, which may be far more than go in and come out.
void check_padded(const Call& call, const Geometry& s) {
  const Shape padded{s.batch, s.in_channels, add_sizes(call.name, s.in_height, s.pad_top + s.pad_bottom),
                     add_sizes(call.name, s.in_width, s.pad_left + s.pad_right)};
  padded.size();
}

DType common_type(const Call& call) {
  const DType type = promote(call.x.dtype(), call.weight.dtype());
  return call.bias.defined() ? promote(type, call.bias.dtype()) : type;
}

Geometry convolution_geometry(const Call& call, const Conv2dOptions& options) {
  check_at_least(call, "stride", options.stride, 1);
  check_at_least(call, "dilation", options.dilation, 1);
  check_at_least(call, "padding", options.padding.size, 0);
  check_tensors(call, options.groups, call.weight.rank() > 0 ? call.weight.shape()[0] : 0);
  Geometry s = make_geometry(call, options.stride, options.dilation, options.groups);
  if (call.x.shape()[1] != s.in_channels) {
    refuse(call.name, "the weight takes " + std::to_string(s.in_channels) + " channels in " +
                          std::to_string(options.groups) + " groups: " + call.shapes());
  }
  s.in_height = call.flat ? 1 : call.x.shape()[2];
  s.in_width = call.x.shape().back();
  const Extent2d reach = reach_of(call, s);
  if (options.padding.same) {
    if (s.stride_h != 1 || s.stride_w != 1) {
      refuse(call.name,
             "same padding needs stride 1, got stride " + extent_string(call.flat, options.stride));
    }
    s.pad_top = reach.height / 2;
    s.pad_bottom = reach.height - s.pad_top;
    s.pad_left = reach.width / 2;
    s.pad_right = reach.width - s.pad_left;
  } else {
    s.pad_top = s.pad_bottom = options.padding.size.height;
    s.pad_left = s.pad_right = options.padding.size.width;
  }
  check_padded(call, s);
  if (s.out_height() < 1 || s.out_width() < 1) {
    refuse(call.name, "the kernel reaches over " +
                          extent_string(call.flat, {reach.height + 1, reach.width + 1}) +
                          ", beyond the padded input: " + call.shapes());
  }
  return s;
}

Tensor convolution(const Call& call, const Conv2dOptions& options) {
  const Geometry s =
      concerning({&call.weight, &call.bias}, [&] { return convolution_geometry(call, options); });
  const DType type = common_type(call);
  return convolve(s, cast(call.x, type), cast(call.weight, type),
                  call.bias.defined() ? cast(call.bias, type) : Tensor(), options.relu);
}

Geometry transposed_geometry(const Call& call, const ConvTranspose2dOptions& options) {
  check_at_least(call, "stride", options.stride, 1);
  check_at_least(call, "dilation", options.dilation, 1);
  check_at_least(call, "padding", options.padding, 0);
  check_at_least(call, "output_padding", options.output_padding, 0);
  if (options.output_padding.height >= options.stride.height ||
      options.output_padding.width >= options.stride.width) {
    refuse(call.name, "output_padding " + extent_string(call.flat, options.output_padding) +
                          " must be smaller than stride " + extent_string(call.flat, options.stride));
  }
  const std::int64_t bias_size = call.weight.rank() < 2 || options.groups < 1
                                     ? 0
                                     : multiply_sizes(call.name, call.weight.shape()[1], options.groups);
  check_tensors(call, options.groups, bias_size);
  Geometry s = make_geometry(call, options.stride, options.dilation, options.groups);
  if (call.x.shape()[1] != s.out_channels) {
    refuse(call.name, "the weight takes " + std::to_string(s.out_channels) + " channels: " + call.shapes());
  }
  const bool empty = call.x.shape().back() < 1 || (!call.flat && call.x.shape()[2] < 1);
  const Extent2d reach = reach_of(call, s);
  const auto result_size = [&](std::int64_t size, std::int64_t stride, std::int64_t padding,
                               std::int64_t reached, std::int64_t output_padding) {
    const std::int64_t first_to_last = empty ? 0 : multiply_sizes(call.name, size - 1, stride);
    return first_to_last + reached + 1 + output_padding - 2 * padding;
  };
  s.pad_top = s.pad_bottom = options.padding.height;
  s.pad_left = s.pad_right = options.padding.width;
  s.in_height = call.flat ? 1
                          : result_size(call.x.shape()[2], s.stride_h, s.pad_top, reach.height,
                                        options.output_padding.height);
  s.in_width =
      result_size(call.x.shape().back(), s.stride_w, s.pad_left, reach.width, options.output_padding.width);
  if (empty || s.in_height < 1 || s.in_width < 1) {
    refuse(call.name, "nothing is left of the result: " + call.shapes() + " with padding " +
                          extent_string(call.flat, options.padding));
  }
  check_padded(call, s);
  return s;
}

Tensor transposed_convolution(const Call& call, const ConvTranspose2dOptions& options) {
  const Geometry s =
      concerning({&call.weight, &call.bias}, [&] { return transposed_geometry(call, options); });
  const DType type = common_type(call);
  Tensor y = transposed(s, cast(call.x, type), cast(call.weight, type));
  if (!call.bias.defined()) return y;
  return y + reshape(cast(call.bias, type), call.flat ? Shape{s.in_channels, 1} : Shape{s.in_channels, 1, 1});
}

}  // namespace

Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv1dOptions& options) {
  Conv2dOptions both{.stride = {1, options.stride},
                     .padding = {0, options.padding.size},
                     .dilation = {1, options.dilation},
                     .groups = options.groups,
                     .relu = options.relu};
  both.padding.same = options.padding.same;
  return convolution({"conv1d", x, weight, bias, true}, both);
}

Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv2dOptions& options) {
  return convolution({"conv2d", x, weight, bias, false}, options);
}

Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const ConvTranspose1dOptions& options) {
  return transposed_convolution({"conv_transpose1d", x, weight, bias, true},
                                {.stride = {1, options.stride},
                                 .padding = {0, options.padding},
                                 .output_padding = {0, options.output_padding},
                                 .dilation = {1, options.dilation},
                                 .groups = options.groups});
}

Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const ConvTranspose2dOptions& options) {
  return transposed_convolution({"conv_transpose2d", x, weight, bias, false}, options);
}

}  // namespace likely
