// The toy function of chapter 7, with its derivatives by hand: every quantity of a forward and a backward
// pass.
#pragma once

#include <array>

#include "likely/core/parts.hpp"
#include "likely/core/tensor.hpp"

namespace likely::book {

// f[x] = beta_3 + omega_3 cos[beta_2 + omega_2 exp[beta_1 + omega_1 sin[beta_0 + omega_0 x]]] (7.5), for each
// element of x. Refuses parameters that are not (4,).
struct ToyFunction {
  Tensor beta, omega;  // (4,) each

  Tensor operator()(const Tensor& x) const;
  LIKELY_PARTS(beta, omega)
};

// What (7.9) computes on the way to the loss, for each element of x.
struct ToyForward {
  std::array<Tensor, 4> h;  // h_0 = x, then the sine, the exponential and the cosine
  std::array<Tensor, 4> f;  // f_k = beta_k + omega_k h_k
  Tensor loss;              // (f_3 - y)^2 (7.6)
};
ToyForward toy_forward(const ToyFunction& function, const Tensor& x, const Tensor& y);

// The derivatives of the loss of each element by everything above (7.10-7.16). Those by the parameters are to
// be added up over the elements: the gradient of all losses together is their sum.
struct ToyBackward {
  std::array<Tensor, 4> d_f, d_h, d_beta, d_omega;
};
ToyBackward toy_backward(const ToyFunction& function, const ToyForward& forward, const Tensor& y);

}  // namespace likely::book
