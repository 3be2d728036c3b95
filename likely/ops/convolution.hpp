// Convolutions (10.2-10.6) as networks use them: cross-correlation with zeros around the input.
#pragma once

#include <cstdint>

#include "likely/core/tensor.hpp"
#include "likely/ops/extent.hpp"

namespace likely {

// Padding that keeps the input's size: dilation (kernel - 1) zeros, the odd one behind. Needs stride 1.
struct SamePadding {};
inline constexpr SamePadding kSame{};

// Zeros before and behind each axis: 1, {2, 1} (height, width) or kSame.
struct Padding1d {
  std::int64_t size = 0;
  bool same = false;

  constexpr Padding1d(std::int64_t zeros) : size(zeros) {}  // NOLINT(google-explicit-constructor)
  constexpr Padding1d(SamePadding) : same(true) {}          // NOLINT(google-explicit-constructor)
};
struct Padding2d {
  Extent2d size = 0;
  bool same = false;

  constexpr Padding2d(std::int64_t both) : size(both) {}                                 // NOLINT
  constexpr Padding2d(std::int64_t height, std::int64_t width) : size(height, width) {}  // NOLINT
  constexpr Padding2d(SamePadding) : same(true) {}                                       // NOLINT
};

// Refused: stride or dilation < 1, padding < 0, groups that do not divide both numbers of channels.
struct Conv1dOptions {
  std::int64_t stride = 1;
  Padding1d padding = 0;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
  bool relu = false;  // max(0, result), without another walk over memory
};
struct Conv2dOptions {
  Extent2d stride = 1;
  Padding2d padding = 0;
  Extent2d dilation = 1;
  std::int64_t groups = 1;
  bool relu = false;
};

// y[n, o, i, j] = bias[o] + sum_{c, k, l} weight[o, c, k, l] x[n, c, i stride + k dilation - padding, ...]
// with x (N, C, H, W), weight (O, C / groups, height, width), bias (O) or empty; in 1-D without H and height.
// Output group g sees only input group g. Sizes: (H + 2 padding - dilation (height - 1) - 1) / stride + 1.
// Refuses shapes that do not fit, and a kernel that reaches beyond the padded input.
[[nodiscard]] Tensor conv1d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                            const Conv1dOptions& options = {});
[[nodiscard]] Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                            const Conv2dOptions& options = {});

// Also refused: output_padding < 0 or >= stride.
struct ConvTranspose1dOptions {
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t output_padding = 0;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
};
struct ConvTranspose2dOptions {
  Extent2d stride = 1;
  Extent2d padding = 0;
  Extent2d output_padding = 0;
  Extent2d dilation = 1;
  std::int64_t groups = 1;
};

// The transpose of the convolution with the same options: its gradient with respect to its input, plus bias.
// x (N, C, H, W), weight (C, O / groups, height, width), bias (O) or empty. Sizes: (H - 1) stride - 2 padding
// + dilation (height - 1) + 1 + output_padding, where output_padding picks one of the `stride` sizes that the
// convolution maps to H. Refuses shapes that do not fit, and padding that leaves nothing.
[[nodiscard]] Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                                      const ConvTranspose1dOptions& options = {});
[[nodiscard]] Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
                                      const ConvTranspose2dOptions& options = {});

}  // namespace likely
