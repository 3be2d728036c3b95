#include <algorithm>
#include <cmath>
#include <vector>

#include "likely/core/threads.hpp"
#include "likely/kernels/normalize/normalize.hpp"
#include "likely/kernels/simd_targets.hpp"
#include "likely/kernels/target_tables.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/normalize/group.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/normalize/channels-inl.hpp"

#ifndef LIKELY_KERNELS_NORMALIZE_GROUP_TABLE
#define LIKELY_KERNELS_NORMALIZE_GROUP_TABLE
namespace likely::kernels {
// One group of one image: `channels` runs of `spatial` numbers, weight and bias from its first channel on.
template <class T>
struct NormalizeGroupTable {
  void (*forward)(const T* x, std::int64_t channels, std::int64_t spatial, const T* weight, const T* bias,
                  double epsilon, T* y, T* mean, T* rstd);
  void (*backward)(const T* x, const T* g, std::int64_t channels, std::int64_t spatial, T mean, T rstd,
                   const T* weight, T* dx, double* dweight, double* dbias);
};
}  // namespace likely::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

template <class T>
void group_forward(const T* x, std::int64_t channels, std::int64_t spatial, const T* weight, const T* bias,
                   double epsilon, T* y, T* mean, T* rstd) {
  const MeanAndVariance statistics = mean_and_variance_of(x, channels * spatial);
  *mean = static_cast<T>(statistics.mean);
  *rstd = static_cast<T>(1 / std::sqrt(statistics.variance + epsilon));
  for (std::int64_t c = 0; c < channels; ++c) {
    const T scale = weight != nullptr ? *rstd * weight[c] : *rstd;
    transform_run<T>(x + c * spatial, *mean, scale, bias != nullptr ? bias[c] : T{0}, nullptr, false,
                     y + c * spatial, spatial);
  }
}

template <class T>
void group_backward(const T* x, const T* g, std::int64_t channels, std::int64_t spatial, T mean, T rstd,
                    const T* weight, T* dx, double* dweight, double* dbias) {
  const auto r = static_cast<double>(rstd);
  const auto weight_of = [&](std::int64_t c) {
    return weight != nullptr ? static_cast<double>(weight[c]) : 1.0;
  };
  GradientSums sums;
  for (std::int64_t c = 0; c < channels; ++c) {
    const GradientSums part = gradient_sums_of<T>(x + c * spatial, g + c * spatial, nullptr, mean, spatial);
    dweight[c] = part.gx * r;
    dbias[c] = part.g;
    sums.g += weight_of(c) * part.g;
    sums.gx += weight_of(c) * part.gx;
  }
  const double count = static_cast<double>(channels) * static_cast<double>(spatial);
  const T slope = static_cast<T>(-r * r * r * sums.gx / count), shift = static_cast<T>(-r * sums.g / count);
  for (std::int64_t c = 0; c < channels; ++c) {
    gradient_run<T>(x + c * spatial, g + c * spatial, nullptr, mean, static_cast<T>(weight_of(c) * r), slope,
                    shift, dx + c * spatial, nullptr, spatial);
  }
}

template <class T>
constexpr NormalizeGroupTable<T> normalize_group_table() {
  return {&group_forward<T>, &group_backward<T>};
}
LIKELY_TABLES_OF_TARGET(NormalizeGroupTable, normalize_group_table)

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {
namespace {

LIKELY_TABLE_OF_PROCESSOR(NormalizeGroupTable, normalize_group_table)

template <class T>
void forward_all(const T* x, ImageShape shape, std::int64_t groups, const T* weight, const T* bias,
                 double epsilon, T* y, T* mean, T* rstd) {
  const std::int64_t each = shape.channels / groups, size = each * shape.spatial;
  const std::int64_t tiles = shape.batch * groups;
  parallel_tiles(tiles, 0.5 * static_cast<double>(tiles * size), [&](std::int64_t tile) {
    const std::int64_t channel = tile % groups * each;
    table<T>().forward(x + tile * size, each, shape.spatial, weight != nullptr ? weight + channel : nullptr,
                       bias != nullptr ? bias + channel : nullptr, epsilon, y + tile * size, mean + tile,
                       rstd + tile);
  });
}

template <class T>
void backward_all(const T* x, const T* g, ImageShape shape, std::int64_t groups, const T* mean, const T* rstd,
                  const T* weight, T* dx, T* dweight, T* dbias) {
  const std::int64_t each = shape.channels / groups, size = each * shape.spatial;
  const std::int64_t tiles = shape.batch * groups, runs = shape.batch * shape.channels;
  std::vector<double> sums(static_cast<std::size_t>(2 * runs));
  double* weight_sums = sums.data();
  double* bias_sums = sums.data() + runs;
  parallel_tiles(tiles, 0.7 * static_cast<double>(tiles * size), [&](std::int64_t tile) {
    const std::int64_t channel = tile % groups * each;
    table<T>().backward(x + tile * size, g + tile * size, each, shape.spatial, mean[tile], rstd[tile],
                        weight != nullptr ? weight + channel : nullptr, dx + tile * size,
                        weight_sums + tile * each, bias_sums + tile * each);
  });
  const auto add_up = [&](const double* from, T* to) {
    if (to == nullptr) return;
    for (std::int64_t c = 0; c < shape.channels; ++c) {
      double sum = 0;
      for (std::int64_t image = 0; image < shape.batch; ++image) sum += from[image * shape.channels + c];
      to[c] = static_cast<T>(sum);
    }
  };
  add_up(weight_sums, dweight);
  add_up(bias_sums, dbias);
}

}  // namespace

void group_norm(const float* x, ImageShape shape, std::int64_t groups, const float* weight, const float* bias,
                double epsilon, float* y, float* mean, float* rstd) {
  forward_all(x, shape, groups, weight, bias, epsilon, y, mean, rstd);
}
void group_norm(const double* x, ImageShape shape, std::int64_t groups, const double* weight,
                const double* bias, double epsilon, double* y, double* mean, double* rstd) {
  forward_all(x, shape, groups, weight, bias, epsilon, y, mean, rstd);
}

void group_norm_backward(const float* x, const float* g, ImageShape shape, std::int64_t groups,
                         const float* mean, const float* rstd, const float* weight, float* dx, float* dweight,
                         float* dbias) {
  backward_all(x, g, shape, groups, mean, rstd, weight, dx, dweight, dbias);
}
void group_norm_backward(const double* x, const double* g, ImageShape shape, std::int64_t groups,
                         const double* mean, const double* rstd, const double* weight, double* dx,
                         double* dweight, double* dbias) {
  backward_all(x, g, shape, groups, mean, rstd, weight, dx, dweight, dbias);
}

}  // namespace likely::kernels
#endif
