// One channel of one image, as batch and group normalization see it: part of vector sources, compiled for
// each target.
#if defined(LIKELY_KERNELS_NORMALIZE_CHANNELS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef LIKELY_KERNELS_NORMALIZE_CHANNELS_INL_HPP
#undef LIKELY_KERNELS_NORMALIZE_CHANNELS_INL_HPP
#else
#define LIKELY_KERNELS_NORMALIZE_CHANNELS_INL_HPP
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "likely/kernels/normalize/sums-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// y = (x - mean) scale + bias, + residual, max(y, 0).
template <class T>
void transform_run(const T* x, T mean, T scale, T bias, const T* residual, bool relu, T* y, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  const D d;
  const auto m = hn::Set(d, mean), s = hn::Set(d, scale), b = hn::Set(d, bias);
  // NaN passes through: Highway's Max returns its second argument then.
  const auto floor = relu ? hn::Zero(d) : hn::Neg(hn::Inf(d));
  for_vectors(d, n, [&](auto access, std::int64_t i) HWY_ATTR {
    hn::Vec<D> v[access.kCount], r[access.kCount];
    access.load(x + i, v);
    for (auto& e : v) e = hn::MulAdd(hn::Sub(e, m), s, b);
    if (residual != nullptr) {
      access.load(residual + i, r);
      for (int k = 0; k < access.kCount; ++k) v[k] = hn::Add(v[k], r[k]);
    }
    for (auto& e : v) e = hn::Max(floor, e);
    access.store(v, y + i);
  });
}

// sum g and sum g (x - mean), where g counts only where relu_output, if given, is positive.
struct GradientSums {
  double g = 0, gx = 0;
};

template <class T>
GradientSums gradient_sums_of(const T* x, const T* g, const T* relu_output, T mean, std::int64_t n) {
  using D = hn::ScalableTag<T>;
  const D d;
  const auto m = hn::Set(d, mean);
  GradientSums result;
  for (std::int64_t begin = 0; begin < n; begin += kSumRun) {
    VectorSum<D> g_sum, gx_sum;
    for_vectors(d, std::min(kSumRun, n - begin), [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<D> v[access.kCount], u[access.kCount], y[access.kCount];
      access.load(x + begin + i, v);
      access.load(g + begin + i, u);
      if (relu_output != nullptr) {
        access.load(relu_output + begin + i, y);
        for (int k = 0; k < access.kCount; ++k) u[k] = hn::IfThenElseZero(hn::Gt(y[k], hn::Zero(d)), u[k]);
      }
      for (int k = 0; k < access.kCount; ++k) {
        g_sum.part[k] = hn::Add(g_sum.part[k], u[k]);
        gx_sum.part[k] = hn::MulAdd(u[k], hn::Sub(v[k], m), gx_sum.part[k]);
      }
    });
    result.g += g_sum.total();
    result.gx += gx_sum.total();
  }
  return result;
}

// dx = a g + b (x - mean) + c, and dresidual = g.
template <class T>
void gradient_run(const T* x, const T* g, const T* relu_output, T mean, T a, T b, T c, T* dx, T* dresidual,
                  std::int64_t n) {
  using D = hn::ScalableTag<T>;
  const D d;
  const auto m = hn::Set(d, mean), va = hn::Set(d, a), vb = hn::Set(d, b), vc = hn::Set(d, c);
  for_vectors(d, n, [&](auto access, std::int64_t i) HWY_ATTR {
    hn::Vec<D> v[access.kCount], u[access.kCount], y[access.kCount];
    access.load(x + i, v);
    access.load(g + i, u);
    if (relu_output != nullptr) {
      access.load(relu_output + i, y);
      for (int k = 0; k < access.kCount; ++k) u[k] = hn::IfThenElseZero(hn::Gt(y[k], hn::Zero(d)), u[k]);
    }
    if (dresidual != nullptr) access.store(u, dresidual + i);
    for (int k = 0; k < access.kCount; ++k) {
      v[k] = hn::MulAdd(u[k], va, hn::MulAdd(hn::Sub(v[k], m), vb, vc));
    }
    access.store(v, dx + i);
  });
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
