// Transposes four rows at a time, the step behind every change of layout in products and convolutions.
// Included once for each instruction set (Highway's convention, hence the guard).
#if defined(LIKELY_KERNELS_TRANSPOSE_FOUR_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_TRANSPOSE_FOUR_INL
#undef LIKELY_KERNELS_TRANSPOSE_FOUR_INL
#else
#define LIKELY_KERNELS_TRANSPOSE_FOUR_INL
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// target[i][j] = source[j][i] for a block of 4 x 4.
HWY_INLINE void transpose_block(const float* source, std::int64_t stride, std::int64_t target_stride,
                                float* target) {
  const hn::CappedTag<float, 4> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  const auto r0 = hn::LoadU(d, source);
  const auto r1 = hn::LoadU(d, source + stride);
  const auto r2 = hn::LoadU(d, source + 2 * stride);
  const auto r3 = hn::LoadU(d, source + 3 * stride);
  const auto low01 = hn::BitCast(wide, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(wide, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(d, r2, r3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, low01, low23)), d, target);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23)), d, target + target_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, high01, high23)), d, target + 2 * target_stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23)), d, target + 3 * target_stride);
}

HWY_INLINE void transpose_block(const double* source, std::int64_t stride, std::int64_t target_stride,
                                double* target) {
  for (std::int64_t i = 0; i < 4; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) target[i * target_stride + j] = source[j * stride + i];
  }
}

// target[i * target_stride + j] = source[j * stride + i] for i < count and j < 4: four rows become four
// columns.
template <class T>
HWY_INLINE void transpose_four(const T* source, std::int64_t stride, std::int64_t count,
                               std::int64_t target_stride, T* target) {
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4)
    transpose_block(source + i, stride, target_stride, target + i * target_stride);
  for (; i < count; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) target[i * target_stride + j] = source[j * stride + i];
  }
}

// target[j * target_stride + i] = source[i * stride + j] for i < count and j < 4: four columns become four
// rows.
template <class T>
HWY_INLINE void transpose_to_four(const T* source, std::int64_t stride, std::int64_t count,
                                  std::int64_t target_stride, T* target) {
  std::int64_t i = 0;
  for (; i + 4 <= count; i += 4) transpose_block(source + i * stride, stride, target_stride, target + i);
  for (; i < count; ++i) {
    for (std::int64_t j = 0; j < 4; ++j) target[j * target_stride + i] = source[i * stride + j];
  }
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
