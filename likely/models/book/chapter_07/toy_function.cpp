#include "likely/models/book/chapter_07/toy_function.hpp"

#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/view.hpp"

namespace likely::book {

namespace {

void check(const ToyFunction& function) {
  for (const Tensor& each : {function.beta, function.omega}) {
    if (!(each.shape() == Shape{4}))
      refuse("ToyFunction", "beta and omega must have shape (4,), got " + each.shape().string());
  }
}

}  // namespace

ToyForward toy_forward(const ToyFunction& function, const Tensor& x, const Tensor& y) {
  check(function);
  const auto line = [&](int k, const Tensor& h) {
    return select(function.beta, 0, k) + select(function.omega, 0, k) * h;
  };
  ToyForward pass;
  pass.h[0] = x;
  pass.f[0] = line(0, pass.h[0]);
  pass.h[1] = sin(pass.f[0]);
  pass.f[1] = line(1, pass.h[1]);
  pass.h[2] = exp(pass.f[1]);
  pass.f[2] = line(2, pass.h[2]);
  pass.h[3] = cos(pass.f[2]);
  pass.f[3] = line(3, pass.h[3]);
  pass.loss = square(pass.f[3] - y);
  return pass;
}

Tensor ToyFunction::operator()(const Tensor& x) const { return toy_forward(*this, x, x).f[3]; }

ToyBackward toy_backward(const ToyFunction& function, const ToyForward& forward, const Tensor& y) {
  check(function);
  // How each h_k changes with f_{k-1}.
  const std::array<Tensor, 3> slopes{cos(forward.f[0]), exp(forward.f[1]), -sin(forward.f[2])};
  ToyBackward pass;
  pass.d_f[3] = 2.0 * (forward.f[3] - y);
  for (std::size_t k = 4; k-- > 0;) {
    pass.d_h[k] = select(function.omega, 0, static_cast<std::int64_t>(k)) * pass.d_f[k];
    pass.d_beta[k] = pass.d_f[k];
    pass.d_omega[k] = forward.h[k] * pass.d_f[k];
    if (k > 0) pass.d_f[k - 1] = slopes[k - 1] * pass.d_h[k];
  }
  return pass;
}

}  // namespace likely::book
