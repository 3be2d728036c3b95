// Convolutional layers (10.2-10.6) and their transposes. Weights have PyTorch's layout.
#pragma once

#include <cstdint>
#include <string>

#include "likely/core/layer_error.hpp"
#include "likely/core/parts.hpp"
#include "likely/nn/initialize.hpp"
#include "likely/ops/convolution.hpp"
#include "likely/ops/rng.hpp"

namespace likely::nn {

// As those of the operations (ops/convolution.hpp), and what only a layer has.
struct Conv1dOptions {
  std::int64_t stride = 1;
  Padding1d padding = 0;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  bool relu = false;  // max(0, result), in the same pass
  bool bias = true;
  Init init = Init::he_normal;
};
struct Conv2dOptions {
  Extent2d stride = 1;
  Padding2d padding = 0;
  Extent2d dilation = 1;
  std::int64_t groups = 1;
  bool relu = false;
  bool bias = true;
  Init init = Init::he_normal;
};

// x (batch, in, length) to (batch, out, ...):
//
//   nn::Conv1d filter(1, 15, 3, {.stride = 2, .relu = true}, rng.split());
//
// Weights start as He's for relu unless told otherwise, biases at 0. All four layers refuse sizes < 1 and
// groups that do not divide both numbers of channels.
struct Conv1d {
  Tensor weight;  // (out, in / groups, kernel)
  Tensor bias;    // (out,), or empty
  likely::Conv1dOptions options;

  Conv1d(std::int64_t in, std::int64_t out, std::int64_t kernel, const Conv1dOptions& chosen, Rng rng);
  Conv1d(std::int64_t in, std::int64_t out, std::int64_t kernel, Rng rng)
      : Conv1d(in, out, kernel, {}, rng) {}

  Tensor operator()(const Tensor& x) const {
    return inside_layer(*this, [&] { return conv1d(x, weight, bias, options); });
  }
  std::string misfit() const;  // (tree/misfit.hpp): the weight must be there
  LIKELY_PARTS(weight, bias)
};

// x (batch, in, height, width) to (batch, out, ...). The kernel is 3 or {3, 1} (height, width).
struct Conv2d {
  Tensor weight;  // (out, in / groups, height, width)
  Tensor bias;    // (out,), or empty
  likely::Conv2dOptions options;

  Conv2d(std::int64_t in, std::int64_t out, const Extent2d& kernel, const Conv2dOptions& chosen, Rng rng);
  Conv2d(std::int64_t in, std::int64_t out, const Extent2d& kernel, Rng rng)
      : Conv2d(in, out, kernel, {}, rng) {}

  Tensor operator()(const Tensor& x) const {
    return inside_layer(*this, [&] { return conv2d(x, weight, bias, options); });
  }
  std::string misfit() const;  // (tree/misfit.hpp): the weight must be there
  LIKELY_PARTS(weight, bias)
};

struct ConvTranspose1dOptions {
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t output_padding = 0;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
  Init init = Init::he_normal;
};
struct ConvTranspose2dOptions {
  Extent2d stride = 1;
  Extent2d padding = 0;
  Extent2d output_padding = 0;
  Extent2d dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
  Init init = Init::he_normal;
};

// The transposes, which make images larger. An output adds up about kernel / stride inputs along each axis:
// that is the fan in that the weights start with.
struct ConvTranspose1d {
  Tensor weight;  // (in, out / groups, kernel)
  Tensor bias;    // (out,), or empty
  likely::ConvTranspose1dOptions options;

  ConvTranspose1d(std::int64_t in, std::int64_t out, std::int64_t kernel,
                  const ConvTranspose1dOptions& chosen, Rng rng);
  ConvTranspose1d(std::int64_t in, std::int64_t out, std::int64_t kernel, Rng rng)
      : ConvTranspose1d(in, out, kernel, {}, rng) {}

  Tensor operator()(const Tensor& x) const {
    return inside_layer(*this, [&] { return conv_transpose1d(x, weight, bias, options); });
  }
  std::string misfit() const;  // (tree/misfit.hpp): the weight must be there
  LIKELY_PARTS(weight, bias)
};
struct ConvTranspose2d {
  Tensor weight;  // (in, out / groups, height, width)
  Tensor bias;    // (out,), or empty
  likely::ConvTranspose2dOptions options;

  ConvTranspose2d(std::int64_t in, std::int64_t out, const Extent2d& kernel,
                  const ConvTranspose2dOptions& chosen, Rng rng);
  ConvTranspose2d(std::int64_t in, std::int64_t out, const Extent2d& kernel, Rng rng)
      : ConvTranspose2d(in, out, kernel, {}, rng) {}

  Tensor operator()(const Tensor& x) const {
    return inside_layer(*this, [&] { return conv_transpose2d(x, weight, bias, options); });
  }
  std::string misfit() const;  // (tree/misfit.hpp): the weight must be there
  LIKELY_PARTS(weight, bias)
};

}  // namespace likely::nn
