// The vector loops that softmax kernels share: part of vector sources, compiled for each target.
#if defined(LIKELY_KERNELS_SOFTMAX_ROWS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_SOFTMAX_ROWS_INL_HPP
#undef LIKELY_KERNELS_SOFTMAX_ROWS_INL_HPP
#else
#define LIKELY_KERNELS_SOFTMAX_ROWS_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "likely/kernels/elementwise/math-inl.hpp"
#include "likely/kernels/softmax/block.hpp"
#include "likely/kernels/vector_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// (e^r - 1 - r) / r^2 for |r| <= log(2) / 2.
template <class T>
inline constexpr double kExpCoefficients[5] = {0.49999993447767616, 0.16666520631511839, 0.04166838805112371,
                                               0.008368716898078488, 0.0013814598365813194};
template <>
inline constexpr double kExpCoefficients<double>[10] = {
    0x1.0000000000005p-1,  0x1.555555555553ap-3, 0x1.55555555520e5p-5,  0x1.1111111118c59p-7,
    0x1.6c16c17f3e4e4p-10, 0x1.a01a01768d84p-13, 0x1.a019a66921a64p-16, 0x1.71de840506befp-19,
    0x1.28a2cf355dd91p-22, 0x1.ae7310f773367p-26};

// Replaces x by e^x, for x <= 0 (up to rounding) and NaN; what would be denormal is 0. Several vectors go
// through each step together: one alone would leave the processor waiting for the step before.
template <int kCount, class D, class V>
HWY_INLINE void exp_probabilities(D d, V (&x)[kCount]) {
  const BitsTag<D> bits;
  const auto log2_e = constant(d, 1.4426950408889634);
  const auto rounder = constant(d, kRounder<D> + kExponentBias<D>);
  const auto high = constant(d, kIsFloat32<D> ? 0x1.62e4p-1 : 0x1.62e42feep-1);
  const auto low = constant(d, kIsFloat32<D> ? 0x1.7f7d1cp-20 : 0x1.a39ef35793c76p-33);
  // There n is -127 or -1023, and the exponent bits of 2^n are those of zero.
  const auto least = constant(d, kIsFloat32<D> ? -88.0297 : -709.0895);
  const auto one = constant(d, 1.0);
  V carried[kCount], y[kCount];
  for (int k = 0; k < kCount; ++k) x[k] = hn::Max(least, x[k]);
  for (int k = 0; k < kCount; ++k) carried[k] = hn::MulAdd(x[k], log2_e, rounder);
  for (int k = 0; k < kCount; ++k) y[k] = hn::Sub(carried[k], rounder);
  for (int k = 0; k < kCount; ++k) x[k] = hn::NegMulAdd(y[k], high, x[k]);
  for (int k = 0; k < kCount; ++k) x[k] = hn::NegMulAdd(y[k], low, x[k]);
  constexpr int kDegree = kIsFloat32<D> ? 4 : 9;
  constexpr const double(&c)[kDegree + 1] = kExpCoefficients<hn::TFromD<D>>;
  for (int k = 0; k < kCount; ++k) y[k] = constant(d, c[kDegree]);
  for (int i = kDegree - 1; i >= 0; --i) {
    for (int k = 0; k < kCount; ++k) y[k] = hn::MulAdd(y[k], x[k], constant(d, c[i]));
  }
  for (int k = 0; k < kCount; ++k) y[k] = hn::MulAdd(y[k], x[k], one);
  for (int k = 0; k < kCount; ++k) y[k] = hn::MulAdd(y[k], x[k], one);
  for (int k = 0; k < kCount; ++k) {
    const auto power = hn::BitCast(d, hn::ShiftLeft<kMantissaBits<D>>(hn::BitCast(bits, carried[k])));
    x[k] = hn::Mul(y[k], power);
  }
}

template <class D, class V>
HWY_INLINE V exp_probability(D d, V x) {
  V v[1] = {x};
  exp_probabilities(d, v);
  return v[0];
}

// log sum exp x = max + log_sum. `good` is false where the row has no softmax.
template <class T>
struct RowNormalizer {
  T max;
  double sum;
  bool good;
  double log_sum() const { return std::log(sum); }
  double log_sum_exp() const { return static_cast<double>(max) + log_sum(); }
};

template <class D, class T = hn::TFromD<D>>
HWY_INLINE T max_of(D d, const T* x, std::int64_t n, T least) {
  hn::Vec<D> top[4];
  for (auto& t : top) t = hn::Set(d, least);
  for_vectors(d, n, [&](auto access, std::int64_t i) HWY_ATTR {
    hn::Vec<D> v[access.kCount];
    access.load(x + i, v);
    for (int k = 0; k < access.kCount; ++k) top[k] = hn::Max(top[k], access.lowest_beyond(v[k]));
  });
  return hn::GetLane(hn::MaxOfLanes(d, hn::Max(hn::Max(top[0], top[1]), hn::Max(top[2], top[3]))));
}

// sum exp(x - max); keeps the exponentials in `kept` if it is not null. Asks for the memory `ahead`
// meanwhile.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE T sum_of_exponentials(D d, const T* x, std::int64_t n, T max, T* kept, std::int64_t ahead) {
  const auto m = hn::Set(d, max);
  hn::Vec<D> sum[4];
  for (auto& s : sum) s = hn::Zero(d);
  for_vectors(d, n, [&](auto access, std::int64_t i) HWY_ATTR {
    hn::Vec<D> v[access.kCount];
    access.load(x + i, v);
    access.prefetch(x + i + ahead);
    for (auto& e : v) e = hn::Sub(e, m);
    exp_probabilities(d, v);
    if (kept != nullptr) access.store(v, kept + i);
    for (int k = 0; k < access.kCount; ++k) sum[k] = hn::Add(sum[k], access.zero_beyond(v[k]));
  });
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum[0], sum[1]), hn::Add(sum[2], sum[3]))));
}

// Keeps exp(x - max) in `kept` if it is not null; cols must not be above kSoftmaxBlock then.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE RowNormalizer<T> row_normalizer(D d, const T* x, std::int64_t cols, T* kept = nullptr) {
  const std::int64_t each = std::min(cols, kSoftmaxBlock);
  // The lowest number instead of minus infinity: minus infinity less itself would be NaN.
  T max = std::numeric_limits<T>::lowest();
  double sum = 0;
  for (std::int64_t begin = 0; begin < cols; begin += each) {
    const std::int64_t n = std::min(each, cols - begin);
    const T before = max;
    max = max_of(d, x + begin, n, before);
    const T part = sum_of_exponentials(d, x + begin, n, max, kept, each);
    if (begin > 0) sum *= static_cast<double>(hn::GetLane(exp_probability(d, hn::Set(d, before - max))));
    sum += static_cast<double>(part);
  }
  return {max, sum, sum > 0};
}

// x - lse for an lse that needs more digits than x has: the high and the low part one after the other.
template <class D>
struct SplitLogSumExp {
  hn::Vec<D> high, low;
  SplitLogSumExp(D d, double lse)
      : high(constant(d, lse)),
        low(constant(d, lse - static_cast<double>(static_cast<hn::TFromD<D>>(lse)))) {}
  template <class V>
  HWY_INLINE V subtract_from(V x) const {
    return hn::Sub(hn::Sub(x, high), low);
  }
};

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
