// Sums over contiguous memory for normalization: part of vector sources, compiled for each target.
#if defined(LIKELY_KERNELS_NORMALIZE_SUMS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_NORMALIZE_SUMS_INL_HPP
#undef LIKELY_KERNELS_NORMALIZE_SUMS_INL_HPP
#else
#define LIKELY_KERNELS_NORMALIZE_SUMS_INL_HPP
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "likely/kernels/vector_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Long runs are cut so that no running sum of floats grows much beyond what is added to it.
inline constexpr std::int64_t kSumRun = 16384;

template <class D>
struct VectorSum {
  using V = hn::Vec<D>;
  V part[4];
  HWY_INLINE VectorSum() {
    for (V& p : part) p = hn::Zero(D());
  }
  HWY_INLINE double total() const {
    const V all = hn::Add(hn::Add(part[0], part[1]), hn::Add(part[2], part[3]));
    return static_cast<double>(hn::GetLane(hn::SumOfLanes(D(), all)));
  }
};

// sum (x - centre) and sum (x - centre)^2. With a centre near the mean, both are small where the spread is.
struct CentredSums {
  double first = 0, second = 0;
};

template <class T>
CentredSums centred_sums_of(const T* x, std::int64_t n, T centre) {
  using D = hn::ScalableTag<T>;
  const D d;
  const auto c = hn::Set(d, centre);
  CentredSums result;
  for (std::int64_t begin = 0; begin < n; begin += kSumRun) {
    VectorSum<D> first, second;
    for_vectors(d, std::min(kSumRun, n - begin), [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<D> v[access.kCount];
      access.load(x + begin + i, v);
      for (int k = 0; k < access.kCount; ++k) {
        const auto difference = access.zero_beyond(hn::Sub(v[k], c));
        first.part[k] = hn::Add(first.part[k], difference);
        second.part[k] = hn::MulAdd(difference, difference, second.part[k]);
      }
    });
    result.first += first.total();
    result.second += second.total();
  }
  return result;
}

// Mean and variance of contiguous numbers. Differences from the first number are small where the spread is,
// so one pass will do, unless that number lies far out; then a second one starts from the mean.
struct MeanAndVariance {
  double mean = 0, variance = 0;
};

template <class T>
HWY_INLINE MeanAndVariance mean_and_variance_of(const T* x, std::int64_t n) {
  constexpr double kFar = 4;  // in standard deviations: costs one digit of the variance
  const auto count = static_cast<double>(n);
  T centre = n > 0 ? x[0] : T{0};
  MeanAndVariance result;
  for (int pass = 0; pass < 2; ++pass) {
    const CentredSums sums = centred_sums_of(x, n, centre);
    const double off = sums.first / count;
    result.mean = static_cast<double>(centre) + off;
    result.variance = std::max(0.0, sums.second / count - off * off);
    if (!(off * off > kFar * kFar * result.variance)) break;
    centre = static_cast<T>(result.mean);
  }
  return result;
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
