#include "likely/nn/normalization.hpp"

#include <fmt/format.h>

#include "likely/core/create.hpp"
#include "likely/core/layer_error.hpp"
#include "likely/nn/sizes.hpp"
#include "likely/nn/untrained_calls.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/normalize.hpp"
#include "likely/tree/misfit.hpp"

namespace likely::nn {

namespace {

likely::BatchNormOptions operation_options(const BatchNorm& layer, const Tensor& residual) {
  return {.epsilon = layer.epsilon, .momentum = layer.momentum, .relu = layer.relu, .residual = residual};
}

}  // namespace

BatchNorm::BatchNorm(std::int64_t channels, const BatchNormOptions& options)
    : epsilon(options.epsilon), momentum(options.momentum), relu(options.relu) {
  detail::check_size("BatchNorm", "channels", channels);
  if (options.affine) {
    weight = ones({channels});
    bias = zeros({channels});
  }
  running_mean = zeros({channels});
  running_var = ones({channels});
  num_batches_tracked = zeros({}, DType::i64);
}

std::string BatchNorm::misfit() const {
  std::string wrong = empty_misfit("running_mean", running_mean);
  if (wrong.empty()) wrong = empty_misfit("running_var", running_var);
  if (wrong.empty()) wrong = empty_misfit("num_batches_tracked", num_batches_tracked);
  if (wrong.empty()) wrong = values_misfit("running_mean", running_mean, Values::not_nan);
  if (wrong.empty()) wrong = values_misfit("running_var", running_var, Values::not_negative);
  if (wrong.empty()) wrong = values_misfit("num_batches_tracked", num_batches_tracked, Values::count);
  return wrong;
}

Tensor BatchNorm::infer(const Tensor& x, const Tensor& residual) const {
  detail::tell_of_untrained_call(this);
  return inside_layer(*this, [&] {
    return batch_norm(x, weight, bias, {running_mean, running_var}, false, operation_options(*this, residual))
        .y;
  });
}

Tensor BatchNorm::train(const Tensor& x, const Tensor& residual, const Training& training) {
  if (!training.takes_statistics()) return infer(x, residual);
  BatchNormResult result = inside_layer(*this, [&] {
    return batch_norm(x, weight, bias, {running_mean, running_var}, true, operation_options(*this, residual));
  });
  running_mean = std::move(result.running.mean);
  running_var = std::move(result.running.variance);
  num_batches_tracked = num_batches_tracked + 1;
  return std::move(result.y);
}

LayerNorm::LayerNorm(const Shape& over, const NormOptions& options) : shape(over), epsilon(options.epsilon) {
  if (shape.rank() == 0 || shape.size() == 0) {
    refuse("LayerNorm", "a shape with elements is needed, got " + shape.string());
  }
  if (options.affine) {
    weight = ones(shape);
    bias = zeros(shape);
  }
}

Tensor LayerNorm::operator()(const Tensor& x) const {
  return inside_layer(*this, [&] {
    // Without a weight, nothing below knows which sizes are meant.
    if (x.rank() < shape.rank() || !(x.shape().sub(x.rank() - shape.rank(), x.rank()) == shape)) {
      refuse("LayerNorm", "made for last axes of shape " + shape.string() + ", got " + x.shape().string());
    }
    return layer_norm(x, shape.rank(), weight, bias, epsilon);
  });
}

RmsNorm::RmsNorm(std::int64_t features, double chosen_epsilon) : epsilon(chosen_epsilon) {
  detail::check_size("RmsNorm", "features", features);
  weight = ones({features});
}

Tensor RmsNorm::operator()(const Tensor& x) const {
  return inside_layer(*this, [&] { return rms_norm(x, 1, weight, epsilon); });
}

std::string RmsNorm::misfit() const { return empty_misfit("weight", weight); }

GroupNorm::GroupNorm(std::int64_t wanted, std::int64_t channels, const NormOptions& options)
    : groups(wanted), epsilon(options.epsilon) {
  detail::check_size("GroupNorm", "channels", channels);
  if (groups < 1 || channels % groups != 0) {
    refuse("GroupNorm", fmt::format("{} channels cannot be cut into {} equal groups", channels, groups));
  }
  if (!options.affine) return;
  weight = ones({channels});
  bias = zeros({channels});
}

Tensor GroupNorm::operator()(const Tensor& x) const {
  return inside_layer(*this, [&] { return group_norm(x, groups, weight, bias, epsilon); });
}

}  // namespace likely::nn
