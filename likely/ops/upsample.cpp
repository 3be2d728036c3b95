#include "likely/ops/upsample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "likely/autodiff/tape.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/kernels/pooling/resample.hpp"

namespace likely {

namespace {

// A resampling and its transpose, in the names of the public operations.
struct Resampling : kernels::ResampleShape {
  const char* name;
  Shape input;
  Shape output;
};
using Plan = std::shared_ptr<const Resampling>;

Tensor resample(const Plan& plan, const Tensor& x);
Tensor resample_gradient(const Plan& plan, const Tensor& g);

Tensor resample(const Plan& plan, const Tensor& x) {
  if (Tape* tape = recording_tape(x)) {
    return tape->record(
        plan->name, resample(plan, tape->below(x)), {&x},
        [plan](const Tensor& g, Pull& pull) { pull(0, [&] { return resample_gradient(plan, g); }); });
  }
  const Tensor dense = x.contiguous();
  Tensor y = Tensor::uninitialized(plan->output, x.dtype());
  detail::with_floating(plan->name, x.dtype(), [&]<class T>(T) {
    kernels::resample_forward(*plan, dense.data<T>(), y.mutable_data<T>());
  });
  return y;
}

Tensor resample_gradient(const Plan& plan, const Tensor& g) {
  if (Tape* tape = recording_tape(g)) {
    return tape->record("upsample_gradient", resample_gradient(plan, tape->below(g)), {&g},
                        [plan](const Tensor& h, Pull& pull) { pull(0, [&] { return resample(plan, h); }); });
  }
  const Tensor dense = g.contiguous();
  Tensor x = Tensor::uninitialized(plan->input, g.dtype());
  detail::with_floating(plan->name, g.dtype(), [&]<class T>(T) {
    kernels::resample_backward(*plan, dense.data<T>(), x.mutable_data<T>());
  });
  return x;
}

// No axis is as long as this; what is longer is refused, not computed.
constexpr std::int64_t kLargest = std::int64_t{1} << 40;

std::int64_t scaled(std::int64_t size, double scale) {
  return static_cast<std::int64_t>(std::min(static_cast<double>(size) * scale, 2.0 * kLargest));
}

using MakeTaps = std::vector<kernels::Tap> (*)(std::int64_t in, std::int64_t out, const kernels::Step& step);

Tensor upsample(const char* name, MakeTaps make_taps, const Tensor& x, const UpsampleOptions& options) {
  if (x.rank() < 2) refuse(name, "at least two dimensions are needed, got shape " + x.shape().string());
  if (!is_floating(x.dtype())) {
    refuse(name, "floating numbers are needed, got " + std::string(name_of(x.dtype())));
  }
  if (options.size.has_value() == options.scale.has_value()) {
    refuse(name, "either a size or a scale is needed");
  }
  const std::int64_t in_height = x.shape()[x.rank() - 2];
  const std::int64_t in_width = x.shape().back();
  Extent2d size = 0;
  kernels::Step step_h{};
  kernels::Step step_w{};
  if (options.size) {
    size = *options.size;
    step_h = {static_cast<double>(in_height), static_cast<double>(size.height)};
    step_w = {static_cast<double>(in_width), static_cast<double>(size.width)};
  } else {
    const Scale2d scale = *options.scale;
    const bool positive = scale.height > 0.0 && scale.width > 0.0;
    if (!positive || !std::isfinite(scale.height) || !std::isfinite(scale.width)) {
      refuse(name, fmt::format("the scale must be positive, got {} x {}", scale.height, scale.width));
    }
    size = {scaled(in_height, scale.height), scaled(in_width, scale.width)};
    step_h = {1.0, scale.height};
    step_w = {1.0, scale.width};
  }
  const bool possible =
      size.height >= 1 && size.width >= 1 && size.height <= kLargest && size.width <= kLargest;
  if (!possible || in_height < 1 || in_width < 1) {
    refuse(name, "cannot make " + std::to_string(size.height) + " x " + std::to_string(size.width) +
                     " elements out of shape " + x.shape().string());
  }
  auto plan = std::make_shared<Resampling>();
  plan->name = name;
  plan->input = x.shape();
  plan->output = x.shape();
  plan->output[x.rank() - 2] = size.height;
  plan->output[x.rank() - 1] = size.width;
  plan->output.size();  // refuses more than memory holds before lists of that length are made
  plan->planes = x.shape().sub(0, x.rank() - 2).size();
  plan->in_height = in_height;
  plan->in_width = in_width;
  plan->rows = make_taps(in_height, size.height, step_h);
  plan->columns = make_taps(in_width, size.width, step_w);
  return resample(plan, x);
}

}  // namespace

Tensor upsample_nearest(const Tensor& x, const UpsampleOptions& options) {
  return upsample("upsample_nearest", kernels::nearest_taps, x, options);
}

Tensor upsample_bilinear(const Tensor& x, const UpsampleOptions& options) {
  return upsample("upsample_bilinear", kernels::linear_taps, x, options);
}

}  // namespace likely
