// The fused normalizations in one form: x (batch, channels, spatial), a weight and a bias for each channel.
// Internal to ops/.
#pragma once

#include <cstdint>

#include "likely/core/tensor.hpp"

namespace likely::detail {

enum class NormKind : std::uint8_t { layer, rms, batch, group };

struct Norm {
  NormKind kind;
  const char* name;           // of the operation, on the tape
  const char* gradient_name;  // of its backward pass
  double epsilon;
  std::int64_t groups = 1;
  bool relu = false;
};

struct NormOutput {
  Tensor y;
  // Constants, for the backward pass and for running statistics; the variance is there for batches alone.
  Tensor mean, rstd, variance;
};

// layer, rms: over channels and space of each example; batch: over batch and space of each channel; group:
// over the channels of a group and space of each example. Weight, bias and residual may be empty.
NormOutput fused_norm(const Norm& norm, const Tensor& x, const Tensor& weight, const Tensor& bias,
                      const Tensor& residual);

}  // namespace likely::detail
