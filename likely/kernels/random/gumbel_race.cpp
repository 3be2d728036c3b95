#include "likely/kernels/random/gumbel_race.hpp"

#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/random/gumbel_race.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "likely/core/threads.hpp"
#include "likely/kernels/random/random.hpp"
#include "likely/kernels/random/variates.hpp"
#include "likely/kernels/row_tiles.hpp"
#include "likely/kernels/softmax/rows-inl.hpp"
#include "likely/kernels/target_tables.hpp"

#ifndef LIKELY_KERNELS_RANDOM_RACE_TABLE
#define LIKELY_KERNELS_RANDOM_RACE_TABLE
namespace likely::kernels {
template <class T>
struct RaceTable {
  // The log-sum-exp of each block of a row's n elements.
  void (*log_sums)(const T* x, std::int64_t n, double* out);
  // See take_leader.
  double (*take)(const T* x, std::int64_t columns, std::int64_t block, double u, std::int64_t* indices,
                 std::int64_t count);
};
}  // namespace likely::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr double kRaceNever = -std::numeric_limits<double>::infinity();
// The weights of a block are added up in parts, so that a pick looks at one part only.
inline constexpr std::int64_t kRacePart = 64;

// max + log sum e^(x - max); -inf where all are -inf, NaN where there is NaN or +inf.
template <class T>
double log_sum_of_block(const T* x, std::int64_t n, T* kept) {
  const hn::ScalableTag<T> d;
  const T max = max_of(d, x, n, std::numeric_limits<T>::lowest());
  const T sum = sum_of_exponentials(d, x, n, max, kept, kRaceBlock);
  return sum == T{0} ? kRaceNever : static_cast<double>(max) + std::log(static_cast<double>(sum));
}

template <class T>
void log_sums_of_blocks(const T* x, std::int64_t n, double* out) {
  for (std::int64_t begin = 0; begin < n; begin += kRaceBlock) {
    *out++ = log_sum_of_block<T>(x + begin, std::min(kRaceBlock, n - begin), nullptr);
  }
}

// The place at which the running total of kRaceBlock weights passes the fraction u of their sum.
template <class T>
std::int64_t pick_by_weight(const T* weights, double u) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  constexpr std::int64_t kParts = kRaceBlock / kRacePart;
  double sums[kParts], left = 0.0;
  for (std::int64_t part = 0; part < kParts; ++part) {
    auto sum = hn::Zero(d);
    for (std::int64_t i = 0; i < kRacePart; i += lanes) {
      sum = hn::Add(sum, hn::Load(d, weights + part * kRacePart + i));
    }
    sums[part] = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum)));
    left += sums[part];
  }
  left *= u;
  // Rounding may leave something over at the end: the last that has weight takes it.
  std::int64_t part = 0;
  for (std::int64_t i = 0; i < kParts; ++i) {
    if (sums[i] <= 0.0) continue;
    part = i;
    if (left < sums[i]) break;
    left -= sums[i];
  }
  std::int64_t place = part * kRacePart;
  for (std::int64_t i = part * kRacePart; i < (part + 1) * kRacePart; ++i) {
    const auto weight = static_cast<double>(weights[i]);
    if (weight <= 0.0) continue;
    place = i;
    if (left < weight) break;
    left -= weight;
  }
  return place;
}

// Class i of the block in work[i], -inf where it has been taken already.
template <class T>
void load_block(const T* x, std::int64_t begin, std::int64_t n, const std::int64_t* taken, std::int64_t count,
                T* work) {
  std::copy_n(x + begin, n, work);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t place = taken[i] - begin;
    if (place >= 0 && place < n) work[place] = -std::numeric_limits<T>::infinity();
  }
}

// Draws the class that leads its block and writes it to indices[count]; returns the log-sum-exp of what is
// left of the block.
template <class T>
double take_leader(const T* x, std::int64_t columns, std::int64_t block, double u, std::int64_t* indices,
                   std::int64_t count) {
  HWY_ALIGN T work[kRaceBlock];
  HWY_ALIGN T weights[kRaceBlock];
  const std::int64_t begin = block * kRaceBlock, n = std::min(kRaceBlock, columns - begin);
  std::fill(weights + n, weights + kRaceBlock, T{0});
  load_block(x, begin, n, indices, count, work);
  log_sum_of_block(work, n, weights);
  const std::int64_t place = pick_by_weight(weights, u);
  indices[count] = begin + place;
  work[place] = -std::numeric_limits<T>::infinity();
  return log_sum_of_block<T>(work, n, nullptr);
}

