#include "likely/kernels/row_tiles.hpp"
#include "likely/kernels/simd_targets.hpp"
#include "likely/kernels/softmax/softmax.hpp"
#include "likely/kernels/target_tables.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/softmax/cross_entropy.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/load_where-inl.hpp"
#include "likely/kernels/softmax/rows-inl.hpp"

#ifndef LIKELY_KERNELS_CROSS_ENTROPY_TABLE
#define LIKELY_KERNELS_CROSS_ENTROPY_TABLE
namespace likely::kernels {
template <class T>
struct CrossEntropyTable {
  std::int64_t (*hard)(const T* x, const std::int64_t* targets, T* loss, double* lse, std::int64_t rows,
                       std::int64_t cols);
  std::int64_t (*hard_both)(const T* x, const std::int64_t* targets, T scale, T* loss, double* lse, T* dx,
                            std::int64_t rows, std::int64_t cols, bool stream);
  void (*hard_backward)(const T* x, const std::int64_t* targets, const double* lse, const T* scale,
                        std::int64_t scale_step, T* dx, std::int64_t rows, std::int64_t cols, bool stream);
  std::int64_t (*soft)(const T* x, const T* t, T* loss, double* lse, std::int64_t rows, std::int64_t cols);
  void (*soft_backward)(const T* x, const T* t, const double* lse, const T* scale, std::int64_t scale_step,
                        T* dx, std::int64_t rows, std::int64_t cols, bool stream);
  void (*binary)(const T* x, const T* t, T* loss, std::int64_t n);
  void (*binary_backward)(const T* x, const T* t, const T* scale, std::int64_t scale_step, T* dx,
                          std::int64_t n);
};
}  // namespace likely::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

// What is known about some rows before their logarithms, which are taken side by side: one alone would wait
// for each of its own steps.
struct RowsBeforeLogarithm {
  static constexpr std::int64_t kMost = 64;
  alignas(64) double sum[kMost];  // of e^(x - max); not above 0 where the row has no softmax
  alignas(64) double max[kMost];
  alignas(64) double distance[kMost];  // max - x[target]

  template <class T>
  void set(std::int64_t row, T max_of_row, double sum_of_row, T x_of_target) {
    sum[row] = sum_of_row;
    max[row] = static_cast<double>(max_of_row);
    distance[row] = max[row] - static_cast<double>(x_of_target);
  }

  // Writes losses and log-sum-exps; the first row without softmax, or -1.
  template <class T>
  std::int64_t finish(std::int64_t rows, T* loss, double* lse) {
    const hn::ScalableTag<double> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t bad = -1;
    for (std::int64_t row = rows - 1; row >= 0; --row) bad = sum[row] > 0 ? bad : row;
    for (std::int64_t row = rows; row % lanes != 0; ++row) sum[row] = 1.0;
    for (std::int64_t row = 0; row < rows; row += lanes)
      hn::Store(log(d, hn::Load(d, sum + row)), d, sum + row);
    for (std::int64_t row = 0; row < rows; ++row) {
      lse[row] = max[row] + sum[row];
      loss[row] = static_cast<T>(sum[row] + distance[row]);
    }
    return bad;
  }
};

// Calls body(first, count, known) for pieces of the rows, which fills `known`, and finishes them.
template <class T, class Body>
HWY_INLINE std::int64_t finish_pieces(std::int64_t rows, T* loss, double* lse, const Body& body) {
  RowsBeforeLogarithm known;
  std::int64_t bad = -1;
  for (std::int64_t first = 0; first < rows; first += known.kMost) {
    const std::int64_t count = std::min(known.kMost, rows - first);
    body(first, count, known);
    const std::int64_t found = known.finish(count, loss + first, lse + first);
    if (found >= 0 && bad < 0) bad = first + found;
  }
  return bad;
}

template <class T>
std::int64_t hard_rows(const T* x, const std::int64_t* targets, T* loss, double* lse, std::int64_t rows,
                       std::int64_t cols) {
  const hn::ScalableTag<T> d;
  return finish_pieces(rows, loss, lse,
                       [&](std::int64_t first, std::int64_t count, RowsBeforeLogarithm& known) HWY_ATTR {
                         for (std::int64_t i = 0; i < count; ++i) {
                           const T* const row = x + (first + i) * cols;
                           const RowNormalizer<T> normalizer = row_normalizer(d, row, cols);
                           known.set(i, normalizer.max, normalizer.sum, row[targets[first + i]]);
                         }
                       });
}

