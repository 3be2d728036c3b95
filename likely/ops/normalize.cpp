#include "likely/ops/normalize.hpp"

#include <fmt/format.h>

#include "likely/autodiff/tape.hpp"
#include "likely/core/create.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/core/layer_error.hpp"
#include "likely/kernels/normalize/normalize.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/normalize_fused.hpp"
#include "likely/ops/rows.hpp"
#include "likely/ops/view.hpp"

namespace likely {

using detail::fused_norm;
using detail::Norm;
using detail::NormKind;

namespace {

void check_epsilon(const char* name, double epsilon) {
  if (!(epsilon >= 0.0)) refuse(name, fmt::format("epsilon must not be negative, got {}", epsilon));
}

// A parameter of the given shape, in x's type; an empty one stays empty.
Tensor parameter(const char* name, const char* what, const Tensor& value, const Shape& shape, DType dtype) {
  if (!value.defined()) return value;
  concerning({&value}, [&] {
    if (value.shape() == shape) return;
    refuse(name, fmt::format("{} must have shape {}, got {}", what, shape.string(), value.shape().string()));
  });
  return value.dtype() == dtype ? value : cast(value, dtype);
}

Tensor flat(const Tensor& parameter) {
  return parameter.defined() ? reshape(parameter, {parameter.size()}) : parameter;
}

// Layer and RMS normalization: x as (rows, columns, 1).
Tensor norm_of_rows(const Norm& norm, const Tensor& x, int axes, const Tensor& weight, const Tensor& bias) {
  detail::check_floating(norm.name, "x", x);
  check_epsilon(norm.name, norm.epsilon);
  if (axes < 1 || axes > x.rank()) {
    refuse(norm.name,
           fmt::format("cannot normalize over the last {} axes of shape {}", axes, x.shape().string()));
  }
  const Shape inner = x.shape().sub(x.rank() - axes, x.rank());
  const Tensor w = parameter(norm.name, "weight", weight, inner, x.dtype());
  const Tensor b = parameter(norm.name, "bias", bias, inner, x.dtype());
  const Shape rows{x.shape().sub(0, x.rank() - axes).size(), inner.size(), 1};
  return reshape(fused_norm(norm, reshape(x, rows), flat(w), flat(b), {}).y, x.shape());
}

// A tensor (batch, channels, ...) as (batch, channels, space).
Shape image(const char* name, const Tensor& x) {
  detail::check_floating(name, "x", x);
  if (x.rank() < 2) refuse(name, "x must be (batch, channels, ...), got shape " + x.shape().string());
  return {x.shape()[0], x.shape()[1], x.shape().sub(2, x.rank()).size()};
}

constexpr const char* kBatchName = "batch_norm";

// With statistics that are given. Where gradients are wanted they come from the operations themselves:
// training through kept statistics is rare.
Tensor batch_norm_with(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& mean,
                       const Tensor& variance, const BatchNormOptions& options) {
  const std::int64_t channels = x.shape()[1];
  const Tensor rstd = rsqrt(variance + options.epsilon);
  if (recording_tape(x, weight, bias, options.residual) != nullptr) {
    const auto wide = [&](const Tensor& parameter) { return reshape(parameter, {channels, 1}); };
    const Tensor scale = weight.defined() ? rstd * weight : rstd;
    Tensor y = (x - wide(mean)) * wide(scale);
    if (bias.defined()) y = y + wide(bias);
    if (options.residual.defined()) y = y + options.residual;
    return options.relu ? relu(y) : y;
  }
  const auto dense = [](const Tensor& t) { return t.defined() ? t.contiguous() : t; };
  const Tensor from = x.contiguous(), m = mean.contiguous(), w = dense(weight), b = dense(bias),
               residual = dense(options.residual);
  Tensor y = Tensor::uninitialized(x.shape(), x.dtype());
  if (y.size() == 0) return y;
  detail::with_floating(kBatchName, x.dtype(), [&]<class T>(T) {
    const auto pointer = [](const Tensor& t) { return t.defined() ? t.data<T>() : nullptr; };
    kernels::channel_transform(from.data<T>(), {x.shape()[0], channels, x.shape()[2]}, m.data<T>(),
                               rstd.data<T>(), pointer(w), pointer(b), pointer(residual), options.relu,
                               y.mutable_data<T>());
  });
  return y;
}

// Running statistics after one more batch of n values a channel.
ChannelStatistics updated(const ChannelStatistics& running, const detail::NormOutput& batch, std::int64_t n,
                          double momentum) {
  const Tensor variance = batch.variance * (static_cast<double>(n) / static_cast<double>(n - 1));
  if (!running.mean.defined()) return {batch.mean, variance};
  const auto blend = [&](const Tensor& kept, const Tensor& now) {
    return cast(kept * (1.0 - momentum) + now * momentum, kept.dtype());
  };
  return {blend(running.mean.with_track({}), batch.mean), blend(running.variance.with_track({}), variance)};
}

}  // namespace

Tensor layer_norm(const Tensor& x, int axes, const Tensor& weight, const Tensor& bias, double epsilon) {
  return norm_of_rows({NormKind::layer, "layer_norm", "layer_norm_gradient", epsilon}, x, axes, weight, bias);
}

Tensor rms_norm(const Tensor& x, int axes, const Tensor& weight, double epsilon) {
  return norm_of_rows({NormKind::rms, "rms_norm", "rms_norm_gradient", epsilon}, x, axes, weight, {});
}

Tensor group_norm(const Tensor& x, std::int64_t groups, const Tensor& weight, const Tensor& bias,
                  double epsilon) {
  const Norm norm{NormKind::group, "group_norm", "group_norm_gradient", epsilon, groups};
  const Shape shape = image(norm.name, x);
  check_epsilon(norm.name, epsilon);
  if (groups < 1 || shape[1] % groups != 0) {
    refuse(norm.name, fmt::format("{} channels cannot be cut into {} equal groups", shape[1], groups));
  }
  const Tensor w = parameter(norm.name, "weight", weight, {shape[1]}, x.dtype());
  const Tensor b = parameter(norm.name, "bias", bias, {shape[1]}, x.dtype());
  return reshape(fused_norm(norm, reshape(x, shape), w, b, {}).y, x.shape());
}

ChannelStatistics ChannelStatistics::standard(std::int64_t channels, DType dtype) {
  return {zeros({channels}, dtype), ones({channels}, dtype)};
}

BatchNormResult batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias,
                           const ChannelStatistics& running, bool training, const BatchNormOptions& options) {
  const Shape shape = image(kBatchName, x);
  check_epsilon(kBatchName, options.epsilon);
  if (!(options.momentum >= 0.0 && options.momentum <= 1.0)) {
    refuse(kBatchName, fmt::format("momentum must lie in [0, 1], got {}", options.momentum));
  }
  const Shape channels{shape[1]};
  const Tensor w = parameter(kBatchName, "weight", weight, channels, x.dtype());
  const Tensor b = parameter(kBatchName, "bias", bias, channels, x.dtype());
  const Tensor mean = parameter(kBatchName, "the running mean", running.mean, channels, x.dtype());
  const Tensor variance =
      parameter(kBatchName, "the running variance", running.variance, channels, x.dtype());
  if (mean.defined() != variance.defined()) {
    refuse(kBatchName, "one of the running statistics is there and the other is not");
  }
  const Tensor residual = parameter(kBatchName, "residual", options.residual, x.shape(), x.dtype());
  BatchNormOptions three = options;
  if (residual.defined()) three.residual = reshape(residual, shape);
  if (!training) {
    if (!mean.defined()) refuse(kBatchName, "without training the running statistics must be there");
    const Tensor y = batch_norm_with(reshape(x, shape), w, b, mean, variance, three);
    return {reshape(y, x.shape()), running};
  }
  const std::int64_t n = shape[0] * shape[2];
  if (n < 2) {
    refuse(kBatchName,
           "batch statistics need more than one value a channel, got shape " + x.shape().string());
  }
  const Norm norm{NormKind::batch, kBatchName, "batch_norm_gradient", options.epsilon, 1, options.relu};
  const detail::NormOutput out = fused_norm(norm, reshape(x, shape), w, b, three.residual);
  return {reshape(out.y, x.shape()), updated(running, out, n, options.momentum)};
}

}  // namespace likely
