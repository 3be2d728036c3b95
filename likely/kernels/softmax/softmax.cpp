#include "likely/kernels/softmax/softmax.hpp"

#include "likely/kernels/row_tiles.hpp"
#include "likely/kernels/simd_targets.hpp"
#include "likely/kernels/target_tables.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/softmax/softmax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/softmax/rows-inl.hpp"

#ifndef LIKELY_KERNELS_SOFTMAX_TABLE
#define LIKELY_KERNELS_SOFTMAX_TABLE
namespace likely::kernels {
template <class T>
struct SoftmaxTable {
  std::int64_t (*softmax)(const T* x, T* y, std::int64_t rows, std::int64_t cols, bool stream);
  std::int64_t (*log_softmax)(const T* x, T* y, std::int64_t rows, std::int64_t cols, bool stream);
  std::int64_t (*log_sum_exp)(const T* x, double* out, std::int64_t rows, std::int64_t cols);
  void (*softmax_backward)(const T* y, const T* g, T* dx, std::int64_t rows, std::int64_t cols, bool stream);
  void (*log_softmax_backward)(const T* y, const T* g, T* dx, std::int64_t rows, std::int64_t cols,
                               bool stream);
  void (*log_sum_exp_backward)(const T* x, const double* lse, const T* scale, std::int64_t scale_step, T* dx,
                               std::int64_t rows, std::int64_t cols, bool stream);
};
}  // namespace likely::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

template <class T>
std::int64_t softmax_rows(const T* x, T* y, std::int64_t rows, std::int64_t cols, bool stream) {
  using D = hn::ScalableTag<T>;
  const D d;
  // The exponentials of a short row wait in the nearest cache for their sum; those of a long one are found
  // again.
  const bool keeps = cols <= kSoftmaxBlock;
  HWY_ALIGN T kept[kSoftmaxBlock];
  std::int64_t bad = -1;
  for (std::int64_t row = 0; row < rows; ++row, x += cols, y += cols) {
    const RowNormalizer<T> normalizer = row_normalizer(d, x, cols, keeps ? kept : nullptr);
    if (!normalizer.good && bad < 0) bad = row;
    const auto max = hn::Set(d, normalizer.max);
    const auto inverse = hn::Set(d, static_cast<T>(1 / normalizer.sum));
    for_vectors_to(y, stream, d, cols, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<D> v[access.kCount];
      if (keeps) {
        access.load(kept + i, v);
      } else {
        access.load(x + i, v);
        for (auto& e : v) e = hn::Sub(e, max);
        exp_probabilities(d, v);
      }
      for (auto& e : v) e = hn::Mul(e, inverse);
      access.store(v, y + i);
    });
  }
  if (stream) hwy::FlushStream();
  return bad;
}

template <class T>
std::int64_t log_softmax_rows(const T* x, T* y, std::int64_t rows, std::int64_t cols, bool stream) {
  const hn::ScalableTag<T> d;
  std::int64_t bad = -1;
  for (std::int64_t row = 0; row < rows; ++row, x += cols, y += cols) {
    const RowNormalizer<T> normalizer = row_normalizer(d, x, cols);
    if (!normalizer.good && bad < 0) bad = row;
    const auto max = hn::Set(d, normalizer.max);
    const auto log_sum = hn::Set(d, static_cast<T>(normalizer.log_sum()));
    for_vectors_to(y, stream, d, cols, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<decltype(d)> v[access.kCount];
      access.load(x + i, v);
      for (auto& e : v) e = hn::Sub(hn::Sub(e, max), log_sum);
      access.store(v, y + i);
    });
  }
  if (stream) hwy::FlushStream();
  return bad;
}

template <class T>
std::int64_t log_sum_exp_rows(const T* x, double* out, std::int64_t rows, std::int64_t cols) {
  const hn::ScalableTag<T> d;
  std::int64_t bad = -1;
  for (std::int64_t row = 0; row < rows; ++row) {
    const RowNormalizer<T> normalizer = row_normalizer(d, x + row * cols, cols);
    if (!normalizer.good && bad < 0) bad = row;
    out[row] = normalizer.log_sum_exp();
  }
  return bad;
}