// Loss and gradient of a row. The exponentials are in the nearest cache when their sum is known: the gradient
// costs no second ones.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void row_and_gradient(D d, const T* x, std::int64_t target, T scale, T* dx, std::int64_t cols,
                                 bool stream, std::int64_t row, RowsBeforeLogarithm& known) {
  alignas(64) T kept[kSoftmaxBlock];
  const RowNormalizer<T> normalizer = row_normalizer(d, x, cols, kept);
  known.set(row, normalizer.max, normalizer.sum, x[target]);
  const T factor = static_cast<T>(static_cast<double>(scale) / normalizer.sum);
  const auto factors = hn::Set(d, factor);
  for_vectors_to(dx, stream, d, cols, [&](auto access, std::int64_t i) HWY_ATTR {
    hn::Vec<decltype(d)> p[access.kCount];
    access.load(kept + i, p);
    for (auto& e : p) e = hn::Mul(e, factors);
    access.store(p, dx + i);
  });
  dx[target] = kept[target] * factor - scale;
}

// The same for kRows rows that fit one vector each, side by side.
template <int kRows, class D, class T = hn::TFromD<D>>
HWY_INLINE void short_rows_and_gradients(D d, const T* x, const std::int64_t* targets, T scale, T* dx,
                                         std::int64_t cols, std::int64_t row, RowsBeforeLogarithm& known) {
  const auto inside = hn::FirstN(d, static_cast<std::size_t>(cols));
  const auto lowest = hn::Set(d, std::numeric_limits<T>::lowest());
  hn::Vec<D> e[kRows], max[kRows];
  for (int r = 0; r < kRows; ++r) e[r] = hn::IfThenElse(inside, load_where(d, inside, x + r * cols), lowest);
  for (int r = 0; r < kRows; ++r) max[r] = hn::MaxOfLanes(d, hn::Max(lowest, e[r]));
  for (int r = 0; r < kRows; ++r) e[r] = hn::Sub(e[r], max[r]);
  exp_probabilities(d, e);
  for (int r = 0; r < kRows; ++r) {
    const auto sum = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::IfThenElseZero(inside, e[r]))));
    known.set(row + r, hn::GetLane(max[r]), sum, x[r * cols + targets[r]]);
    const auto p = hn::Mul(e[r], hn::Set(d, static_cast<T>(static_cast<double>(scale) / sum)));
    const auto is_target = hn::Eq(hn::Iota(d, T{0}), hn::Set(d, static_cast<T>(targets[r])));
    hn::BlendedStore(hn::IfThenElse(is_target, hn::Sub(p, hn::Set(d, scale)), p), inside, d, dx + r * cols);
  }
}

template <class T>
std::int64_t hard_both_rows(const T* x, const std::int64_t* targets, T scale, T* loss, double* lse, T* dx,
                            std::int64_t rows, std::int64_t cols, bool stream) {
  const hn::ScalableTag<T> d;
  constexpr int kTogether = 4;
  const bool short_rows = cols <= static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t bad = finish_pieces(
      rows, loss, lse, [&](std::int64_t first, std::int64_t count, RowsBeforeLogarithm& known) HWY_ATTR {
        std::int64_t i = 0;
        for (; short_rows && i + kTogether <= count; i += kTogether) {
          const std::int64_t row = first + i;
          short_rows_and_gradients<kTogether>(d, x + row * cols, targets + row, scale, dx + row * cols, cols,
                                              i, known);
        }
        for (; i < count; ++i) {
          const std::int64_t row = first + i;
          row_and_gradient(d, x + row * cols, targets[row], scale, dx + row * cols, cols, stream, i, known);
        }
      });
  if (stream) hwy::FlushStream();
  return bad;
}

