#include "likely/models/book/chapter_09/gradient_flow.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "likely/autodiff/gradient.hpp"
#include "likely/ops/arithmetic.hpp"

namespace likely::book {

Field descent_field(std::function<Tensor(const Tensor& phi)> loss) {
  return [loss = std::move(loss)](const Tensor& phi) { return -grad(phi, loss); };
}

Tensor euler_step(const Field& g, const Tensor& phi, double alpha) { return phi + alpha * g(phi); }

Tensor flow(const Field& g, const Tensor& phi, double time, int steps) {
  if (steps < 1) refuse("flow", fmt::format("steps must be at least 1, got {}", steps));
  if (!std::isfinite(time)) refuse("flow", fmt::format("time must be finite, got {}", time));
  const double dt = time / steps;
  Tensor at = phi;
  for (int i = 0; i < steps; ++i) {
    const Tensor k1 = g(at);
    const Tensor k2 = g(at + 0.5 * dt * k1);
    const Tensor k3 = g(at + 0.5 * dt * k2);
    const Tensor k4 = g(at + dt * k3);
    at = at + (dt / 6.0) * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return at;
}

Tensor flow_correction(const Field& g, const Tensor& phi) { return -0.5 * jvp(phi, g(phi), g).tangent; }

Field modified_field(const Field& g, double alpha) {
  return [g, alpha](const Tensor& phi) { return g(phi) + alpha * flow_correction(g, phi); };
}

}  // namespace likely::book
