// What gradient descent with steps of finite length really follows (9.6-9.8, 9.14-9.20): a flow, and the flow
// that the steps come closer to.
#pragma once

#include <functional>

#include "likely/core/tensor.hpp"

namespace likely::book {

// A velocity g[phi] of phi's shape, differentiable: written with likely's operations.
using Field = std::function<Tensor(const Tensor& phi)>;

// g[phi] = -dL / dphi for a loss that is one number (9.6).
Field descent_field(std::function<Tensor(const Tensor& phi)> loss);

// phi + alpha g[phi] (9.14; with a descent field, 9.7).
Tensor euler_step(const Field& g, const Tensor& phi, double alpha);

// phi at the given time on the flow dphi / dt = g[phi] (9.15), by `steps` Runge-Kutta steps of fourth order.
// Refuses steps < 1 and a time that is not finite.
Tensor flow(const Field& g, const Tensor& phi, double time, int steps = 16);

// g_1[phi] = -1/2 (dg / dphi) g[phi] (9.18).
Tensor flow_correction(const Field& g, const Tensor& phi);

// g[phi] + alpha g_1[phi] (9.16): its flow over the time alpha differs from euler_step by O(alpha^3), that of
// g by O(alpha^2). For a descent field it is minus the gradient of L + nn::implicit_gd (9.19, 9.20).
Field modified_field(const Field& g, double alpha);

}  // namespace likely::book
