#include <cmath>

#include "likely/core/threads.hpp"
#include "likely/kernels/normalize/features.hpp"
#include "likely/kernels/normalize/normalize.hpp"
#include "likely/kernels/simd_targets.hpp"
#include "likely/kernels/target_tables.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/normalize/batch.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/normalize/channels-inl.hpp"

#ifndef LIKELY_KERNELS_NORMALIZE_BATCH_TABLE
#define LIKELY_KERNELS_NORMALIZE_BATCH_TABLE
namespace likely::kernels {
// Everything is for one channel; pointers are to its first image.
template <class T>
struct NormalizeBatchTable {
  void (*statistics)(const T* x, ImageShape shape, T* mean, T* variance);
  void (*transform)(const T* x, ImageShape shape, T mean, T scale, T bias, const T* residual, bool relu,
                    T* y);
  void (*backward)(const T* x, const T* g, const T* relu_output, ImageShape shape, T mean, T rstd, T weight,
                   T* dx, T* dweight, T* dbias, T* dresidual);
};
}  // namespace likely::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

// Each image's part has its own mean and variance, found while it is in the nearest cache; Chan's formula
// joins them.
template <class T>
void channel_statistics_one(const T* x, ImageShape shape, T* mean, T* variance) {
  const std::int64_t step = shape.channels * shape.spatial;
  const auto each = static_cast<double>(shape.spatial);
  double joint_mean = 0, squares = 0;
  for (std::int64_t image = 0; image < shape.batch; ++image) {
    const MeanAndVariance part = mean_and_variance_of(x + image * step, shape.spatial);
    const auto before = static_cast<double>(image), after = before + 1;
    const double difference = part.mean - joint_mean;
    joint_mean += difference / after;
    squares += each * (part.variance + difference * difference * before / after);
  }
  *mean = static_cast<T>(joint_mean);
  *variance = static_cast<T>(squares / (each * static_cast<double>(shape.batch)));
}

template <class T>
void channel_transform_one(const T* x, ImageShape shape, T mean, T scale, T bias, const T* residual,
                           bool relu, T* y) {
  const std::int64_t step = shape.channels * shape.spatial;
  for (std::int64_t image = 0; image < shape.batch; ++image) {
    const std::int64_t at = image * step;
    transform_run(x + at, mean, scale, bias, residual != nullptr ? residual + at : nullptr, relu, y + at,
                  shape.spatial);
  }
}

template <class T>
void channel_backward_one(const T* x, const T* g, const T* relu_output, ImageShape shape, T mean, T rstd,
                          T weight, T* dx, T* dweight, T* dbias, T* dresidual) {
  const std::int64_t step = shape.channels * shape.spatial;
  const auto relu_at = [&](std::int64_t at) { return relu_output != nullptr ? relu_output + at : nullptr; };
  GradientSums sums;
  for (std::int64_t image = 0; image < shape.batch; ++image) {
    const std::int64_t at = image * step;
    const GradientSums part = gradient_sums_of(x + at, g + at, relu_at(at), mean, shape.spatial);
    sums.g += part.g;
    sums.gx += part.gx;
  }
  const auto r = static_cast<double>(rstd), w = static_cast<double>(weight);
  const double count = static_cast<double>(shape.batch) * static_cast<double>(shape.spatial);
  if (dweight != nullptr) *dweight = static_cast<T>(sums.gx * r);
  if (dbias != nullptr) *dbias = static_cast<T>(sums.g);
  const T a = static_cast<T>(w * r), b = static_cast<T>(-w * r * r * r * sums.gx / count);
  const T c = static_cast<T>(-w * r * sums.g / count);
  for (std::int64_t image = 0; image < shape.batch; ++image) {
    const std::int64_t at = image * step;
    gradient_run(x + at, g + at, relu_at(at), mean, a, b, c, dx + at,
                 dresidual != nullptr ? dresidual + at : nullptr, shape.spatial);
  }
}