template <class T>
void hard_backward_rows(const T* x, const std::int64_t* targets, const double* lse, const T* scale,
                        std::int64_t scale_step, T* dx, std::int64_t rows, std::int64_t cols, bool stream) {
  const hn::ScalableTag<T> d;
  for (std::int64_t row = 0; row < rows; ++row, x += cols, dx += cols) {
    const SplitLogSumExp split(d, lse[row]);
    const T factor = scale[row * scale_step];
    const auto factors = hn::Set(d, factor);
    for_vectors_to(dx, stream, d, cols, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<decltype(d)> p[access.kCount];
      access.load(x + i, p);
      for (auto& e : p) e = split.subtract_from(e);
      exp_probabilities(d, p);
      for (auto& e : p) e = hn::Mul(e, factors);
      access.store(p, dx + i);
    });
    dx[targets[row]] -= factor;
  }
  if (stream) hwy::FlushStream();
}

// A weight of 0 leaves its logit out: 0 times minus infinity would be NaN.
template <class D, class V>
HWY_INLINE V logit_of_weight(D d, V x, V t) {
  return hn::IfThenElse(hn::Eq(t, hn::Zero(d)), hn::Zero(d), x);
}

template <class T>
std::int64_t soft_rows(const T* x, const T* t, T* loss, double* lse, std::int64_t rows, std::int64_t cols) {
  const hn::ScalableTag<T> d;
  std::int64_t bad = -1;
  for (std::int64_t row = 0; row < rows; ++row, x += cols, t += cols) {
    const RowNormalizer<T> normalizer = row_normalizer(d, x, cols);
    if (!normalizer.good && bad < 0) bad = row;
    const auto max = hn::Set(d, normalizer.max);
    auto weight = hn::Zero(d), distance = weight;
    for_vectors(d, cols, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<decltype(d)> w[access.kCount], v[access.kCount];
      access.load(t + i, w);
      access.load(x + i, v);
      for (int k = 0; k < access.kCount; ++k) {
        weight = hn::Add(weight, w[k]);
        distance = hn::MulAdd(w[k], logit_of_weight(d, hn::Sub(max, v[k]), w[k]), distance);
      }
    });
    const double log_sum = normalizer.log_sum();
    lse[row] = static_cast<double>(normalizer.max) + log_sum;
    const auto total = static_cast<double>(hn::GetLane(hn::SumOfLanes(d, weight)));
    loss[row] =
        static_cast<T>(log_sum * total + static_cast<double>(hn::GetLane(hn::SumOfLanes(d, distance))));
  }
  return bad;
}

template <class T>
void soft_backward_rows(const T* x, const T* t, const double* lse, const T* scale, std::int64_t scale_step,
                        T* dx, std::int64_t rows, std::int64_t cols, bool stream) {
  const hn::ScalableTag<T> d;
  for (std::int64_t row = 0; row < rows; ++row, x += cols, t += cols, dx += cols) {
    auto weight = hn::Zero(d);
    for_vectors(d, cols, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<decltype(d)> w[access.kCount];
      access.load(t + i, w);
      for (const auto& e : w) weight = hn::Add(weight, e);
    });
    const auto total = hn::SumOfLanes(d, weight);
    const SplitLogSumExp split(d, lse[row]);
    const auto factors = hn::Set(d, scale[row * scale_step]);
    for_vectors_to(dx, stream, d, cols, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<decltype(d)> p[access.kCount], w[access.kCount];
      access.load(x + i, p);
      for (auto& e : p) e = split.subtract_from(e);
      exp_probabilities(d, p);
      access.load(t + i, w);
      for (int k = 0; k < access.kCount; ++k) p[k] = hn::Mul(factors, hn::MulSub(p[k], total, w[k]));
      access.store(p, dx + i);
    });
  }
  if (stream) hwy::FlushStream();
}

template <class T>
void binary_range(const T* x, const T* t, T* loss, std::int64_t n) {
  const hn::ScalableTag<T> d;
  for_vectors(d, n, [&](auto access, std::int64_t i) HWY_ATTR {
    hn::Vec<decltype(d)> v[access.kCount], target[access.kCount];
    access.load(x + i, v);
    access.load(t + i, target);
    for (int k = 0; k < access.kCount; ++k) v[k] = hn::NegMulAdd(v[k], target[k], softplus(d, v[k]));
    access.store(v, loss + i);
  });
}