// sum_j term(a_j, b_j) with four vectors of running sums.
template <class D, class Term, class T = hn::TFromD<D>>
HWY_INLINE T row_sum(D d, const T* a, const T* b, std::int64_t cols, const Term& term) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  std::int64_t i = 0;
  for (; i + 4 * lanes <= cols; i += 4 * lanes) {
    s0 = term(hn::LoadU(d, a + i), hn::LoadU(d, b + i), s0);
    s1 = term(hn::LoadU(d, a + i + lanes), hn::LoadU(d, b + i + lanes), s1);
    s2 = term(hn::LoadU(d, a + i + 2 * lanes), hn::LoadU(d, b + i + 2 * lanes), s2);
    s3 = term(hn::LoadU(d, a + i + 3 * lanes), hn::LoadU(d, b + i + 3 * lanes), s3);
  }
  for (; i + lanes <= cols; i += lanes) s0 = term(hn::LoadU(d, a + i), hn::LoadU(d, b + i), s0);
  if (i < cols) {
    const auto count = static_cast<std::size_t>(cols - i);
    s0 = term(load_first(d, a + i, count), load_first(d, b + i, count), s0);
  }
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
}

template <class T>
void softmax_backward_rows(const T* y, const T* g, T* dx, std::int64_t rows, std::int64_t cols, bool stream) {
  const hn::ScalableTag<T> d;
  for (std::int64_t row = 0; row < rows; ++row, y += cols, g += cols, dx += cols) {
    const auto dot = hn::Set(
        d, row_sum(d, y, g, cols, [](auto a, auto b, auto s) HWY_ATTR { return hn::MulAdd(a, b, s); }));
    for_vectors_to(dx, stream, d, cols, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<decltype(d)> p[access.kCount], v[access.kCount];
      access.load(y + i, p);
      access.load(g + i, v);
      access.prefetch(y + cols + i);
      access.prefetch(g + cols + i);
      for (int k = 0; k < access.kCount; ++k) v[k] = hn::Mul(p[k], hn::Sub(v[k], dot));
      access.store(v, dx + i);
    });
  }
  if (stream) hwy::FlushStream();
}

template <class T>
void log_softmax_backward_rows(const T* y, const T* g, T* dx, std::int64_t rows, std::int64_t cols,
                               bool stream) {
  const hn::ScalableTag<T> d;
  for (std::int64_t row = 0; row < rows; ++row, y += cols, g += cols, dx += cols) {
    const auto sum =
        hn::Set(d, row_sum(d, g, g, cols, [](auto a, auto, auto s) HWY_ATTR { return hn::Add(a, s); }));
    for_vectors_to(dx, stream, d, cols, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<decltype(d)> p[access.kCount], v[access.kCount];
      access.load(y + i, p);
      exp_probabilities(d, p);
      access.load(g + i, v);
      access.prefetch(g + cols + i);
      for (int k = 0; k < access.kCount; ++k) v[k] = hn::NegMulAdd(p[k], sum, v[k]);
      access.store(v, dx + i);
    });
  }
  if (stream) hwy::FlushStream();
}

template <class T>
void log_sum_exp_backward_rows(const T* x, const double* lse, const T* scale, std::int64_t scale_step, T* dx,
                               std::int64_t rows, std::int64_t cols, bool stream) {
  const hn::ScalableTag<T> d;
  for (std::int64_t row = 0; row < rows; ++row, x += cols, dx += cols) {
    const SplitLogSumExp split(d, lse[row]);
    const auto factor = hn::Set(d, scale[row * scale_step]);
    for_vectors_to(dx, stream, d, cols, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<decltype(d)> p[access.kCount];
      access.load(x + i, p);
      for (auto& e : p) e = split.subtract_from(e);
      exp_probabilities(d, p);
      for (auto& e : p) e = hn::Mul(e, factor);
      access.store(p, dx + i);
    });
  }
  if (stream) hwy::FlushStream();
}

template <class T>
constexpr SoftmaxTable<T> softmax_table() {
  return {&softmax_rows<T>,          &log_softmax_rows<T>,          &log_sum_exp_rows<T>,
          &softmax_backward_rows<T>, &log_softmax_backward_rows<T>, &log_sum_exp_backward_rows<T>};
}
LIKELY_TABLES_OF_TARGET(SoftmaxTable, softmax_table)

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {
namespace {

LIKELY_TABLE_OF_PROCESSOR(SoftmaxTable, softmax_table)

template <class T>
std::int64_t softmax_tiled(const T* x, T* y, std::int64_t rows, std::int64_t cols) {
  FirstBadRow bad;
  const bool stream = too_large_for_caches<T>(rows, cols);
  for_row_tiles(rows, cols, 0.5, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t found =
        table<T>().softmax(x + first * cols, y + first * cols, last - first, cols, stream);
    if (found >= 0) bad.report(first + found);
  });
  return bad.get();
}

template <class T>
std::int64_t log_softmax_tiled(const T* x, T* y, std::int64_t rows, std::int64_t cols) {
  FirstBadRow bad;
  const bool stream = too_large_for_caches<T>(rows, cols);
  for_row_tiles(rows, cols, 0.5, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t found =
        table<T>().log_softmax(x + first * cols, y + first * cols, last - first, cols, stream);
    if (found >= 0) bad.report(first + found);
  });
  return bad.get();
}

