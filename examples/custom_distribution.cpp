// A distribution of your own: a struct that holds its parameters and knows the logarithm of its density.
// Minus that is a loss, so it can be fitted like any model; rsample makes it usable inside other losses.
#include <cmath>
#include <iostream>
#include <likely/likely.hpp>

using namespace likely;

// Kumaraswamy's distribution on (0, 1): density a b x^(a-1) (1 - x^a)^(b-1), distribution function
// 1 - (1 - x^a)^b. Its parameters are kept as logarithms, so that every number is allowed.
struct Kumaraswamy {
  Tensor log_a, log_b;

  Tensor log_prob(const Tensor& x) const {
    const Tensor a = exp(log_a);
    const Tensor b = exp(log_b);
    return log_a + log_b + (a - 1.0) * log(x) + (b - 1.0) * log1p(-pow(x, a));
  }
  // By inverting the distribution function; differentiable in the parameters.
  Tensor rsample(Rng rng, const Shape& shape) const {
    const Tensor u = rng.uniform(shape, 1e-12, 1.0, DType::f64);
    return pow(1.0 - pow(u, exp(-log_b)), exp(-log_a));
  }
  LIKELY_PARTS(log_a, log_b)
};

int main() {
  Rng rng(1);
  const Kumaraswamy truth{tensor(std::log(2.0), DType::f64), tensor(std::log(5.0), DType::f64)};
  const data::Dataset sample(truth.rsample(rng.split(), {5000}));

  Kumaraswamy fitted{tensor(0.0, DType::f64), tensor(0.0, DType::f64)};
  optim::Adam adam(fitted, {.lr = 2e-2});
  train::fit(fitted, adam, {.train = sample},
             [](const Kumaraswamy& k, const data::Batch& batch) { return -mean(k.log_prob(batch.x)); },
             {.epochs = 20, .batch = 250, .seed = 1});

  const double a = std::exp(fitted.log_a.item());
  const double b = std::exp(fitted.log_b.item());
  std::cout << "a = " << a << " (2), b = " << b << " (5)\n";

  // The gradient of an expectation, through the sample: d/d log_b of the mean.
  const Kumaraswamy slope =
      grad(fitted, [&](const Kumaraswamy& k) { return mean(k.rsample(Rng(2), {10000})); });
  std::cout << "the mean changes by " << slope.log_b.item() << " a unit of log b\n";
  return std::abs(a - 2.0) < 0.2 && std::abs(b - 5.0) < 0.6 && slope.log_b.item() < 0.0 ? 0 : 1;
}
