#include "likely/kernels/normalize/features.hpp"

#include <algorithm>

#include "likely/core/threads.hpp"

namespace likely::kernels {
namespace {

constexpr std::int64_t kFeaturesEach = 256;

// Calls body(first, count) for blocks of features. The loops inside run over neighbours in memory and sum in
// double: the compiler makes vectors of them, and memory is the limit.
template <class Body>
void for_feature_blocks(std::int64_t batch, std::int64_t features, const Body& body) {
  parallel_tiles((features + kFeaturesEach - 1) / kFeaturesEach, static_cast<double>(batch * features),
                 [&](std::int64_t tile) {
                   const std::int64_t first = tile * kFeaturesEach;
                   body(first, std::min(kFeaturesEach, features - first));
                 });
}

}  // namespace

template <class T>
void feature_statistics(const T* x, std::int64_t batch, std::int64_t features, T* mean, T* variance) {
  const double inverse = 1 / static_cast<double>(batch);
  for_feature_blocks(batch, features, [&](std::int64_t first, std::int64_t count) {
    double sum[kFeaturesEach] = {}, centre[kFeaturesEach], squares[kFeaturesEach] = {};
    for (std::int64_t n = 0; n < batch; ++n) {
      const T* row = x + n * features + first;
      for (std::int64_t f = 0; f < count; ++f) sum[f] += static_cast<double>(row[f]);
    }
    for (std::int64_t f = 0; f < count; ++f) centre[f] = sum[f] * inverse;
    for (std::int64_t n = 0; n < batch; ++n) {
      const T* row = x + n * features + first;
      for (std::int64_t f = 0; f < count; ++f) {
        const double difference = static_cast<double>(row[f]) - centre[f];
        squares[f] += difference * difference;
      }
    }
    for (std::int64_t f = 0; f < count; ++f) {
      mean[first + f] = static_cast<T>(centre[f]);
      variance[first + f] = static_cast<T>(squares[f] * inverse);
    }
  });
}

template <class T>
void feature_transform(const T* x, std::int64_t batch, std::int64_t features, const T* mean, const T* rstd,
                       const T* weight, const T* bias, const T* residual, bool relu, T* y) {
  for_feature_blocks(batch, features, [&](std::int64_t first, std::int64_t count) {
    T scale[kFeaturesEach], shift[kFeaturesEach];
    for (std::int64_t f = 0; f < count; ++f) {
      scale[f] = rstd[first + f] * (weight != nullptr ? weight[first + f] : T{1});
      shift[f] = bias != nullptr ? bias[first + f] : T{0};
    }
    for (std::int64_t n = 0; n < batch; ++n) {
      const std::int64_t at = n * features + first;
      const T* m = mean + first;
      for (std::int64_t f = 0; f < count; ++f) y[at + f] = (x[at + f] - m[f]) * scale[f] + shift[f];
      if (residual != nullptr) {
        for (std::int64_t f = 0; f < count; ++f) y[at + f] += residual[at + f];
      }
      if (relu) {
        for (std::int64_t f = 0; f < count; ++f) y[at + f] = y[at + f] < T{0} ? T{0} : y[at + f];
      }
    }
  });
}

template <class T>
void feature_backward(const T* x, const T* g, const T* relu_output, std::int64_t batch, std::int64_t features,
                      const T* mean, const T* rstd, const T* weight, T* dx, T* dweight, T* dbias,
                      T* dresidual) {
  const double inverse = 1 / static_cast<double>(batch);
  for_feature_blocks(batch, features, [&](std::int64_t first, std::int64_t count) {
    double g_sum[kFeaturesEach] = {}, gx_sum[kFeaturesEach] = {};
    T passed[kFeaturesEach];
    const T* m = mean + first;
    const auto pass = [&](std::int64_t at) {
      for (std::int64_t f = 0; f < count; ++f) {
        passed[f] = relu_output == nullptr || relu_output[at + f] > T{0} ? g[at + f] : T{0};
      }
    };
    for (std::int64_t n = 0; n < batch; ++n) {
      const std::int64_t at = n * features + first;
      pass(at);
      for (std::int64_t f = 0; f < count; ++f) {
        g_sum[f] += static_cast<double>(passed[f]);
        gx_sum[f] += static_cast<double>(passed[f]) * static_cast<double>(x[at + f] - m[f]);
      }
    }
    T a[kFeaturesEach], b[kFeaturesEach], c[kFeaturesEach];
    for (std::int64_t f = 0; f < count; ++f) {
      const auto r = static_cast<double>(rstd[first + f]);
      const double w = weight != nullptr ? static_cast<double>(weight[first + f]) : 1.0;
      if (dweight != nullptr) dweight[first + f] = static_cast<T>(gx_sum[f] * r);
      if (dbias != nullptr) dbias[first + f] = static_cast<T>(g_sum[f]);
      a[f] = static_cast<T>(w * r);
      b[f] = static_cast<T>(-w * r * r * r * gx_sum[f] * inverse);
      c[f] = static_cast<T>(-w * r * g_sum[f] * inverse);
    }
    for (std::int64_t n = 0; n < batch; ++n) {
      const std::int64_t at = n * features + first;
      pass(at);
      for (std::int64_t f = 0; f < count; ++f) {
        dx[at + f] = passed[f] * a[f] + ((x[at + f] - m[f]) * b[f] + c[f]);
      }
      if (dresidual != nullptr) std::copy_n(passed, count, dresidual + at);
    }
  });
}

template void feature_statistics(const float*, std::int64_t, std::int64_t, float*, float*);
template void feature_statistics(const double*, std::int64_t, std::int64_t, double*, double*);
template void feature_transform(const float*, std::int64_t, std::int64_t, const float*, const float*,
                                const float*, const float*, const float*, bool, float*);
template void feature_transform(const double*, std::int64_t, std::int64_t, const double*, const double*,
                                const double*, const double*, const double*, bool, double*);
template void feature_backward(const float*, const float*, const float*, std::int64_t, std::int64_t,
                               const float*, const float*, const float*, float*, float*, float*, float*);
template void feature_backward(const double*, const double*, const double*, std::int64_t, std::int64_t,
                               const double*, const double*, const double*, double*, double*, double*,
                               double*);

}  // namespace likely::kernels
