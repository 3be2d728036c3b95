// A loss with second derivatives in it: a network u(x) that solves u'' = -u, u(0) = 0, u'(0) = 1. What it
// should find is the sine, which it is never shown. Derivatives by x inside the loss are derivatives like any
// other, and the loss is differentiated through them.
#include <cmath>
#include <iostream>
#include <likely/likely.hpp>

using namespace likely;

struct Solution {
  nn::Linear first, second, out;
  explicit Solution(Rng rng)
      : first(1, 32, {.activation = Activation::tanh, .init = nn::Init::glorot_normal}, rng.split()),
        second(32, 32, {.activation = Activation::tanh, .init = nn::Init::glorot_normal}, rng.split()),
        out(32, 1, rng.split()) {}
  // x + x^2 v(x) has the right value and slope at 0, whatever v is.
  Tensor operator()(const Tensor& x) const { return x + x * x * out(second(first(x))); }
  LIKELY_PARTS(first, second, out)
};

int main() {
  Rng rng(1);
  Solution model(rng.split());
  const data::Dataset places(linspace(0.0, 3.0, 64));
  optim::Adam adam(model, {.lr = 1e-2});
  const auto equation = [](const Solution& u, const data::Batch& batch) {
    const Tensor x = reshape(batch.x, {-1, 1});
    // Each u(x) depends on its own x only: the gradient of the sum holds all the derivatives.
    const auto du = [&](const Tensor& t) { return grad(t, [&](const Tensor& s) { return sum(u(s)); }); };
    const Tensor d2u = grad(x, [&](const Tensor& t) { return sum(du(t)); });
    return mean(square(d2u + u(x)));
  };
  train::fit(
      model, adam, {.train = places}, equation,
      {.steps = 600, .batch = 64, .seed = 1, .schedule = optim::CosineSchedule{.lr = 1e-2, .steps = 600}});

  const Tensor x = reshape(linspace(0.0, 3.0, 31), {-1, 1});
  const double error = max(abs(model(x) - sin(x))).item();
  std::cout << "largest difference from the sine on [0, 3]: " << error << "\n";
  return error < 0.02 ? 0 : 1;
}