template <class T>
std::int64_t log_sum_exp_tiled(const T* x, double* out, std::int64_t rows, std::int64_t cols) {
  FirstBadRow bad;
  for_row_tiles(rows, cols, 0.3, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t found = table<T>().log_sum_exp(x + first * cols, out + first, last - first, cols);
    if (found >= 0) bad.report(first + found);
  });
  return bad.get();
}

template <class T>
void log_sum_exp_backward_tiled(const T* x, const double* lse, const T* scale, std::int64_t scale_step, T* dx,
                                std::int64_t rows, std::int64_t cols) {
  const bool stream = too_large_for_caches<T>(rows, cols);
  for_row_tiles(rows, cols, 0.4, [&](std::int64_t first, std::int64_t last) {
    table<T>().log_sum_exp_backward(x + first * cols, lse + first, scale + first * scale_step, scale_step,
                                    dx + first * cols, last - first, cols, stream);
  });
}

}  // namespace

std::int64_t softmax(const float* x, float* y, std::int64_t rows, std::int64_t cols) {
  return softmax_tiled(x, y, rows, cols);
}
std::int64_t softmax(const double* x, double* y, std::int64_t rows, std::int64_t cols) {
  return softmax_tiled(x, y, rows, cols);
}

std::int64_t log_softmax(const float* x, float* y, std::int64_t rows, std::int64_t cols) {
  return log_softmax_tiled(x, y, rows, cols);
}
std::int64_t log_softmax(const double* x, double* y, std::int64_t rows, std::int64_t cols) {
  return log_softmax_tiled(x, y, rows, cols);
}

std::int64_t log_sum_exp(const float* x, double* out, std::int64_t rows, std::int64_t cols) {
  return log_sum_exp_tiled(x, out, rows, cols);
}
std::int64_t log_sum_exp(const double* x, double* out, std::int64_t rows, std::int64_t cols) {
  return log_sum_exp_tiled(x, out, rows, cols);
}

void softmax_backward(const float* y, const float* g, float* dx, std::int64_t rows, std::int64_t cols) {
  const bool stream = too_large_for_caches<float>(rows, cols);
  for_row_tiles(rows, cols, 0.3, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t at = first * cols;
    table<float>().softmax_backward(y + at, g + at, dx + at, last - first, cols, stream);
  });
}
void softmax_backward(const double* y, const double* g, double* dx, std::int64_t rows, std::int64_t cols) {
  const bool stream = too_large_for_caches<double>(rows, cols);
  for_row_tiles(rows, cols, 0.6, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t at = first * cols;
    table<double>().softmax_backward(y + at, g + at, dx + at, last - first, cols, stream);
  });
}

void log_softmax_backward(const float* y, const float* g, float* dx, std::int64_t rows, std::int64_t cols) {
  const bool stream = too_large_for_caches<float>(rows, cols);
  for_row_tiles(rows, cols, 0.5, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t at = first * cols;
    table<float>().log_softmax_backward(y + at, g + at, dx + at, last - first, cols, stream);
  });
}
void log_softmax_backward(const double* y, const double* g, double* dx, std::int64_t rows,
                          std::int64_t cols) {
  const bool stream = too_large_for_caches<double>(rows, cols);
  for_row_tiles(rows, cols, 1.0, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t at = first * cols;
    table<double>().log_softmax_backward(y + at, g + at, dx + at, last - first, cols, stream);
  });
}

void log_sum_exp_backward(const float* x, const double* lse, const float* scale, std::int64_t scale_step,
                          float* dx, std::int64_t rows, std::int64_t cols) {
  log_sum_exp_backward_tiled(x, lse, scale, scale_step, dx, rows, cols);
}
void log_sum_exp_backward(const double* x, const double* lse, const double* scale, std::int64_t scale_step,
                          double* dx, std::int64_t rows, std::int64_t cols) {
  log_sum_exp_backward_tiled(x, lse, scale, scale_step, dx, rows, cols);
}

}  // namespace likely::kernels
#endif
