// Pooling and upsampling as layers; the operations (ops/pooling.hpp, ops/upsample.hpp) say what they do and
// what they refuse.
#pragma once

#include <cstdint>

#include "likely/core/parts.hpp"
#include "likely/ops/pooling.hpp"
#include "likely/ops/upsample.hpp"

namespace likely::nn {

//   nn::MaxPool2d(2), nn::MaxPool2d({3, 2}, {.stride = 2, .padding = 1})
struct MaxPool1d {
  std::int64_t kernel;
  Pool1dOptions options;
  explicit MaxPool1d(std::int64_t size, const Pool1dOptions& chosen = {}) : kernel(size), options(chosen) {}
  Tensor operator()(const Tensor& x) const { return max_pool1d(x, kernel, options); }
  LIKELY_PARTS()
};
struct MaxPool2d {
  Extent2d kernel;
  Pool2dOptions options;
  explicit MaxPool2d(const Extent2d& size, const Pool2dOptions& chosen = {})
      : kernel(size), options(chosen) {}
  Tensor operator()(const Tensor& x) const { return max_pool2d(x, kernel, options); }
  LIKELY_PARTS()
};

struct AvgPool1d {
  std::int64_t kernel;
  AveragePool1dOptions options;
  explicit AvgPool1d(std::int64_t size, const AveragePool1dOptions& chosen = {})
      : kernel(size), options(chosen) {}
  Tensor operator()(const Tensor& x) const { return avg_pool1d(x, kernel, options); }
  LIKELY_PARTS()
};
struct AvgPool2d {
  Extent2d kernel;
  AveragePool2dOptions options;
  explicit AvgPool2d(const Extent2d& size, const AveragePool2dOptions& chosen = {})
      : kernel(size), options(chosen) {}
  Tensor operator()(const Tensor& x) const { return avg_pool2d(x, kernel, options); }
  LIKELY_PARTS()
};

// As many windows as `size` says.
struct AdaptiveAvgPool1d {
  std::int64_t size;
  Tensor operator()(const Tensor& x) const { return adaptive_avg_pool1d(x, size); }
  LIKELY_PARTS()
};
struct AdaptiveAvgPool2d {
  Extent2d size;
  Tensor operator()(const Tensor& x) const { return adaptive_avg_pool2d(x, size); }
  LIKELY_PARTS()
};
struct AdaptiveMaxPool1d {
  std::int64_t size;
  Tensor operator()(const Tensor& x) const { return adaptive_max_pool1d(x, size); }
  LIKELY_PARTS()
};
struct AdaptiveMaxPool2d {
  Extent2d size;
  Tensor operator()(const Tensor& x) const { return adaptive_max_pool2d(x, size); }
  LIKELY_PARTS()
};

//   nn::UpsampleNearest{{.scale = 2.0}}
struct UpsampleNearest {
  UpsampleOptions options;
  Tensor operator()(const Tensor& x) const { return upsample_nearest(x, options); }
  LIKELY_PARTS()
};
struct UpsampleBilinear {
  UpsampleOptions options;
  Tensor operator()(const Tensor& x) const { return upsample_bilinear(x, options); }
  LIKELY_PARTS()
};

}  // namespace likely::nn