template <class T>
void binary_backward_range(const T* x, const T* t, const T* scale, std::int64_t scale_step, T* dx,
                           std::int64_t n) {
  const hn::ScalableTag<T> d;
  const auto common = hn::Set(d, n > 0 ? scale[0] : T{0});
  for_vectors(d, n, [&](auto access, std::int64_t i) HWY_ATTR {
    hn::Vec<decltype(d)> v[access.kCount], target[access.kCount], factor[access.kCount];
    access.load(x + i, v);
    access.load(t + i, target);
    for (auto& f : factor) f = common;
    if (scale_step != 0) access.load(scale + i, factor);
    for (int k = 0; k < access.kCount; ++k) {
      v[k] = hn::Mul(factor[k], hn::Sub(sigmoid(d, v[k]), target[k]));
    }
    access.store(v, dx + i);
  });
}

template <class T>
constexpr CrossEntropyTable<T> cross_entropy_table() {
  return {&hard_rows<T>,          &hard_both_rows<T>, &hard_backward_rows<T>,   &soft_rows<T>,
          &soft_backward_rows<T>, &binary_range<T>,   &binary_backward_range<T>};
}
LIKELY_TABLES_OF_TARGET(CrossEntropyTable, cross_entropy_table)

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {
namespace {

LIKELY_TABLE_OF_PROCESSOR(CrossEntropyTable, cross_entropy_table)

template <class T>
std::int64_t hard_tiled(const T* x, const std::int64_t* targets, T* loss, double* lse, std::int64_t rows,
                        std::int64_t cols) {
  FirstBadRow bad;
  for_row_tiles(rows, cols, 0.3, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t found =
        table<T>().hard(x + first * cols, targets + first, loss + first, lse + first, last - first, cols);
    if (found >= 0) bad.report(first + found);
  });
  return bad.get();
}

template <class T>
std::int64_t hard_both_tiled(const T* x, const std::int64_t* targets, T scale, T* loss, double* lse, T* dx,
                             std::int64_t rows, std::int64_t cols) {
  const bool stream = too_large_for_caches<T>(rows, cols);
  FirstBadRow bad;
  for_row_tiles(rows, cols, 0.5, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t found =
        table<T>().hard_both(x + first * cols, targets + first, scale, loss + first, lse + first,
                             dx + first * cols, last - first, cols, stream);
    if (found >= 0) bad.report(first + found);
  });
  return bad.get();
}

template <class T>
void hard_backward_tiled(const T* x, const std::int64_t* targets, const double* lse, const T* scale,
                         std::int64_t scale_step, T* dx, std::int64_t rows, std::int64_t cols) {
  const bool stream = too_large_for_caches<T>(rows, cols);
  for_row_tiles(rows, cols, 0.4, [&](std::int64_t first, std::int64_t last) {
    table<T>().hard_backward(x + first * cols, targets + first, lse + first, scale + first * scale_step,
                             scale_step, dx + first * cols, last - first, cols, stream);
  });
}

template <class T>
std::int64_t soft_tiled(const T* x, const T* t, T* loss, double* lse, std::int64_t rows, std::int64_t cols) {
  FirstBadRow bad;
  for_row_tiles(rows, cols, 0.5, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t found =
        table<T>().soft(x + first * cols, t + first * cols, loss + first, lse + first, last - first, cols);
    if (found >= 0) bad.report(first + found);
  });
  return bad.get();
}

template <class T>
void soft_backward_tiled(const T* x, const T* t, const double* lse, const T* scale, std::int64_t scale_step,
                         T* dx, std::int64_t rows, std::int64_t cols) {
  const bool stream = too_large_for_caches<T>(rows, cols);
  for_row_tiles(rows, cols, 0.5, [&](std::int64_t first, std::int64_t last) {
    table<T>().soft_backward(x + first * cols, t + first * cols, lse + first, scale + first * scale_step,
                             scale_step, dx + first * cols, last - first, cols, stream);
  });
}

