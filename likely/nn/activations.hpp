// Functions of each element as layers, for Sequential. (Linear, Conv and BatchNorm also take some of them as
// an option, and are faster then.) ops/activation.hpp and ops/softmax.hpp say what they compute.
#pragma once

#include "likely/core/parts.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/softmax.hpp"

namespace likely::nn {

struct Relu {
  Tensor operator()(const Tensor& x) const { return relu(x); }
  LIKELY_PARTS()
};
struct LeakyRelu {
  double slope = 0.01;
  Tensor operator()(const Tensor& x) const { return leaky_relu(x, slope); }
  LIKELY_PARTS()
};
struct Elu {
  double alpha = 1.0;
  Tensor operator()(const Tensor& x) const { return elu(x, alpha); }
  LIKELY_PARTS()
};
struct Gelu {
  Tensor operator()(const Tensor& x) const { return gelu(x); }
  LIKELY_PARTS()
};
struct GeluTanh {
  Tensor operator()(const Tensor& x) const { return gelu_tanh(x); }
  LIKELY_PARTS()
};
struct Silu {
  Tensor operator()(const Tensor& x) const { return silu(x); }
  LIKELY_PARTS()
};
struct Hardswish {
  Tensor operator()(const Tensor& x) const { return hardswish(x); }
  LIKELY_PARTS()
};
struct Sigmoid {
  Tensor operator()(const Tensor& x) const { return sigmoid(x); }
  LIKELY_PARTS()
};
struct Tanh {
  Tensor operator()(const Tensor& x) const { return tanh(x); }
  LIKELY_PARTS()
};
struct Softplus {
  Tensor operator()(const Tensor& x) const { return softplus(x); }
  LIKELY_PARTS()
};
struct Softmax {
  int axis = -1;
  Tensor operator()(const Tensor& x) const { return softmax(x, axis); }
  LIKELY_PARTS()
};
struct LogSoftmax {
  int axis = -1;
  Tensor operator()(const Tensor& x) const { return log_softmax(x, axis); }
  LIKELY_PARTS()
};

}  // namespace likely::nn
