#include "likely/kernels/attention/rows.hpp"

#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/attention/rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/softmax/rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

template <class T>
void absorb_rows(const ScoreBlock<T>& block, const RunningSoftmax<T>& running, T* out, std::int64_t depth) {
  using D = hn::ScalableTag<T>;
  const D d;
  for (std::int64_t row = 0; row < block.rows; ++row, out += depth) {
    T* const scores = block.scores + row * block.stride;
    // The running maximum starts at the lowest number: minus infinity less itself would be NaN. A part of a
    // vector is loaded with zeros beyond, which must not count.
    auto top = hn::Set(d, running.max[row]);
    for_vectors(d, block.cols, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<D> v[access.kCount];
      access.load(scores + i, v);
      for (auto& e : v) top = hn::Max(top, access.lowest_beyond(e));
    });
    const auto max = hn::MaxOfLanes(d, top);
    const T new_max = hn::GetLane(max), old_max = running.max[row];
    auto sum = hn::Zero(d);
    for_vectors(d, block.cols, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<D> v[access.kCount];
      access.load(scores + i, v);
      for (auto& e : v) e = hn::Sub(e, max);
      exp_probabilities(d, v);
      access.store(v, scores + i);
      for (auto& e : v) sum = hn::Add(sum, access.zero_beyond(e));
    });
    const T added = hn::GetLane(hn::SumOfLanes(d, sum));
    if (old_max == new_max) {
      running.sum[row] += added;
      continue;
    }
    const auto fade = exp_probability(d, hn::Set(d, old_max - new_max));
    running.max[row] = new_max;
    running.sum[row] = running.sum[row] * hn::GetLane(fade) + added;
    for_vectors(d, depth, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<D> v[access.kCount];
      access.load(out + i, v);
      for (auto& e : v) e = hn::Mul(e, fade);
      access.store(v, out + i);
    });
  }
}

template <class T>
void finish_rows(T* out, const T* sum, std::int64_t rows, std::int64_t depth) {
  using D = hn::ScalableTag<T>;
  const D d;
  for (std::int64_t row = 0; row < rows; ++row, out += depth) {
    const auto inverse = hn::Set(d, T{1} / sum[row]);
    for_vectors(d, depth, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<D> v[access.kCount];
      access.load(out + i, v);
      for (auto& e : v) e = hn::Mul(e, inverse);
      access.store(v, out + i);
    });
  }
}

template <class T>
void gradient_rows(const ScoreBlock<T>& block, const double* lse, const T* delta, T* gradients) {
  using D = hn::ScalableTag<T>;
  const D d;
  for (std::int64_t row = 0; row < block.rows; ++row) {
    T* const scores = block.scores + row * block.stride;
    T* const gradient = gradients + row * block.stride;
    const SplitLogSumExp split(d, lse[row]);
    const auto shift = hn::Set(d, delta[row]);
    for_vectors(d, block.cols, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<D> p[access.kCount], g[access.kCount];
      access.load(scores + i, p);
      for (auto& e : p) e = split.subtract_from(e);
      exp_probabilities(d, p);
      access.store(p, scores + i);
      access.load(gradient + i, g);
      for (int k = 0; k < access.kCount; ++k) g[k] = hn::Mul(p[k], hn::Sub(g[k], shift));
      access.store(g, gradient + i);
    });
  }
}

template <class T>
void dot_rows(const T* a, const T* b, std::int64_t rows, std::int64_t depth, T* out) {
  using D = hn::ScalableTag<T>;
  const D d;
  for (std::int64_t row = 0; row < rows; ++row, a += depth, b += depth) {
    auto sum = hn::Zero(d);
    for_vectors(d, depth, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<D> u[access.kCount], v[access.kCount];
      access.load(a + i, u);
      access.load(b + i, v);
      for (int k = 0; k < access.kCount; ++k) sum = hn::MulAdd(u[k], v[k], sum);
    });
    out[row] = hn::GetLane(hn::SumOfLanes(d, sum));
  }
}

template <class T>
inline constexpr AttentionRows<T> kAttentionRows = {&absorb_rows<T>, &finish_rows<T>, &gradient_rows<T>,
                                                    &dot_rows<T>};
const AttentionRows<float>* attention_rows_f32() { return &kAttentionRows<float>; }
const AttentionRows<double>* attention_rows_f64() { return &kAttentionRows<double>; }

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(attention_rows_f32);
HWY_EXPORT(attention_rows_f64);

const AttentionRows<float>& attention_rows(float) { return *HWY_DYNAMIC_DISPATCH(attention_rows_f32)(); }
const AttentionRows<double>& attention_rows(double) { return *HWY_DYNAMIC_DISPATCH(attention_rows_f64)(); }

}  // namespace likely::kernels
#endif
