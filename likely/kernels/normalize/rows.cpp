#include <algorithm>
#include <cmath>

#include "likely/kernels/normalize/normalize.hpp"
#include "likely/kernels/row_tiles.hpp"
#include "likely/kernels/scratch.hpp"
#include "likely/kernels/simd_targets.hpp"
#include "likely/kernels/target_tables.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/normalize/rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/normalize/sums-inl.hpp"

#ifndef LIKELY_KERNELS_NORMALIZE_ROWS_TABLE
#define LIKELY_KERNELS_NORMALIZE_ROWS_TABLE
namespace likely::kernels {
// mean is null for rms_norm. In the backward pass, column_sums holds dweight of these rows and, from
// `width` on, dbias.
template <class T>
struct NormalizeRowsTable {
  void (*forward)(const T* x, const T* weight, const T* bias, double epsilon, T* y, T* mean, T* rstd,
                  std::int64_t rows, std::int64_t cols, bool stream);
  void (*backward)(const T* x, const T* g, const T* weight, const T* mean, const T* rstd, T* dx,
                   T* column_sums, std::int64_t width, std::int64_t rows, std::int64_t cols, bool stream);
};
}  // namespace likely::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

template <class T>
void normalize_rows(const T* x, const T* weight, const T* bias, double epsilon, T* y, T* mean, T* rstd,
                    std::int64_t rows, std::int64_t cols, bool stream) {
  using D = hn::ScalableTag<T>;
  const D d;
  for (std::int64_t row = 0; row < rows; ++row, x += cols, y += cols) {
    T centre = 0;
    double spread = 0;
    if (mean != nullptr) {
      const MeanAndVariance statistics = mean_and_variance_of(x, cols);
      centre = mean[row] = static_cast<T>(statistics.mean);
      spread = statistics.variance;
    } else {
      spread = centred_sums_of(x, cols, T{0}).second / static_cast<double>(cols);
    }
    const T scale = rstd[row] = static_cast<T>(1 / std::sqrt(spread + epsilon));
    const auto c = hn::Set(d, centre), s = hn::Set(d, scale);
    for_vectors_to(y, stream, d, cols, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<D> v[access.kCount], w[access.kCount], b[access.kCount];
      access.load(x + i, v);
      access.prefetch(x + cols + i);
      for (auto& e : v) e = hn::Mul(hn::Sub(e, c), s);
      if (weight != nullptr && bias != nullptr) {
        access.load(weight + i, w);
        access.load(bias + i, b);
        for (int k = 0; k < access.kCount; ++k) v[k] = hn::MulAdd(v[k], w[k], b[k]);
      } else if (weight != nullptr) {
        access.load(weight + i, w);
        for (int k = 0; k < access.kCount; ++k) v[k] = hn::Mul(v[k], w[k]);
      } else if (bias != nullptr) {
        access.load(bias + i, b);
        for (int k = 0; k < access.kCount; ++k) v[k] = hn::Add(v[k], b[k]);
      }
      access.store(v, y + i);
    });
  }
  if (stream) hwy::FlushStream();
}

template <class T>
void normalize_rows_backward(const T* x, const T* g, const T* weight, const T* mean, const T* rstd, T* dx,
                             T* column_sums, std::int64_t width, std::int64_t rows, std::int64_t cols,
                             bool stream) {
  using D = hn::ScalableTag<T>;
  const D d;
  T* dweight = column_sums;
  T* dbias = column_sums + width;
  std::fill_n(column_sums, 2 * width, T{0});
  const double inverse_count = 1 / static_cast<double>(cols);
  for (std::int64_t row = 0; row < rows; ++row, x += cols, g += cols, dx += cols) {
    const auto c = hn::Set(d, mean != nullptr ? mean[row] : T{0}), s = hn::Set(d, rstd[row]);
    VectorSum<D> u_sum, uh_sum;
    for_vectors(d, cols, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<D> h[access.kCount], u[access.kCount], w[access.kCount], dw[access.kCount], db[access.kCount];
      access.load(x + i, h);
      access.load(g + i, u);
      access.load(dweight + i, dw);
      access.load(dbias + i, db);
      for (int k = 0; k < access.kCount; ++k) {
        h[k] = hn::Mul(hn::Sub(h[k], c), s);
        dw[k] = hn::MulAdd(u[k], h[k], dw[k]);
        db[k] = hn::Add(u[k], db[k]);
      }
      access.store(dw, dweight + i);
      access.store(db, dbias + i);
      if (weight != nullptr) {
        access.load(weight + i, w);
        for (int k = 0; k < access.kCount; ++k) u[k] = hn::Mul(u[k], w[k]);
      }
      for (int k = 0; k < access.kCount; ++k) {
        u_sum.part[k] = hn::Add(u_sum.part[k], u[k]);
        uh_sum.part[k] = hn::MulAdd(u[k], h[k], uh_sum.part[k]);
      }
    });
    const auto u_average = hn::Set(d, static_cast<T>(mean != nullptr ? u_sum.total() * inverse_count : 0.0));
    const auto uh_average = hn::Set(d, static_cast<T>(uh_sum.total() * inverse_count));
    for_vectors_to(dx, stream, d, cols, [&](auto access, std::int64_t i) HWY_ATTR {
      hn::Vec<D> h[access.kCount], u[access.kCount], w[access.kCount];
      access.load(x + i, h);
      access.load(g + i, u);
      access.prefetch(x + cols + i);
      access.prefetch(g + cols + i);
      if (weight != nullptr) {
        access.load(weight + i, w);
        for (int k = 0; k < access.kCount; ++k) u[k] = hn::Mul(u[k], w[k]);
      }
      for (int k = 0; k < access.kCount; ++k) {
        h[k] = hn::Mul(hn::Sub(h[k], c), s);
        u[k] = hn::Mul(s, hn::NegMulAdd(h[k], uh_average, hn::Sub(u[k], u_average)));
      }
      access.store(u, dx + i);
    });
  }
  if (stream) hwy::FlushStream();
}

