// Batch normalization of plain features, (batch, features): the numbers of a feature lie a row apart, so
// vectors run over features instead of over space. Internal to likely.
#pragma once

#include <cstdint>

namespace likely::kernels {

template <class T>
void feature_statistics(const T* x, std::int64_t batch, std::int64_t features, T* mean, T* variance);

template <class T>
void feature_transform(const T* x, std::int64_t batch, std::int64_t features, const T* mean, const T* rstd,
                       const T* weight, const T* bias, const T* residual, bool relu, T* y);

template <class T>
void feature_backward(const T* x, const T* g, const T* relu_output, std::int64_t batch, std::int64_t features,
                      const T* mean, const T* rstd, const T* weight, T* dx, T* dweight, T* dbias,
                      T* dresidual);

}  // namespace likely::kernels
