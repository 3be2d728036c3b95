// Backpropagation through a network of K hidden layers, written out (7.17-7.26): every quantity of the
// forward and of the backward pass, to look at. To train, use value_and_grad: it gives the same gradients.
//
//   const book::DeepNetwork network(1, {8, 8}, 1, rng.split());
//   const book::Backpropagation all = book::backpropagate(network, x, y, book::squared_error);
//   all.backward.d_omega[1];   // the derivatives of the loss by the weights of the second layer
#pragma once

#include <functional>
#include <vector>

#include "likely/core/tensor.hpp"
#include "likely/models/book/chapter_03/networks.hpp"

namespace likely::book {

// (7.24), one row an example. Where a leak is given, the activation is the leaky ReLU (7.43): f where f > 0,
// else leak f.
struct ForwardPass {
  std::vector<Tensor> h;  // h_0 = x; h_k = a[f_{k-1}]
  std::vector<Tensor> f;  // f_k = beta_k + Omega_k h_k; f_K is the network's output
};
// Refuses x that is not (examples, D_i), and hidden layers whose activation is another than relu.
ForwardPass forward_pass(const DeepNetwork& network, const Tensor& x, double leak = 0.0);

// (7.25, 7.26): the derivatives of the sum of the examples' losses. Those by beta and Omega are added up over
// the examples; those by f and h keep one row an example. At f = 0 the activation's derivative is `leak`.
struct BackwardPass {
  std::vector<Tensor> d_f;
  std::vector<Tensor> d_h;      // d_h_0 is the derivative by x
  std::vector<Tensor> d_beta;   // d_f
  std::vector<Tensor> d_omega;  // d_f h^T
};
// d_output is the derivative by f_K, of its shape.
BackwardPass backward_pass(const DeepNetwork& network, const ForwardPass& forward, const Tensor& d_output,
                           double leak = 0.0);

// A loss l[f, y] added up over all elements, and its derivative by f.
struct LossAndSlope {
  Tensor loss;
  Tensor d_output;
};
using OutputLoss = std::function<LossAndSlope(const Tensor& f, const Tensor& y)>;

// (f - y)^2 (7.36); 2 (f - y).
LossAndSlope squared_error(const Tensor& f, const Tensor& y);
// -(1 - y) log[1 - sig[f]] - y log[sig[f]] (7.37); sig[f] - y.
LossAndSlope binary_cross_entropy(const Tensor& f, const Tensor& y);

struct Backpropagation {
  ForwardPass forward;
  Tensor loss;
  BackwardPass backward;
};
// Both passes. Refuses y of another shape than the output.
Backpropagation backpropagate(const DeepNetwork& network, const Tensor& x, const Tensor& y,
                              const OutputLoss& loss, double leak = 0.0);

}  // namespace likely::book