template <class T>
constexpr NormalizeRowsTable<T> normalize_rows_table() {
  return {&normalize_rows<T>, &normalize_rows_backward<T>};
}
LIKELY_TABLES_OF_TARGET(NormalizeRowsTable, normalize_rows_table)

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {
namespace {

LIKELY_TABLE_OF_PROCESSOR(NormalizeRowsTable, normalize_rows_table)

template <class T>
void forward_tiled(const T* x, const T* weight, const T* bias, double epsilon, T* y, T* mean, T* rstd,
                   std::int64_t rows, std::int64_t cols) {
  const bool stream = too_large_for_caches<T>(rows, cols);
  for_row_tiles(rows, cols, 0.3, [&](std::int64_t first, std::int64_t last) {
    table<T>().forward(x + first * cols, weight, bias, epsilon, y + first * cols,
                       mean != nullptr ? mean + first : nullptr, rstd + first, last - first, cols, stream);
  });
}

// The tiles' sums over their rows are added up in the order of the tiles.
template <class T>
void backward_tiled(const T* x, const T* g, const T* weight, const T* mean, const T* rstd, T* dx, T* dweight,
                    T* dbias, std::int64_t rows, std::int64_t cols) {
  const bool stream = too_large_for_caches<T>(rows, cols);
  const std::int64_t each = std::max<std::int64_t>(8, (rows + 63) / 64);
  const std::int64_t tiles = (rows + each - 1) / each;
  // Each tile's sums start on a cache line of their own: vectors that straddle two are slow to store.
  constexpr std::int64_t kLine = 64 / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t width = (cols + kLine - 1) / kLine * kLine;
  T* const sums = scratch<T>(ScratchSlot::normalize_column_sums, tiles * 2 * width);
  parallel_tiles(tiles, 0.6 * static_cast<double>(rows * cols), [&](std::int64_t tile) {
    const std::int64_t first = tile * each, count = std::min(rows - first, each);
    table<T>().backward(x + first * cols, g + first * cols, weight, mean != nullptr ? mean + first : nullptr,
                        rstd + first, dx + first * cols, sums + tile * 2 * width, width, count, cols, stream);
  });
  const auto add_up = [&](std::int64_t from, T* to) {
    if (to == nullptr) return;
    std::fill_n(to, cols, T{0});
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      const T* part = sums + tile * 2 * width + from;
      for (std::int64_t i = 0; i < cols; ++i) to[i] += part[i];
    }
  };
  add_up(0, dweight);
  add_up(width, dbias);
}

}  // namespace

void layer_norm(const float* x, const float* weight, const float* bias, double epsilon, float* y, float* mean,
                float* rstd, std::int64_t rows, std::int64_t cols) {
  forward_tiled(x, weight, bias, epsilon, y, mean, rstd, rows, cols);
}
void layer_norm(const double* x, const double* weight, const double* bias, double epsilon, double* y,
                double* mean, double* rstd, std::int64_t rows, std::int64_t cols) {
  forward_tiled(x, weight, bias, epsilon, y, mean, rstd, rows, cols);
}

void layer_norm_backward(const float* x, const float* g, const float* weight, const float* mean,
                         const float* rstd, float* dx, float* dweight, float* dbias, std::int64_t rows,
                         std::int64_t cols) {
  backward_tiled(x, g, weight, mean, rstd, dx, dweight, dbias, rows, cols);
}
void layer_norm_backward(const double* x, const double* g, const double* weight, const double* mean,
                         const double* rstd, double* dx, double* dweight, double* dbias, std::int64_t rows,
                         std::int64_t cols) {
  backward_tiled(x, g, weight, mean, rstd, dx, dweight, dbias, rows, cols);
}

void rms_norm(const float* x, const float* weight, double epsilon, float* y, float* rstd, std::int64_t rows,
              std::int64_t cols) {
  forward_tiled<float>(x, weight, nullptr, epsilon, y, nullptr, rstd, rows, cols);
}
void rms_norm(const double* x, const double* weight, double epsilon, double* y, double* rstd,
              std::int64_t rows, std::int64_t cols) {
  forward_tiled<double>(x, weight, nullptr, epsilon, y, nullptr, rstd, rows, cols);
}

void rms_norm_backward(const float* x, const float* g, const float* weight, const float* rstd, float* dx,
                       float* dweight, std::int64_t rows, std::int64_t cols) {
  backward_tiled<float>(x, g, weight, nullptr, rstd, dx, dweight, nullptr, rows, cols);
}
void rms_norm_backward(const double* x, const double* g, const double* weight, const double* rstd, double* dx,
                       double* dweight, std::int64_t rows, std::int64_t cols) {
  backward_tiled<double>(x, g, weight, nullptr, rstd, dx, dweight, nullptr, rows, cols);
}

}  // namespace likely::kernels
#endif
