#include "likely/models/book/chapter_07/backpropagation.hpp"

#include <string>

#include "likely/models/book/chapter_02/line.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::book {

namespace {

constexpr const char* kName = "backpropagation";

void check(const DeepNetwork& network) {
  for (std::size_t k = 0; k + 1 < network.layers.size(); ++k) {
    const Activation activation = network.layers[k].activation;
    if (activation != Activation::relu) {
      refuse(kName, "hidden layers must have the activation relu, layer " + std::to_string(k) + " has " +
                        std::string(name_of(activation)));
    }
  }
}

}  // namespace

ForwardPass forward_pass(const DeepNetwork& network, const Tensor& x, double leak) {
  check(network);
  if (x.rank() != 2) refuse(kName, "x must be (examples, inputs), got shape " + x.shape().string());
  ForwardPass pass;
  for (std::size_t k = 0; k < network.layers.size(); ++k) {
    pass.h.push_back(k == 0 ? x : leaky_relu(pass.f[k - 1], leak));
    pass.f.push_back(matmul(pass.h[k], transpose(network.layers[k].weight)) + network.layers[k].bias);
  }
  return pass;
}

BackwardPass backward_pass(const DeepNetwork& network, const ForwardPass& forward, const Tensor& d_output,
                           double leak) {
  check(network);
  const std::size_t count = network.layers.size();
  if (forward.f.size() != count || forward.h.size() != count) {
    refuse(kName, "the forward pass is of " + std::to_string(forward.f.size()) + " layers, not of " +
                      std::to_string(count));
  }
  if (!(d_output.shape() == forward.f.back().shape())) {
    refuse(kName, "d_output has shape " + d_output.shape().string() + ", the output " +
                      forward.f.back().shape().string());
  }
  BackwardPass pass{std::vector<Tensor>(count), std::vector<Tensor>(count), std::vector<Tensor>(count),
                    std::vector<Tensor>(count)};
  pass.d_f[count - 1] = d_output;
  for (std::size_t k = count; k-- > 0;) {
    pass.d_beta[k] = sum(pass.d_f[k], 0);
    pass.d_omega[k] = matmul(transpose(pass.d_f[k]), forward.h[k]);
    pass.d_h[k] = matmul(pass.d_f[k], network.layers[k].weight);
    if (k > 0) {
      const Tensor on = forward.f[k - 1] > 0.0;
      pass.d_f[k - 1] =
          leak == 0.0 ? where(on, pass.d_h[k], 0.0) : where(on, pass.d_h[k], leak * pass.d_h[k]);
    }
  }
  return pass;
}

LossAndSlope squared_error(const Tensor& f, const Tensor& y) { return {least_squares(f, y), 2.0 * (f - y)}; }

LossAndSlope binary_cross_entropy(const Tensor& f, const Tensor& y) {
  return {binary_cross_entropy_from_logits(f, y, {.reduction = Reduction::sum}), sigmoid(f) - y};
}

Backpropagation backpropagate(const DeepNetwork& network, const Tensor& x, const Tensor& y,
                              const OutputLoss& loss, double leak) {
  Backpropagation all;
  all.forward = forward_pass(network, x, leak);
  const Tensor& output = all.forward.f.back();
  if (!(y.shape() == output.shape()))
    refuse(kName, "y has shape " + y.shape().string() + ", the output " + output.shape().string());
  const LossAndSlope end = loss(output, y);
  all.loss = end.loss;
  all.backward = backward_pass(network, all.forward, end.d_output, leak);
  return all;
}

}  // namespace likely::book
