#include "likely/ops/convolution.hpp"

#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"
#include "tests/support/plain_windows.hpp"

namespace likely::testing {

namespace {

using plain::Array;
using plain::as_lines;
using plain::as_planes;
using plain::Extents;
using plain::Number;
using plain::WindowOptions;

Array rectified(const Array& x) {
  return plain::map([](const Number& v) { return v.value > 0 ? v : Number(0); }, x);
}

// A kernel without channels is refused, and so is one that is empty.
void check_kernel(const Array& weight) {
  for (std::size_t i = 2; i < weight.shape.size(); ++i) {
    if (weight.shape[i] < 1) throw plain::Refused();
  }
}

struct Convolution {
  std::string name;
  std::string x, weight;
  std::vector<std::string> sizes;
  Conv2dOptions options{};
  bool bias = true;
  bool winograd = false;  // larger errors
};

std::vector<Convolution> convolutions() {
  const Conv2dOptions around{.padding = 1};
  return {
      {"columns",
       "nchw",
       "oc23",
       {"n=2 c=3 h=7 w=9 o=4"},
       {.stride = {2, 1}, .padding = {1, 2}, .dilation = {1, 2}}},
      {"columns, many", "nchw", "oc32", {"n=2 c=3 h=7 w=9 o=4", "n=17 c=5 h=9 w=11 o=6"}, {.stride = {1, 2}}},
      {"groups", "n4hw", "6233", {"n=2 h=7 w=9", "n=3 h=12 w=15"}, {.padding = 1, .groups = 2}},
      {"depthwise", "n4hw", "4133", {"n=2 h=7 w=9"}, {.padding = kSame, .groups = 4, .relu = true}},
      {"1x1", "nchw", "oc11", {"n=2 c=3 h=7 w=9 o=4", "n=3 c=33 h=5 w=13 o=17"}, {.relu = true}},
      {"winograd",
       "nchw",
       "oc33",
       {"n=2 c=17 h=6 w=9 o=16", "n=3 c=16 h=13 w=11 o=18"},
       {.padding = 1, .relu = true},
       true,
       true},
      {"winograd, other padding",
       "nchw",
       "oc33",
       {"n=1 c=16 h=7 w=6 o=16"},
       {.padding = {0, 2}},
       false,
       true},
      {"winograd backwards", "nchw", "oc33", {"n=3 c=8 h=9 w=11 o=9"}, around, true, true},
      {"winograd of 5x5",
       "nchw",
       "oc55",
       {"n=13 c=6 h=6 w=5 o=7", "n=16 c=7 h=7 w=6 o=6"},
       {.padding = 2, .relu = true},
       true,
       true},
      {"flat", "nchw", "oc33", {"n=2 c=3 h=9 w=16 o=5", "n=3 c=2 h=17 w=21 o=7"}, around},
      {"flat, no padding",
       "nchw",
       "oc35",
       {"n=2 c=2 h=12 w=31 o=5", "n=17 c=2 h=12 w=31 o=5"},
       {.relu = true}},
      {"same", "nchw", "oc24", {"n=2 c=3 h=7 w=9 o=4"}, {.padding = kSame}},
  };
}

WindowOptions plain_options(const Conv2dOptions& o, const Array& weight) {
  WindowOptions w{.stride_h = o.stride.height,
                  .stride_w = o.stride.width,
                  .top = o.padding.size.height,
                  .bottom = o.padding.size.height,
                  .left = o.padding.size.width,
                  .right = o.padding.size.width,
                  .dilation_h = o.dilation.height,
                  .dilation_w = o.dilation.width,
                  .groups = o.groups};
  if (o.padding.same) {
    const std::int64_t high = o.dilation.height * (weight.shape[2] - 1);
    const std::int64_t wide = o.dilation.width * (weight.shape[3] - 1);
    w.top = high / 2;
    w.bottom = high - w.top;
    w.left = wide / 2;
    w.right = wide - w.left;
  }
  return w;
}

Op conv_op(const Convolution& c) {
  Op op = {.name = "conv2d, " + c.name,
           .declares = {"conv2d(Tensor, Tensor, Tensor, Conv2dOptions)"},
           .inputs = {{.axes = c.x}, {.axes = c.weight, .low = -0.5, .high = 0.5}},
           .sizes = c.sizes,
           .call = [c](const Tensors& t) { return conv2d(t[0], t[1], c.bias ? t[2] : Tensor(), c.options); },
           .loop =
               [c](const Arrays& t) {
                 check_kernel(t[1]);
                 const Array y = plain::convolution(t[0], t[1], c.bias ? t[2] : Array(Extents{0}),
                                                    plain_options(c.options, t[1]));
                 return c.options.relu ? rectified(y) : y;
               },
           // Differences would step over the kink of relu.
           .second = !c.options.relu,
           .slack = c.winograd ? 32.0 : 8.0,
           .gradient_slack = c.winograd ? 64.0 : 16.0};
  if (c.bias) op.inputs.push_back({.axes = c.weight.substr(0, 1)});
  return op;
}

Op conv1d_op(const std::string& name, const Conv1dOptions& o, const std::vector<std::string>& sizes) {
  return {.name = "conv1d, " + name,
          .declares = {"conv1d(Tensor, Tensor, Tensor, Conv1dOptions)"},
          .inputs = {{.axes = "ncw"}, {.axes = "oc3", .low = -0.5, .high = 0.5}, {.axes = "o"}},
          .sizes = sizes,
          .call = [o](const Tensors& t) { return conv1d(t[0], t[1], t[2], o); },
          .loop =
              [o](const Arrays& t) {
                const Conv2dOptions both{
                    .stride = {1, o.stride},
                    .padding = o.padding.same ? Padding2d(kSame) : Padding2d(0, o.padding.size),
                    .dilation = {1, o.dilation}};
                const Array weight = as_planes(t[1]);
                const Array y =
                    as_lines(plain::convolution(as_planes(t[0]), weight, t[2], plain_options(both, weight)));
                return o.relu ? rectified(y) : y;
              }};
}

Op transposed_op(const std::string& name, const ConvTranspose2dOptions& o,
                 const std::vector<std::string>& sizes, const std::string& x = "nchw",
                 const std::string& weight = "co23") {
  const bool grouped = o.groups > 1;
  return {.name = "conv_transpose2d, " + name,
          .declares = {"conv_transpose2d(Tensor, Tensor, Tensor, ConvTranspose2dOptions)"},
          .inputs = {{.axes = x},
                     {.axes = weight, .low = -0.5, .high = 0.5},
                     {.axes = grouped ? "6" : weight.substr(1, 1)}},
          .sizes = sizes,
          .call = [o](const Tensors& t) { return conv_transpose2d(t[0], t[1], t[2], o); },
          .loop =
              [o](const Arrays& t) {
                const WindowOptions w{.stride_h = o.stride.height,
                                      .stride_w = o.stride.width,
                                      .top = o.padding.height,
                                      .left = o.padding.width,
                                      .dilation_h = o.dilation.height,
                                      .dilation_w = o.dilation.width,
                                      .groups = o.groups};
                const std::int64_t height = (t[0].shape[2] - 1) * w.stride_h - 2 * w.top +
                                            w.dilation_h * (t[1].shape[2] - 1) + 1 + o.output_padding.height;
                const std::int64_t width = (t[0].shape[3] - 1) * w.stride_w - 2 * w.left +
                                           w.dilation_w * (t[1].shape[3] - 1) + 1 + o.output_padding.width;
                return plain::transposed_convolution(t[0], t[1], t[2], w, height, width);
              },
          .slack = 32,
          .gradient_slack = 64};
}

Op transposed_line() {
  return {.name = "conv_transpose1d",
          .declares = {"conv_transpose1d(Tensor, Tensor, Tensor, ConvTranspose1dOptions)"},
          .inputs = {{.axes = "ncw"}, {.axes = "co3"}, {.axes = "o"}},
          .sizes = {"n=2 c=3 w=7 o=4", "n=3 c=5 w=67 o=6"},
          .call =
              [](const Tensors& t) {
                return conv_transpose1d(t[0], t[1], t[2],
                                        {.stride = 2, .padding = 1, .output_padding = 1, .dilation = 2});
              },
          .loop =
              [](const Arrays& t) {
                const WindowOptions w{.stride_w = 2, .left = 1, .dilation_w = 2};
                const std::int64_t width = (t[0].shape[2] - 1) * 2 - 2 + 2 * 2 + 1 + 1;
                return as_lines(
                    plain::transposed_convolution(as_planes(t[0]), as_planes(t[1]), t[2], w, 1, width));
              }};
}

}  // namespace

Ops convolution_ops() {
  Ops ops;
  for (const Convolution& c : convolutions()) {
    ops.push_back(conv_op(c));
    if (!c.winograd || !c.options.relu) continue;
    // Beside a gradient that relu has made 0, a tile of Winograd's has the rounding of its neighbours:
    // gradients are checked without relu.
    ops.back().gradient = false;
    Convolution linear = c;
    linear.name += ", no relu";
    linear.options.relu = false;
    ops.push_back(conv_op(linear));
  }
  ops.push_back(conv1d_op("flat", {.padding = 1}, {"n=2 c=3 w=70 o=4", "n=3 c=5 w=300 o=6"}));
  ops.push_back(
      conv1d_op("steps", {.stride = 2, .padding = 2, .dilation = 2, .relu = true}, {"n=2 c=3 w=11 o=4"}));
  ops.push_back(conv1d_op("same", {.padding = kSame}, {"n=2 c=3 w=11 o=4"}));
  ops.push_back(transposed_op(
      "steps", {.stride = {2, 3}, .padding = {1, 0}, .output_padding = {1, 2}, .dilation = {1, 2}},
      {"n=2 c=3 h=4 w=5 o=2", "n=2 c=5 h=9 w=11 o=6"}));
  ops.push_back(transposed_op("groups", {.padding = 1, .groups = 2}, {"n=2 h=4 w=5"}, "n4hw", "4323"));
  ops.push_back(transposed_op("winograd", {.padding = 1}, {"n=2 c=9 h=6 w=7 o=8"}, "nchw", "co33"));
  ops.push_back(transposed_line());
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Convolution, OpProperties, ::testing::ValuesIn(convolution_ops()), name_of_op);

}  // namespace likely::testing
