#include "likely/kernels/pooling/max_2x2.hpp"

#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/pooling/max_2x2.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Whole vectors of outputs from `column` on; returns the first column not done.
template <class D>
HWY_INLINE std::int64_t max_vectors(D d, const float* top, std::int64_t in_width, std::int64_t out_width,
                                    std::int64_t first, std::int64_t column, float* output,
                                    std::int64_t* index) {
  const hn::RebindToSigned<D> d32;
  const hn::Rebind<std::int64_t, hn::Half<D>> d64;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto below = hn::Set(d32, static_cast<std::int32_t>(in_width));
  const auto one = hn::Set(d32, 1);
  for (; column + lanes <= out_width; column += lanes) {
    auto best = hn::Undefined(d);
    auto right = best;
    auto bottom = best;
    auto corner = best;
    hn::LoadInterleaved2(d, top + 2 * column, best, right);
    hn::LoadInterleaved2(d, top + in_width + 2 * column, bottom, corner);
    auto offset = hn::Zero(d32);
    const auto consider = [&](auto value, auto where) {
      const auto takes = hn::Or(hn::Gt(value, best), hn::IsNaN(value));
      best = hn::IfThenElse(takes, value, best);
      offset = hn::IfThenElse(hn::RebindMask(d32, takes), where, offset);
    };
    consider(right, one);
    consider(bottom, below);
    consider(corner, hn::Add(below, one));
    hn::StoreU(best, d, output + column);
    if (index != nullptr) {
      offset = hn::Add(offset, hn::Add(hn::Iota(d32, 0), hn::Iota(d32, 0)));
      const auto base = hn::Set(d64, first + 2 * column);
      hn::StoreU(hn::Add(base, hn::PromoteTo(d64, hn::LowerHalf(offset))), d64, index + column);
      hn::StoreU(hn::Add(base, hn::PromoteTo(d64, hn::UpperHalf(hn::Half<decltype(d32)>(), offset))), d64,
                 index + column + lanes / 2);
    }
  }
  return column;
}

HWY_INLINE void max_row(const float* top, std::int64_t in_width, std::int64_t out_width, std::int64_t first,
                        float* output, std::int64_t* index) {
  std::int64_t column =
      max_vectors(hn::ScalableTag<float>(), top, in_width, out_width, first, 0, output, index);
  column = max_vectors(hn::CappedTag<float, 8>(), top, in_width, out_width, first, column, output, index);
  column = max_vectors(hn::CappedTag<float, 4>(), top, in_width, out_width, first, column, output, index);
  for (; column < out_width; ++column) {
    const std::int64_t where[] = {2 * column, 2 * column + 1, in_width + 2 * column,
                                  in_width + 2 * column + 1};
    std::int64_t best = where[0];
    for (const std::int64_t other : where) {
      if (top[other] > top[best] || (top[other] != top[other])) best = other;
    }
    output[column] = top[best];
    if (index != nullptr) index[column] = first + best;
  }
}

template <class D>
HWY_INLINE std::int64_t spread_vectors(D d, const float* grad_output, const std::int64_t* index,
                                       std::int64_t in_width, std::int64_t out_width, std::int64_t first,
                                       std::int64_t column, float* grad_top) {
  const hn::RebindToSigned<D> d32;
  const hn::Rebind<std::int64_t, hn::Half<D>> d64;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto below = hn::Set(d32, static_cast<std::int32_t>(in_width));
  const auto one = hn::Set(d32, 1);
  for (; column + lanes <= out_width; column += lanes) {
    const auto base = hn::Set(d64, first + 2 * column);
    const auto low = hn::BitCast(d32, hn::Sub(hn::LoadU(d64, index + column), base));
    const auto high = hn::BitCast(d32, hn::Sub(hn::LoadU(d64, index + column + lanes / 2), base));
    auto offset = hn::ConcatEven(d32, high, low);  // little-endian: the low halves of the 64-bit numbers
    offset = hn::Sub(offset, hn::Add(hn::Iota(d32, 0), hn::Iota(d32, 0)));
    const auto gradient = hn::LoadU(d, grad_output + column);
    const auto where = [&](auto place) {
      return hn::IfThenElseZero(hn::RebindMask(d, hn::Eq(offset, place)), gradient);
    };
    hn::StoreInterleaved2(where(hn::Zero(d32)), where(one), d, grad_top + 2 * column);
    hn::StoreInterleaved2(where(below), where(hn::Add(below, one)), d, grad_top + in_width + 2 * column);
  }
  return column;
}

HWY_INLINE void spread_row(const float* grad_output, const std::int64_t* index, std::int64_t in_width,
                           std::int64_t out_width, std::int64_t first, float* grad_top) {
  std::int64_t column =
      spread_vectors(hn::ScalableTag<float>(), grad_output, index, in_width, out_width, first, 0, grad_top);
  column = spread_vectors(hn::CappedTag<float, 8>(), grad_output, index, in_width, out_width, first, column,
                          grad_top);
  column = spread_vectors(hn::CappedTag<float, 4>(), grad_output, index, in_width, out_width, first, column,
                          grad_top);
  for (std::int64_t inside = 2 * column; inside < in_width; ++inside) {
    grad_top[inside] = 0;
    grad_top[in_width + inside] = 0;
  }
  for (; column < out_width; ++column) grad_top[index[column] - first] = grad_output[column];
}

void max_plane(const float* input, std::int64_t in_width, std::int64_t out_height, std::int64_t out_width,
               float* output, std::int64_t* index) {
  for (std::int64_t row = 0; row < out_height; ++row, output += out_width) {
    const std::int64_t first = 2 * row * in_width;
    max_row(input + first, in_width, out_width, first, output, index);
    if (index != nullptr) index += out_width;
  }
}

void spread_plane(const float* grad_output, const std::int64_t* index, std::int64_t in_width,
                  std::int64_t out_height, std::int64_t out_width, float* grad_input) {
  for (std::int64_t row = 0; row < out_height; ++row, grad_output += out_width, index += out_width) {
    const std::int64_t first = 2 * row * in_width;
    spread_row(grad_output, index, in_width, out_width, first, grad_input + first);
  }
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(max_plane);
HWY_EXPORT(spread_plane);

void max_pool_plane_2x2(const float* input, std::int64_t in_width, std::int64_t out_height,
                        std::int64_t out_width, float* output, std::int64_t* index) {
  HWY_DYNAMIC_DISPATCH(max_plane)(input, in_width, out_height, out_width, output, index);
}

void max_unpool_plane_2x2(const float* grad_output, const std::int64_t* index, std::int64_t in_width,
                          std::int64_t out_height, std::int64_t out_width, float* grad_input) {
  HWY_DYNAMIC_DISPATCH(spread_plane)(grad_output, index, in_width, out_height, out_width, grad_input);
}

}  // namespace likely::kernels
#endif
