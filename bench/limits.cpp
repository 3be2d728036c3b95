#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/limits.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bench::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Twelve chains of multiply-adds that do not wait for each other, from the value in `out`. Returns the number
// of floating operations.
double multiply_adds(long rounds, float* out) {
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const V x = hn::Set(d, 0.999F);
  const V y = hn::Set(d, 1e-3F);
  // Different beginnings: equal chains would be computed once.
  const auto start = [&](float value) HWY_ATTR { return hn::Set(d, value + *out); };
  V a0 = start(0.1F), a1 = start(0.2F), a2 = start(0.3F), a3 = start(0.4F), a4 = start(0.5F),
    a5 = start(0.6F);
  V a6 = start(0.7F), a7 = start(0.8F), a8 = start(0.9F), a9 = start(1.1F), a10 = start(1.2F),
    a11 = start(1.3F);
  for (long i = 0; i < rounds; ++i) {
    a0 = hn::MulAdd(a0, x, y);
    a1 = hn::MulAdd(a1, x, y);
    a2 = hn::MulAdd(a2, x, y);
    a3 = hn::MulAdd(a3, x, y);
    a4 = hn::MulAdd(a4, x, y);
    a5 = hn::MulAdd(a5, x, y);
    a6 = hn::MulAdd(a6, x, y);
    a7 = hn::MulAdd(a7, x, y);
    a8 = hn::MulAdd(a8, x, y);
    a9 = hn::MulAdd(a9, x, y);
    a10 = hn::MulAdd(a10, x, y);
    a11 = hn::MulAdd(a11, x, y);
  }
  const V low = hn::Add(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)), hn::Add(a4, a5));
  const V high = hn::Add(hn::Add(hn::Add(a6, a7), hn::Add(a8, a9)), hn::Add(a10, a11));
  *out = hn::GetLane(hn::SumOfLanes(d, hn::Add(low, high)));
  return 24.0 * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

void triad(float* a, const float* b, const float* c, long n) {
  const hn::ScalableTag<float> d;
  const auto s = hn::Set(d, 3.0F);
  const auto step = static_cast<long>(hn::Lanes(d));
  for (long i = 0; i + step <= n; i += step) {
    hn::StoreU(hn::MulAdd(s, hn::LoadU(d, c + i), hn::LoadU(d, b + i)), d, a + i);
  }
}

}  // namespace bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <vector>

#include "bench/limits.hpp"

namespace bench {

namespace {

HWY_EXPORT(multiply_adds);
HWY_EXPORT(triad);

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The least time of several tries in which all threads do `work(thread)` at once.
template <class Work>
double best_time(int threads, int tries, Work work) {
  double best = 1e9;
  for (int t = 0; t < tries; ++t) {
    const double start = now();
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back([&, i] { work(i); });
    work(0);
    for (std::thread& other : others) other.join();
    best = std::min(best, now() - start);
  }
  return best;
}

double triad_bytes_per_second(int threads, long floats_in_all, int rounds) {
  const long n = floats_in_all / threads;
  std::vector<std::vector<float>> arrays(static_cast<std::size_t>(3 * threads));
  for (auto& array : arrays) array.assign(static_cast<std::size_t>(n), 1.0F);
  const double seconds = best_time(threads, 7, [&](int i) {
    const std::size_t first = 3 * static_cast<std::size_t>(i);
    auto* a = arrays[first].data();
    const auto* b = arrays[first + 1].data();
    const auto* c = arrays[first + 2].data();
    for (int r = 0; r < rounds; ++r) HWY_DYNAMIC_DISPATCH(triad)(a, b, c, n);
  });
  return 12.0 * static_cast<double>(n) * threads * rounds / seconds;
}

// What a workload cannot do without: floating operations, bytes through memory, bytes through the cache.
struct Demand {
  double flops;
  double memory;
  double cache;
};

const std::map<std::string, Demand>& demands() {
  constexpr double kMi = 1 << 20;
  // Products of a training step: forward, weight gradients, and input gradients of all layers but the first.
  constexpr double kSmallMlp = 2.0 * 100 * (2 * 15000 + 11000);
  constexpr double kLargeMlp = 2.0 * 128 * (2 * 668672 + 267264);
  constexpr double kCnn = 2 * 18.43e6 + 3 * 40.96e6 + 3 * 2.11e6;
  constexpr double kDigitsCnn = 2 * 46.08e6 + 3 * 163.84e6 + 3 * 13.36e6;
  constexpr double kResidual = 2 * 56.6e6 + 8 * 3 * 604.0e6;
  static const std::map<std::string, Demand> all = {
      {"b1", {kSmallMlp, 0, 0}},
      {"b2", {kSmallMlp, 0, 0}},
      {"c1", {kLargeMlp, 0, 669706 * 28.0}},  // Adam: p, g, m, v read, p, m, v written
      {"c2", {kLargeMlp, 0, 669706 * 12.0}},
      {"d1", {kCnn, 0, 0}},
      {"d2", {600 * kDigitsCnn, 0, 0}},
      {"e1", {kResidual, 0, 0}},
      {"n1", {0, 2 * 4.0 * 8192 * 1000, 0}},  // logits read, gradient written
      {"n2", {0, 0, 3 * 4.0 * 64 * 50257}},
      {"n6", {0, 5 * 4.0 * 8192 * 1000, 0}},  // x read, y written; y, g read, dx written
      {"n9", {0, 5 * 4.0 * 4096 * 768, 0}},
      {"o1", {0, 0, 4.0 * 64 * 50257}},
      {"p1", {0, 0, 12 * kMi}},
      {"p2", {0, 0, 8 * kMi}},
      {"p3", {0, 0, 8 * kMi}},
      {"p4", {0, 0, 8 * kMi}},
      {"p5", {0, 0, 8 * kMi}},
      {"p6", {0, 0, 4 * kMi}},
      {"p7", {0, 0, 4 * kMi}},
      {"p8", {0, 0, 4 * kMi}},
      {"p9", {0, 0, 5 * kMi}},
  };
  return all;
}

}  // namespace

Limits measure_limits(int threads) {
  std::vector<float> sink(static_cast<std::size_t>(threads) * 16);
  std::vector<double> work(static_cast<std::size_t>(threads) * 8);
  const double seconds = best_time(threads, 7, [&](int i) {
    work[static_cast<std::size_t>(i) * 8] =
        HWY_DYNAMIC_DISPATCH(multiply_adds)(5'000'000, &sink[static_cast<std::size_t>(i) * 16]);
  });
  return {work[0] * threads / seconds, triad_bytes_per_second(threads, 32L << 20, 1),
          triad_bytes_per_second(threads, 1L << 20, 20)};
}

double limit_seconds(const std::string& name, const Limits& limits) {
  const auto found = demands().find(name.substr(0, 2));
  if (found == demands().end()) return 0.0;
  const Demand& demand = found->second;
  return std::max(demand.flops / limits.flops, demand.memory / limits.memory + demand.cache / limits.cache);
}

}  // namespace bench
#endif  // HWY_ONCE