template <class T>
constexpr NormalizeBatchTable<T> normalize_batch_table() {
  return {&channel_statistics_one<T>, &channel_transform_one<T>, &channel_backward_one<T>};
}
LIKELY_TABLES_OF_TARGET(NormalizeBatchTable, normalize_batch_table)

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {
namespace {

LIKELY_TABLE_OF_PROCESSOR(NormalizeBatchTable, normalize_batch_table)

// Calls body(channel) for each channel; nanoseconds are for one element.
template <class Body>
void for_channels(ImageShape shape, double nanoseconds, const Body& body) {
  const auto elements = static_cast<double>(shape.batch * shape.channels * shape.spatial);
  parallel_tiles(shape.channels, nanoseconds * elements, body);
}

template <class T>
T or_one(const T* weight, std::int64_t channel) {
  return weight != nullptr ? weight[channel] : T{1};
}
template <class T>
T or_zero(const T* bias, std::int64_t channel) {
  return bias != nullptr ? bias[channel] : T{0};
}

template <class T>
void statistics_all(const T* x, ImageShape shape, T* mean, T* variance) {
  if (shape.spatial == 1) return feature_statistics(x, shape.batch, shape.channels, mean, variance);
  for_channels(shape, 0.3, [&](std::int64_t c) {
    table<T>().statistics(x + c * shape.spatial, shape, mean + c, variance + c);
  });
}

template <class T>
void transform_all(const T* x, ImageShape shape, const T* mean, const T* rstd, const T* weight, const T* bias,
                   const T* residual, bool relu, T* y) {
  if (shape.spatial == 1) {
    return feature_transform(x, shape.batch, shape.channels, mean, rstd, weight, bias, residual, relu, y);
  }
  for_channels(shape, 0.3, [&](std::int64_t c) {
    const std::int64_t at = c * shape.spatial;
    table<T>().transform(x + at, shape, mean[c], rstd[c] * or_one(weight, c), or_zero(bias, c),
                         residual != nullptr ? residual + at : nullptr, relu, y + at);
  });
}

template <class T>
void batch_norm_all(const T* x, ImageShape shape, const T* weight, const T* bias, const T* residual,
                    bool relu, double epsilon, T* y, T* mean, T* variance, T* rstd) {
  const auto find_rstd = [&](std::int64_t c) {
    rstd[c] = static_cast<T>(1 / std::sqrt(static_cast<double>(variance[c]) + epsilon));
  };
  if (shape.spatial == 1) {
    feature_statistics(x, shape.batch, shape.channels, mean, variance);
    for (std::int64_t c = 0; c < shape.channels; ++c) find_rstd(c);
    return feature_transform(x, shape.batch, shape.channels, mean, rstd, weight, bias, residual, relu, y);
  }
  for_channels(shape, 0.6, [&](std::int64_t c) {
    const std::int64_t at = c * shape.spatial;
    table<T>().statistics(x + at, shape, mean + c, variance + c);
    find_rstd(c);
    table<T>().transform(x + at, shape, mean[c], rstd[c] * or_one(weight, c), or_zero(bias, c),
                         residual != nullptr ? residual + at : nullptr, relu, y + at);
  });
}

template <class T>
void batch_norm_backward_all(const T* x, const T* g, const T* relu_output, ImageShape shape, const T* mean,
                             const T* rstd, const T* weight, T* dx, T* dweight, T* dbias, T* dresidual) {
  if (shape.spatial == 1) {
    return feature_backward(x, g, relu_output, shape.batch, shape.channels, mean, rstd, weight, dx, dweight,
                            dbias, dresidual);
  }
  for_channels(shape, 0.7, [&](std::int64_t c) {
    const std::int64_t at = c * shape.spatial;
    table<T>().backward(x + at, g + at, relu_output != nullptr ? relu_output + at : nullptr, shape, mean[c],
                        rstd[c], or_one(weight, c), dx + at, dweight != nullptr ? dweight + c : nullptr,
                        dbias != nullptr ? dbias + c : nullptr,
                        dresidual != nullptr ? dresidual + at : nullptr);
  });
}

}  // namespace

void channel_statistics(const float* x, ImageShape shape, float* mean, float* variance) {
  statistics_all(x, shape, mean, variance);
}
void channel_statistics(const double* x, ImageShape shape, double* mean, double* variance) {
  statistics_all(x, shape, mean, variance);
}

void channel_transform(const float* x, ImageShape shape, const float* mean, const float* rstd,
                       const float* weight, const float* bias, const float* residual, bool relu, float* y) {
  transform_all(x, shape, mean, rstd, weight, bias, residual, relu, y);
}
void channel_transform(const double* x, ImageShape shape, const double* mean, const double* rstd,
                       const double* weight, const double* bias, const double* residual, bool relu,
                       double* y) {
  transform_all(x, shape, mean, rstd, weight, bias, residual, relu, y);
}

void batch_norm(const float* x, ImageShape shape, const float* weight, const float* bias,
                const float* residual, bool relu, double epsilon, float* y, float* mean, float* variance,
                float* rstd) {
  batch_norm_all(x, shape, weight, bias, residual, relu, epsilon, y, mean, variance, rstd);
}
void batch_norm(const double* x, ImageShape shape, const double* weight, const double* bias,
                const double* residual, bool relu, double epsilon, double* y, double* mean, double* variance,
                double* rstd) {
  batch_norm_all(x, shape, weight, bias, residual, relu, epsilon, y, mean, variance, rstd);
}

void batch_norm_backward(const float* x, const float* g, const float* relu_output, ImageShape shape,
                         const float* mean, const float* rstd, const float* weight, float* dx, float* dweight,
                         float* dbias, float* dresidual) {
  batch_norm_backward_all(x, g, relu_output, shape, mean, rstd, weight, dx, dweight, dbias, dresidual);
}
void batch_norm_backward(const double* x, const double* g, const double* relu_output, ImageShape shape,
                         const double* mean, const double* rstd, const double* weight, double* dx,
                         double* dweight, double* dbias, double* dresidual) {
  batch_norm_backward_all(x, g, relu_output, shape, mean, rstd, weight, dx, dweight, dbias, dresidual);
}

}  // namespace likely::kernels
#endif