template <class T>
constexpr RaceTable<T> make_race() {
  return {&log_sums_of_blocks<T>, &take_leader<T>};
}

LIKELY_TABLES_OF_TARGET(RaceTable, make_race)

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {
namespace {

LIKELY_TABLE_OF_PROCESSOR(RaceTable, make_race)

// The next arrival after `last` where what is left weighs e^log_weight: -log(e^-last + E / e^log_weight) for
// an exponential number E = -log(u).
double next_arrival(double last, double log_weight, double u) {
  if (log_weight == -std::numeric_limits<double>::infinity()) return log_weight;
  const double a = -last, b = std::log(-std::log(u)) - log_weight;
  return -(std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))));
}

// The row's picks, from the first arrivals of its blocks. Whether there were enough.
template <class T>
bool run_race(RandomKey key, const T* x, std::int64_t row, std::int64_t columns, std::int64_t k,
              double* first, std::int64_t blocks, std::int64_t* indices, T* perturbed, T* threshold) {
  const RaceTable<T>& functions = table<T>();
  for (std::int64_t count = 0;; ++count) {
    const std::int64_t leader = std::max_element(first, first + blocks) - first;
    const double arrival = first[leader];
    if (count == k) {
      *threshold = static_cast<T>(arrival);
      return true;
    }
    if (arrival == -std::numeric_limits<double>::infinity()) return false;
    ElementSource random(key, row * columns + count);
    const double u = random.uniform(), later = random.uniform();
    const double left = functions.take(x, columns, leader, u, indices, count);
    perturbed[count] = static_cast<T>(arrival);
    first[leader] = next_arrival(arrival, left, later);
  }
}

template <class T>
RaceTrouble race_rows(RandomKey block_key, RandomKey pick_key, const T* x, std::int64_t rows,
                      std::int64_t columns, std::int64_t k, std::int64_t* indices, T* perturbed,
                      T* threshold) {
  const std::int64_t blocks = (columns + kRaceBlock - 1) / kRaceBlock;
  std::vector<double> noise(static_cast<std::size_t>(rows * blocks)), first(noise.size());
  fill_gumbel(block_key, noise.data(), rows * blocks);
  // Long rows are summed in pieces of 16384, by several threads where there are few rows.
  constexpr std::int64_t kBlocksTogether = 32;
  const std::int64_t pieces = (blocks + kBlocksTogether - 1) / kBlocksTogether;
  FirstBadRow no_softmax, too_few;
  parallel_tiles(rows * pieces, 0.5 * static_cast<double>(rows * columns), [&](std::int64_t tile) {
    const std::int64_t row = tile / pieces, from = tile % pieces * kBlocksTogether;
    const std::int64_t to = std::min(blocks, from + kBlocksTogether), begin = from * kRaceBlock;
    double* const sums = first.data() + row * blocks;
    table<T>().log_sums(x + row * columns + begin, std::min(columns, to * kRaceBlock) - begin, sums + from);
    if (std::any_of(sums + from, sums + to, [](double v) { return std::isnan(v); })) no_softmax.report(row);
  });
  if (no_softmax.get() >= 0) return {no_softmax.get(), -1};
  const double work = static_cast<double>(rows * (k + 1)) * 700.0;
  parallel_tiles(rows, work, [&](std::int64_t row) {
    double* const arrivals = first.data() + row * blocks;
    const double most = *std::max_element(arrivals, arrivals + blocks);
    if (most == -std::numeric_limits<double>::infinity()) return no_softmax.report(row);
    for (std::int64_t block = 0; block < blocks; ++block) {
      arrivals[block] += noise[static_cast<std::size_t>(row * blocks + block)];
    }
    if (!run_race(pick_key, x + row * columns, row, columns, k, arrivals, blocks, indices + row * k,
                  perturbed + row * k, threshold + row)) {
      too_few.report(row);
    }
  });
  return {no_softmax.get(), too_few.get()};
}

}  // namespace

RaceTrouble gumbel_race(RandomKey blocks, RandomKey picks, const float* x, std::int64_t rows,
                        std::int64_t columns, std::int64_t k, std::int64_t* indices, float* perturbed,
                        float* threshold) {
  return race_rows(blocks, picks, x, rows, columns, k, indices, perturbed, threshold);
}

RaceTrouble gumbel_race(RandomKey blocks, RandomKey picks, const double* x, std::int64_t rows,
                        std::int64_t columns, std::int64_t k, std::int64_t* indices, double* perturbed,
                        double* threshold) {
  return race_rows(blocks, picks, x, rows, columns, k, indices, perturbed, threshold);
}

}  // namespace likely::kernels
#endif