template <class T>
void binary_tiled(const T* x, const T* t, T* loss, std::int64_t n) {
  for_row_tiles(n, 1, 0.7, [&](std::int64_t first, std::int64_t last) {
    table<T>().binary(x + first, t + first, loss + first, last - first);
  });
}

template <class T>
void binary_backward_tiled(const T* x, const T* t, const T* scale, std::int64_t scale_step, T* dx,
                           std::int64_t n) {
  for_row_tiles(n, 1, 0.5, [&](std::int64_t first, std::int64_t last) {
    table<T>().binary_backward(x + first, t + first, scale + first * scale_step, scale_step, dx + first,
                               last - first);
  });
}

}  // namespace

std::int64_t cross_entropy(const float* x, const std::int64_t* targets, float* loss, double* lse,
                           std::int64_t rows, std::int64_t cols) {
  return hard_tiled(x, targets, loss, lse, rows, cols);
}
std::int64_t cross_entropy(const double* x, const std::int64_t* targets, double* loss, double* lse,
                           std::int64_t rows, std::int64_t cols) {
  return hard_tiled(x, targets, loss, lse, rows, cols);
}

bool cross_entropy_makes_both(std::int64_t cols) { return cols <= kSoftmaxBlock; }

std::int64_t cross_entropy_with_gradient(const float* x, const std::int64_t* targets, float scale,
                                         float* loss, double* lse, float* dx, std::int64_t rows,
                                         std::int64_t cols) {
  return hard_both_tiled(x, targets, scale, loss, lse, dx, rows, cols);
}
std::int64_t cross_entropy_with_gradient(const double* x, const std::int64_t* targets, double scale,
                                         double* loss, double* lse, double* dx, std::int64_t rows,
                                         std::int64_t cols) {
  return hard_both_tiled(x, targets, scale, loss, lse, dx, rows, cols);
}

void cross_entropy_backward(const float* x, const std::int64_t* targets, const double* lse,
                            const float* scale, std::int64_t scale_step, float* dx, std::int64_t rows,
                            std::int64_t cols) {
  hard_backward_tiled(x, targets, lse, scale, scale_step, dx, rows, cols);
}
void cross_entropy_backward(const double* x, const std::int64_t* targets, const double* lse,
                            const double* scale, std::int64_t scale_step, double* dx, std::int64_t rows,
                            std::int64_t cols) {
  hard_backward_tiled(x, targets, lse, scale, scale_step, dx, rows, cols);
}

std::int64_t cross_entropy_soft(const float* x, const float* t, float* loss, double* lse, std::int64_t rows,
                                std::int64_t cols) {
  return soft_tiled(x, t, loss, lse, rows, cols);
}
std::int64_t cross_entropy_soft(const double* x, const double* t, double* loss, double* lse,
                                std::int64_t rows, std::int64_t cols) {
  return soft_tiled(x, t, loss, lse, rows, cols);
}

void cross_entropy_soft_backward(const float* x, const float* t, const double* lse, const float* scale,
                                 std::int64_t scale_step, float* dx, std::int64_t rows, std::int64_t cols) {
  soft_backward_tiled(x, t, lse, scale, scale_step, dx, rows, cols);
}
void cross_entropy_soft_backward(const double* x, const double* t, const double* lse, const double* scale,
                                 std::int64_t scale_step, double* dx, std::int64_t rows, std::int64_t cols) {
  soft_backward_tiled(x, t, lse, scale, scale_step, dx, rows, cols);
}

void binary_cross_entropy(const float* x, const float* t, float* loss, std::int64_t n) {
  binary_tiled(x, t, loss, n);
}
void binary_cross_entropy(const double* x, const double* t, double* loss, std::int64_t n) {
  binary_tiled(x, t, loss, n);
}

void binary_cross_entropy_backward(const float* x, const float* t, const float* scale,
                                   std::int64_t scale_step, float* dx, std::int64_t n) {
  binary_backward_tiled(x, t, scale, scale_step, dx, n);
}
void binary_cross_entropy_backward(const double* x, const double* t, const double* scale,
                                   std::int64_t scale_step, double* dx, std::int64_t n) {
  binary_backward_tiled(x, t, scale, scale_step, dx, n);
}

}  // namespace likely::kernels
#endif
