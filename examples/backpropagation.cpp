// Backpropagation by hand (chapter 7 of the textbook): what flows forwards and backwards through a small
// network for one example, and that value_and_grad finds the same gradients.
#include <iostream>
#include <likely/likely.hpp>
#include <likely/models/book/chapter_07/backpropagation.hpp>

using namespace likely;

int main() {
  const book::DeepNetwork network(2, {4, 3}, 1, {.dtype = DType::f64}, Rng(2));
  const Tensor x = tensor({{0.5, -0.8}}, DType::f64), y = tensor({{1.0}}, DType::f64);

  const book::Backpropagation all = book::backpropagate(network, x, y, book::squared_error);
  for (std::size_t k = 0; k < network.layers.size(); ++k) {
    std::cout << "f_" << k << " = beta_" << k << " + Omega_" << k << " h_" << k << " = " << all.forward.f[k]
              << "\n    dl/df_" << k << " = " << all.backward.d_f[k] << "\n";
  }
  std::cout << "loss " << all.loss << "\ndl/dOmega_0 = " << all.backward.d_omega[0] << "\n";

  const auto [loss, gradient] =
      value_and_grad(network, [&](const book::DeepNetwork& m) { return sum(square(m(x) - y)); });
  double difference = 0.0;
  for (std::size_t k = 0; k < network.layers.size(); ++k) {
    difference += max(abs(gradient.layers[k].weight - all.backward.d_omega[k])).item() +
                  max(abs(gradient.layers[k].bias - all.backward.d_beta[k])).item();
  }
  std::cout << "difference from value_and_grad: " << difference << "\n";
  return difference < 1e-12 && loss.item() > 0.0 ? 0 : 1;
}
