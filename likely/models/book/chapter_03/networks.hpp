// The fully connected networks of chapters 3 and 4.
#pragma once

#include <cstdint>
#include <vector>

#include "likely/nn/linear.hpp"

namespace likely::book {

struct NetworkOptions {
  Activation activation = Activation::relu;
  nn::Init init = nn::Init::he_normal;
  // Each unit of the first layer starts with its joint (the hyperplane theta_d0 + sum_i theta_di x_i = 0)
  // through a random point of the box [joints_low, joints_high]^D_i, which should be where the inputs are.
  // With biases of 0, as further layers start, all joints of a network with one input would lie at 0.
  // Refused: joints_low >= joints_high, and what is not finite.
  double joints_low = -1.0;
  double joints_high = 1.0;
  DType dtype = DType::f32;
};

// A layer of these parameters, y = activation(x weight^T + bias).
nn::Linear layer_of(const Tensor& weight, const Tensor& bias, Activation activation = Activation::none);

// A shallow network of D_i inputs, D hidden units and D_o outputs (3.1-3.12):
//   h_d = a[theta_d0 + sum_i theta_di x_i]     (3.5, 3.11)
//   y_j = phi_j0 + sum_d phi_jd h_d            (3.6, 3.12)
// for x (..., D_i). theta is `hidden`, phi is `out`; theta_d0 and phi_j0 are their biases.
struct ShallowNetwork {
  nn::Linear hidden;
  nn::Linear out;

  // Refuses sizes < 1.
  ShallowNetwork(std::int64_t inputs, std::int64_t units, std::int64_t outputs, const NetworkOptions& options,
                 Rng rng);
  ShallowNetwork(std::int64_t inputs, std::int64_t units, std::int64_t outputs, Rng rng)
      : ShallowNetwork(inputs, units, outputs, {}, rng) {}
  // Of layers that are there already. Refuses sizes that do not fit.
  ShallowNetwork(nn::Linear hidden_layer, nn::Linear out_layer);

  Tensor operator()(const Tensor& x) const { return out(hidden(x)); }
  LIKELY_PARTS(hidden, out)
};

// A deep network of K hidden layers (4.15):
//   h_1 = a[beta_0 + Omega_0 x],  h_k+1 = a[beta_k + Omega_k h_k],  y = beta_K + Omega_K h_K
// for x (..., D_i). layers[k] has weight Omega_k and bias beta_k; the last one has no activation. K = 0 is a
// linear map, K = 1 a shallow network.
struct DeepNetwork {
  std::vector<nn::Linear> layers;

  // `units` are the sizes D_1 ... D_K of the hidden layers. Refuses sizes < 1.
  DeepNetwork(std::int64_t inputs, const std::vector<std::int64_t>& units, std::int64_t outputs,
              const NetworkOptions& options, Rng rng);
  DeepNetwork(std::int64_t inputs, const std::vector<std::int64_t>& units, std::int64_t outputs, Rng rng)
      : DeepNetwork(inputs, units, outputs, {}, rng) {}
  // Of layers that are there already. Refuses none, and sizes that do not fit.
  explicit DeepNetwork(std::vector<nn::Linear> given);
  explicit DeepNetwork(const ShallowNetwork& shallow);

  Tensor operator()(const Tensor& x) const;
  // h_1 ... h_K.
  std::vector<Tensor> hidden_units(const Tensor& x) const;
  LIKELY_PARTS(layers)
};

// The network x -> second(first(x)) (4.1-4.6): where the first one ends and the second begins, two linear
// maps become one, psi_0 = theta'_0 + theta' phi_0 and Psi = theta' phi. Refuses numbers of outputs and
// inputs that differ.
DeepNetwork compose(const DeepNetwork& first, const DeepNetwork& second);
DeepNetwork compose(const ShallowNetwork& first, const ShallowNetwork& second);

}  // namespace likely::book
