// Many scalar products along lines at once: the gradients of a convolution's weights.
// Included once for each instruction set (Highway's convention, hence the guard).
#if defined(LIKELY_KERNELS_CONVOLUTION_DOTS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_CONVOLUTION_DOTS_INL
#undef LIKELY_KERNELS_CONVOLUTION_DOTS_INL
#else
#define LIKELY_KERNELS_CONVOLUTION_DOTS_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "likely/kernels/gemm/tile-inl.hpp"
#include "likely/kernels/load_where-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// As many sums as the registers hold beside the gradients: 5 x 5 of 32, or 3 x 4 of 16.
inline constexpr int kDotRows = HWY_TARGET <= HWY_AVX3 ? 5 : 3;
inline constexpr int kDotColumns = HWY_TARGET <= HWY_AVX3 ? 5 : 4;

// sums[i][j] += sum over p of gradient[i * line + p] * image[offsets[j] + p]
template <int kRows, int kColumns>
void add_dots(std::int64_t length, const float* gradient, std::int64_t line, const float* image,
              const std::int64_t* offsets, std::int64_t depth, float* sums) {
  const hn::ScalableTag<float> d;
  constexpr std::int64_t kLanes = lanes_of<float>();
  hn::Vec<decltype(d)> sum[kRows][kColumns];
  HWY_UNROLL(5)
  for (int i = 0; i < kRows; ++i) {
    HWY_UNROLL(5)
    for (int j = 0; j < kColumns; ++j) sum[i][j] = hn::Zero(d);
  }
  const auto step = [&](std::int64_t at, const auto& load) HWY_ATTR {
    hn::Vec<decltype(d)> left[kRows];
    HWY_UNROLL(5)
    for (int i = 0; i < kRows; ++i) left[i] = hn::Load(d, gradient + i * line + at);
    HWY_UNROLL(5)
    for (int j = 0; j < kColumns; ++j) {
      const auto right = load(image + offsets[j] + at);
      HWY_UNROLL(5)
      for (int i = 0; i < kRows; ++i) sum[i][j] = hn::MulAdd(left[i], right, sum[i][j]);
    }
  };
  std::int64_t at = 0;
  for (; at + kLanes <= length; at += kLanes) {
    step(at, [&](const float* from) HWY_ATTR { return hn::LoadU(d, from); });
  }
  if (at < length) {
    const auto mask = hn::FirstN(d, static_cast<std::size_t>(length - at));
    step(at, [&](const float* from) HWY_ATTR { return load_where(d, mask, from); });
  }
  for (int i = 0; i < kRows; ++i) {
    for (int j = 0; j < kColumns; ++j) sums[i * depth + j] += hn::GetLane(hn::SumOfLanes(d, sum[i][j]));
  }
}

using DotsFunction = void (*)(std::int64_t, const float*, std::int64_t, const float*, const std::int64_t*,
                              std::int64_t, float*);

template <int... kIndex>
constexpr auto dots_functions(std::integer_sequence<int, kIndex...>) {
  return std::array<DotsFunction, sizeof...(kIndex)>{
      &add_dots<kIndex / kDotColumns + 1, kIndex % kDotColumns + 1>...};
}

// The same for any number of rows and columns. The lines of the gradient are aligned, `line` apart, and hold
// zeros from `length` up to a whole vector.
inline void add_all_dots(std::int64_t rows, std::int64_t columns, std::int64_t length, const float* gradient,
                         std::int64_t line, const float* image, const std::int64_t* offsets, float* sums) {
  static constexpr auto kFunctions =
      dots_functions(std::make_integer_sequence<int, kDotRows * kDotColumns>());
  for (std::int64_t row = 0; row < rows; row += kDotRows) {
    const std::int64_t count = std::min<std::int64_t>(kDotRows, rows - row);
    for (std::int64_t column = 0; column < columns; column += kDotColumns) {
      const std::int64_t across = std::min<std::int64_t>(kDotColumns, columns - column);
      kFunctions[static_cast<std::size_t>((count - 1) * kDotColumns + across - 1)](
          length, gradient + row * line, line, image, offsets + column, columns,
          sums + row * columns + column);
    }
  }
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
