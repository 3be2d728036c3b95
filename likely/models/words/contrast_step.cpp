// Hot: each pair of words, six dot products and six updates.
#include "likely/models/words/contrast_step.hpp"

#include <algorithm>
#include <cmath>

#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/models/words/contrast_step.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/elementwise/math-inl.hpp"

#ifndef LIKELY_MODELS_WORDS_RACES
#define LIKELY_MODELS_WORDS_RACES
// Races between these functions are meant (contrast_step.hpp).
#define LIKELY_RACES_ARE_MEANT __attribute__((no_sanitize("thread")))
#endif

HWY_BEFORE_NAMESPACE();
namespace likely::words::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, kRowFloats>;

LIKELY_RACES_ARE_MEANT HWY_INLINE float dot(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b,
                                            std::int64_t n) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto even = hn::Zero(d), odd = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    even = hn::MulAdd(hn::Load(d, a + i), hn::Load(d, b + i), even);
    odd = hn::MulAdd(hn::Load(d, a + i + lanes), hn::Load(d, b + i + lanes), odd);
  }
  for (; i < n; i += lanes) even = hn::MulAdd(hn::Load(d, a + i), hn::Load(d, b + i), even);
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
}

LIKELY_RACES_ARE_MEANT float step_here(const Outputs& outputs, const ContrastedWords& contrasted, float rate,
                                       float* HWY_RESTRICT hidden, float* HWY_RESTRICT change,
                                       bool wants_loss) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t n = outputs.stride;
  const int count = contrasted.count;
  // Room for whole vectors; what is behind the last score is 0.
  alignas(64) float steps[kMostContrasted + kRowFloats];
  float* rows[kMostContrasted];
  for (int j = 0; j < count; ++j) {
    const std::uint32_t word = contrasted.words[j];
    rows[j] = outputs.rows + static_cast<std::int64_t>(word) * n;
    steps[j] = dot(hidden, rows[j], n);
    if (outputs.biases != nullptr) steps[j] += outputs.biases[word] - outputs.log_noise[word];
  }
  const std::int64_t whole = (count + lanes - 1) / lanes * lanes;
  std::fill(steps + count, steps + whole, 0.0F);
  float loss = 0.0F;
  if (wants_loss) {
    for (int j = 0; j < count; ++j) {
      const float x = j == 0 ? -steps[j] : steps[j];
      loss += std::max(x, 0.0F) + std::log1p(std::exp(-std::abs(x)));
    }
  }
  for (std::int64_t j = 0; j < whole; j += lanes) {
    const auto share = kernels::HWY_NAMESPACE::sigmoid(d, hn::Load(d, steps + j));
    hn::Store(hn::Mul(hn::Set(d, -rate), share), d, steps + j);
  }
  steps[0] += rate;
  for (std::int64_t i = 0; i < n; i += lanes) {
    const auto h = hn::Load(d, hidden + i);
    auto moved = change == nullptr ? h : hn::Zero(d);
    for (int j = 0; j < count; ++j) {
      const auto by = hn::Set(d, steps[j]);
      const auto u = hn::Load(d, rows[j] + i);
      moved = hn::MulAdd(by, u, moved);
      hn::Store(hn::MulAdd(by, h, u), d, rows[j] + i);
    }
    hn::Store(moved, d, (change == nullptr ? hidden : change) + i);
  }
  if (outputs.biases != nullptr) {
    for (int j = 0; j < count; ++j) outputs.biases[contrasted.words[j]] += steps[j];
  }
  return loss;
}

LIKELY_RACES_ARE_MEANT void mean_here(const float* HWY_RESTRICT rows, std::int64_t stride,
                                      const std::uint32_t* which, int count, float* HWY_RESTRICT mean) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto share = hn::Set(d, 1.0F / static_cast<float>(count));
  for (std::int64_t i = 0; i < stride; i += lanes) {
    auto sum = hn::Zero(d);
    for (int j = 0; j < count; ++j)
      sum = hn::Add(sum, hn::Load(d, rows + static_cast<std::int64_t>(which[j]) * stride + i));
    hn::Store(hn::Mul(sum, share), d, mean + i);
  }
}

LIKELY_RACES_ARE_MEANT void spread_here(float* HWY_RESTRICT rows, std::int64_t stride,
                                        const std::uint32_t* which, int count,
                                        const float* HWY_RESTRICT change) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto share = hn::Set(d, 1.0F / static_cast<float>(count));
  for (int j = 0; j < count; ++j) {
    float* const row = rows + static_cast<std::int64_t>(which[j]) * stride;
    for (std::int64_t i = 0; i < stride; i += lanes)
      hn::Store(hn::MulAdd(share, hn::Load(d, change + i), hn::Load(d, row + i)), d, row + i);
  }
}

}  // namespace likely::words::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::words {

HWY_EXPORT(step_here);
HWY_EXPORT(mean_here);
HWY_EXPORT(spread_here);

float contrast_step(const Outputs& outputs, const ContrastedWords& contrasted, float rate, float* hidden,
                    float* change, bool wants_loss) {
  return HWY_DYNAMIC_DISPATCH(step_here)(outputs, contrasted, rate, hidden, change, wants_loss);
}

void mean_of_rows(const float* rows, std::int64_t stride, const std::uint32_t* which, int count,
                  float* mean) {
  HWY_DYNAMIC_DISPATCH(mean_here)(rows, stride, which, count, mean);
}

void spread_over_rows(float* rows, std::int64_t stride, const std::uint32_t* which, int count,
                      const float* change) {
  HWY_DYNAMIC_DISPATCH(spread_here)(rows, stride, which, count, change);
}

}  // namespace likely::words
#endif
