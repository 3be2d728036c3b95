#include "likely/models/book/chapter_11/residual_paths.hpp"

#include <string>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/view.hpp"

namespace likely::book {

namespace {

constexpr std::size_t kMostLayers = 16;

void check(const char* caller, const std::vector<Layer>& layers, const Tensor& x) {
  if (layers.empty()) refuse(caller, "there are no layers");
  if (x.rank() != 1) refuse(caller, "x must be a vector, got shape " + x.shape().string());
}

// The derivatives of layers 2 ... K where they are: element k - 2 is that of f_k at h_{k-1}.
std::vector<Tensor> slopes(const std::vector<Layer>& layers, const std::vector<Tensor>& states) {
  std::vector<Tensor> result;
  for (std::size_t k = 1; k < layers.size(); ++k) {
    result.push_back(transpose(jacobian(states[k], layers[k])));
  }
  return result;
}

}  // namespace

std::vector<Tensor> sequential_states(const std::vector<Layer>& layers, const Tensor& x) {
  check("sequential_states", layers, x);
  std::vector<Tensor> states{x};
  for (const Layer& layer : layers) states.push_back(layer(states.back()));
  return states;
}

std::vector<Tensor> residual_states(const std::vector<Layer>& layers, const Tensor& x) {
  check("residual_states", layers, x);
  std::vector<Tensor> states{x};
  for (std::size_t k = 0; k < layers.size(); ++k) {
    const Tensor change = layers[k](states.back());
    if (!(change.shape() == x.shape())) {
      refuse("residual_states", "layer " + std::to_string(k + 1) + " makes shape " + change.shape().string() +
                                    " of " + x.shape().string());
    }
    states.push_back(states.back() + change);
  }
  return states;
}

Tensor sequential_derivative(const std::vector<Layer>& layers, const Tensor& x) {
  const std::vector<Tensor> states = sequential_states(layers, x);
  Tensor product = eye(states[1].dim(0), x.dtype());
  for (const Tensor& slope : slopes(layers, states)) product = matmul(product, slope);
  return product;
}

std::vector<Path> residual_paths(const std::vector<Layer>& layers, const Tensor& x) {
  if (layers.size() > kMostLayers) {
    refuse("residual_paths", std::to_string(layers.size()) + " layers have too many paths, at most " +
                                 std::to_string(kMostLayers) + " are walked");
  }
  const std::vector<Tensor> along = slopes(layers, residual_states(layers, x));
  std::vector<Path> paths{{{}, eye(x.dim(0), x.dtype())}};
  for (std::size_t k = 0; k < along.size(); ++k) {
    const std::size_t known = paths.size();
    for (std::size_t i = 0; i < known; ++i) {
      Path longer{paths[i].through, matmul(paths[i].derivative, along[k])};
      longer.through.push_back(static_cast<int>(k) + 2);
      paths.push_back(longer);
    }
  }
  return paths;
}

Tensor residual_derivative(const std::vector<Layer>& layers, const Tensor& x) {
  Tensor product = eye(x.dim(0), x.dtype());
  for (const Tensor& slope : slopes(layers, residual_states(layers, x))) {
    product = product + matmul(product, slope);
  }
  return product;
}

}  // namespace likely::book
