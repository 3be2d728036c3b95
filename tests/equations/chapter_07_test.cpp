// Chapter 7, gradients: networks and backpropagation through them. (The toy functions and the initialization
// are in files of their own.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "likely/likely.hpp"
#include "likely/models/book/chapter_07/backpropagation.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/plain_math.hpp"
#include "tests/support/plain_network.hpp"

namespace likely {
namespace {

using testing::expect_close;
using testing::Matrix;
using testing::matrix_of;
using testing::numbers;
using testing::outer_product;
using testing::plain_sigmoid;
using testing::plus;
using testing::slope;
using testing::slopes;
using testing::times;
using testing::transposed;
using testing::Vector;
using testing::vector_of;

// A network in f64 whose biases are not 0 either.
book::DeepNetwork make_network(std::int64_t inputs, const std::vector<std::int64_t>& units,
                               std::int64_t outputs) {
  book::DeepNetwork network(inputs, units, outputs, {.dtype = DType::f64}, Rng(2));
  int seed = 0;
  for (nn::Linear& layer : network.layers) layer.bias = numbers(layer.bias.shape(), 1.0, ++seed) * 0.5 + 0.2;
  return network;
}

// The same network as loops over doubles.
struct PlainNetwork {
  std::vector<Matrix> omega;
  std::vector<Vector> beta;

  explicit PlainNetwork(const book::DeepNetwork& network) {
    for (const nn::Linear& layer : network.layers) {
      omega.push_back(matrix_of(layer.weight));
      beta.push_back(vector_of(layer.bias));
    }
  }
};

Vector rectified(Vector f, double leak = 0.0) {
  for (double& each : f) each = each < 0.0 ? leak * each : each;
  return f;
}

struct PlainPass {
  std::vector<Vector> h, f;
};

PlainPass run(const PlainNetwork& network, const Vector& x, double leak = 0.0) {
  PlainPass pass;
  for (std::size_t k = 0; k < network.omega.size(); ++k) {
    pass.h.push_back(k == 0 ? x : rectified(pass.f[k - 1], leak));
    pass.f.push_back(plus(network.beta[k], times(network.omega[k], pass.h[k])));
  }
  return pass;
}

double squared(const Vector& f, const Vector& y) {
  double total = 0.0;
  for (std::size_t j = 0; j < f.size(); ++j) total += (f[j] - y.at(j)) * (f[j] - y[j]);
  return total;
}

double plain_loss(const PlainNetwork& network, const Matrix& x, const Matrix& y, double leak = 0.0) {
  double total = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) total += squared(run(network, x[i], leak).f.back(), y[i]);
  return total;
}

// The derivatives of that loss by central differences.
Vector beta_slopes(const PlainNetwork& network, std::size_t k, const Matrix& x, const Matrix& y,
                   double leak = 0.0) {
  return testing::gradient(
      [&](const Vector& beta) {
        PlainNetwork moved = network;
        moved.beta[k] = beta;
        return plain_loss(moved, x, y, leak);
      },
      network.beta[k]);
}
Matrix omega_slopes(const PlainNetwork& network, std::size_t k, const Matrix& x, const Matrix& y,
                    double leak = 0.0) {
  Matrix result = network.omega[k];
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (std::size_t j = 0; j < result[i].size(); ++j) {
      result[i][j] = slope(
          [&](double value) {
            PlainNetwork moved = network;
            moved.omega[k][i][j] = value;
            return plain_loss(moved, x, y, leak);
          },
          network.omega[k][i][j]);
    }
  }
  return result;
}

// The network of (7.1) and (7.17), one example, and both passes.
struct Example {
  book::DeepNetwork network = make_network(2, {6, 5, 4}, 2);
  PlainNetwork plain{network};
  Tensor x = numbers({1, 2}, 1.0, 19), y = numbers({1, 2}, 1.0, 12);
  book::Backpropagation all = book::backpropagate(network, x, y, book::squared_error);
  PlainPass pass = run(plain, vector_of(x));
};

TEST(Udl07, Eq1_ThreeHiddenLayers) {
  const Example e;
  const Vector h1 = rectified(plus(e.plain.beta[0], times(e.plain.omega[0], vector_of(e.x))));
  const Vector h2 = rectified(plus(e.plain.beta[1], times(e.plain.omega[1], h1)));
  const Vector h3 = rectified(plus(e.plain.beta[2], times(e.plain.omega[2], h2)));
  expect_close("f", e.network(e.x), plus(e.plain.beta[3], times(e.plain.omega[3], h3)), 1e-13);
}

TEST(Udl07, Eq2_LossesOfTheExamplesAddUp) {
  const Example e;
  const Tensor x = numbers({6, 2}, 1.0, 3), y = numbers({6, 2}, 1.0, 4);
  const double total = book::backpropagate(e.network, x, y, book::squared_error).loss.item();
  EXPECT_NEAR(total, plain_loss(e.plain, matrix_of(x), matrix_of(y)), 1e-12 * total);
}

double largest_difference(const Matrix& a, const Matrix& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < a[i].size(); ++j) largest = std::max(largest, std::abs(a[i][j] - b[i][j]));
  }
  return largest;
}

TEST(Udl07, Eq3_StochasticGradientDescent) {
  book::DeepNetwork network = make_network(2, {4}, 1);
  const PlainNetwork before(network);
  const data::Dataset examples(numbers({8, 2}, 1.0, 3), numbers({8, 1}, 1.0, 4));
  const data::Batch batch = examples.rows({1, 4, 6});
  const book::DeepNetwork gradient = grad(
      network, [&](const book::DeepNetwork& m) { return book::squared_error(m(batch.x), batch.y).loss; });
  optim::Sgd sgd(network, {.lr = 0.05});
  sgd.step(network, gradient);
  const Matrix x = matrix_of(batch.x), y = matrix_of(batch.y);
  for (std::size_t k = 0; k < 2; ++k) {
    Vector beta = before.beta[k];
    Matrix omega = before.omega[k];
    for (std::size_t i = 0; i < x.size(); ++i) {
      beta = plus(beta, beta_slopes(before, k, {x[i]}, {y[i]}), -0.05);
      const Matrix slopes_of_one = omega_slopes(before, k, {x[i]}, {y[i]});
      for (std::size_t d = 0; d < omega.size(); ++d) omega[d] = plus(omega[d], slopes_of_one[d], -0.05);
    }
    expect_close("beta", network.layers[k].bias, beta, 1e-8);
    expect_close("omega", network.layers[k].weight, omega, 1e-8);
    EXPECT_GT(largest_difference(omega, before.omega[k]), 1e-3);
  }
}

TEST(Udl07, Eq17_ForwardPass) {
  const Example e;
  for (std::size_t k = 0; k < 4; ++k) {
    expect_close("h", e.all.forward.h[k], e.pass.h[k], 1e-13);
    expect_close("f", e.all.forward.f[k], e.pass.f[k], 1e-13);
  }
  EXPECT_NEAR(e.all.loss.item(), squared(e.pass.f[3], vector_of(e.y)), 1e-13);
  // Each hidden layer has units that are on and units that are off: derivatives have to take both ways.
  for (std::size_t k = 1; k < 4; ++k) {
    EXPECT_GT(*std::max_element(e.pass.h[k].begin(), e.pass.h[k].end()), 0.0) << k;
    EXPECT_EQ(*std::min_element(e.pass.h[k].begin(), e.pass.h[k].end()), 0.0) << k;
  }
}

// The two factors by which (7.18-7.20) go back from f_k to f_{k-1}, by differences.
Matrix back_one(const Example& e, std::size_t k) {
  const Matrix of_activation = slopes([](const Vector& f) { return rectified(f); }, e.pass.f[k - 1]);
  const Matrix of_line =
      slopes([&](const Vector& h) { return plus(e.plain.beta[k], times(e.plain.omega[k], h)); }, e.pass.h[k]);
  return times(of_activation, of_line);
}
Vector loss_slope(const Example& e) {
  return testing::gradient([&](const Vector& f) { return squared(f, vector_of(e.y)); }, e.pass.f[3]);
}

TEST(Udl07, Eq18_BackToTheThirdLayer) {
  const Example e;
  expect_close("d_f2", e.all.backward.d_f[2], times(back_one(e, 3), loss_slope(e)), 1e-7);
}

TEST(Udl07, Eq19_BackToTheSecondLayer) {
  const Example e;
  const Vector so_far = times(back_one(e, 3), loss_slope(e));
  expect_close("d_f1", e.all.backward.d_f[1], times(back_one(e, 2), so_far), 1e-7);
}

TEST(Udl07, Eq20_BackToTheFirstLayer) {
  const Example e;
  const Vector so_far = times(back_one(e, 2), times(back_one(e, 3), loss_slope(e)));
  expect_close("d_f0", e.all.backward.d_f[0], times(back_one(e, 1), so_far), 1e-7);
  // And the same without the chain rule: how the loss changes with f_0 itself.
  const auto from_f0 = [&](const Vector& f0) {
    Vector f = f0;
    for (std::size_t k = 1; k < 4; ++k) f = plus(e.plain.beta[k], times(e.plain.omega[k], rectified(f)));
    return squared(f, vector_of(e.y));
  };
  expect_close("d_f0", e.all.backward.d_f[0], testing::gradient(from_f0, e.pass.f[0]), 1e-7);
}

TEST(Udl07, Eq21_DerivativeOfALayerByItsInput) {
  const Example e;
  const nn::Linear& layer = e.network.layers[3];
  const Tensor rows_of_outputs = jacobian(e.all.forward.h[3], [&](const Tensor& h) { return layer(h); });
  // The textbook puts inputs into rows, jacobian outputs: the one is the transpose of the other.
  const Tensor computed = transpose(reshape(rows_of_outputs, {2, 4}));
  expect_close("df3/dh3", computed, transposed(e.plain.omega[3]), 1e-13);
  expect_close(
      "by differences", computed,
      slopes([&](const Vector& h) { return plus(e.plain.beta[3], times(e.plain.omega[3], h)); }, e.pass.h[3]),
      1e-8);
}

TEST(Udl07, Eq22_SlopesOfBiases) {
  const Example e;
  for (std::size_t k = 0; k < 4; ++k) {
    expect_close("d_beta = d_f", e.all.backward.d_beta[k], vector_of(e.all.backward.d_f[k]), 0.0);
    expect_close("d_beta", e.all.backward.d_beta[k], beta_slopes(e.plain, k, matrix_of(e.x), matrix_of(e.y)),
                 1e-7);
  }
}

TEST(Udl07, Eq23_SlopesOfWeights) {
  const Example e;
  for (std::size_t k = 0; k < 4; ++k) {
    expect_close("d_f h^T", e.all.backward.d_omega[k],
                 outer_product(vector_of(e.all.backward.d_f[k]), e.pass.h[k]), 1e-12);
    expect_close("d_omega", e.all.backward.d_omega[k],
                 omega_slopes(e.plain, k, matrix_of(e.x), matrix_of(e.y)), 1e-7);
  }
}

const std::vector<std::vector<std::int64_t>>& depths() {
  static const std::vector<std::vector<std::int64_t>> kUnits{{}, {6}, {4, 5}, {3, 4, 3}, {4, 4, 4, 4, 4}};
  return kUnits;
}

TEST(Udl07, Eq24_ForwardPassOfAnyDepth) {
  const Tensor x = numbers({7, 3}, 1.0, 5);
  for (const auto& units : depths()) {
    const book::DeepNetwork network = make_network(3, units, 2);
    const book::ForwardPass pass = book::forward_pass(network, x);
    ASSERT_EQ(pass.f.size(), units.size() + 1);
    for (std::size_t k = 1; k <= units.size(); ++k) testing::expect_some_on_and_off(pass.h[k]);
    const PlainNetwork plain(network);
    for (std::size_t k = 0; k <= units.size(); ++k) {
      Matrix f, h;
      for (const Vector& row : matrix_of(x)) {
        f.push_back(run(plain, row).f[k]);
        h.push_back(run(plain, row).h[k]);
      }
      expect_close("f", pass.f[k], f, 1e-13);
      expect_close("h", pass.h[k], h, 1e-13);
    }
  }
}

// For every depth and several examples at once, against differences and against likely's own gradients.
TEST(Udl07, Eq25_BackwardPass) {
  const Tensor x = numbers({7, 3}, 1.0, 5), y = numbers({7, 2}, 1.0, 6);
  for (const auto& units : depths()) {
    const book::DeepNetwork network = make_network(3, units, 2);
    const PlainNetwork plain(network);
    const book::Backpropagation all = book::backpropagate(network, x, y, book::squared_error);
    const book::DeepNetwork gradient =
        grad(network, [&](const book::DeepNetwork& m) { return book::squared_error(m(x), y).loss; });
    for (std::size_t k = units.size(); k >= 1; --k) {
      expect_close("d_beta", all.backward.d_beta[k], beta_slopes(plain, k, matrix_of(x), matrix_of(y)), 1e-6);
      expect_close("d_omega", all.backward.d_omega[k], omega_slopes(plain, k, matrix_of(x), matrix_of(y)),
                   1e-6);
      expect_close("grad beta", all.backward.d_beta[k], vector_of(gradient.layers[k].bias), 1e-12);
      expect_close("grad omega", all.backward.d_omega[k], vector_of(gradient.layers[k].weight), 1e-12);
      // I[f > 0] times what comes back through the weights, example by example.
      const Matrix f = matrix_of(all.forward.f[k - 1]), d_f = matrix_of(all.backward.d_f[k]);
      Matrix expected;
      for (std::size_t i = 0; i < f.size(); ++i) {
        expected.push_back(times(transposed(plain.omega[k]), d_f[i]));
        for (std::size_t j = 0; j < f[i].size(); ++j) expected[i][j] *= f[i][j] > 0.0 ? 1.0 : 0.0;
      }
      expect_close("d_f", all.backward.d_f[k - 1], expected, 1e-12);
    }
  }
}

TEST(Udl07, Eq26_BackwardPassOfTheFirstLayer) {
  const Tensor x = numbers({7, 3}, 1.0, 5), y = numbers({7, 2}, 1.0, 6);
  for (const auto& units : depths()) {
    const book::DeepNetwork network = make_network(3, units, 2);
    const book::Backpropagation all = book::backpropagate(network, x, y, book::squared_error);
    const PlainNetwork plain(network);
    expect_close("d_beta", all.backward.d_beta[0], beta_slopes(plain, 0, matrix_of(x), matrix_of(y)), 1e-6);
    expect_close("d_omega", all.backward.d_omega[0], omega_slopes(plain, 0, matrix_of(x), matrix_of(y)),
                 1e-6);
    const book::DeepNetwork gradient =
        grad(network, [&](const book::DeepNetwork& m) { return book::squared_error(m(x), y).loss; });
    expect_close("grad beta", all.backward.d_beta[0], vector_of(gradient.layers[0].bias), 1e-12);
    expect_close("grad omega", all.backward.d_omega[0], vector_of(gradient.layers[0].weight), 1e-12);
  }
}

TEST(Udl07, Eq27_OneLayerToTheNext) {
  const Example e;
  for (std::size_t k = 1; k < 4; ++k) {
    const Vector before = vector_of(e.all.forward.f[k - 1]);
    expect_close("f", e.all.forward.f[k], plus(e.plain.beta[k], times(e.plain.omega[k], rectified(before))),
                 1e-13);
  }
}

TEST(Udl07, Eq28_OneLayer) {
  const Tensor f = numbers({6}, 1.0, 1), omega = numbers({4, 6}, 1.0, 2), beta = numbers({4}, 1.0, 3);
  expect_close("f'", linear(relu(f), omega, beta),
               plus(vector_of(beta), times(matrix_of(omega), rectified(vector_of(f)))), 1e-13);
}

TEST(Udl07, Eq35_TwoUnitsTwice) {
  // Here the first index counts inputs, 0 being the bias, and the second units: layer by layer, (unit,
  // input).
  const double phi0 = 0.3, phi1 = -1.2, phi2 = 0.8;
  const double psi01 = 0.1, psi11 = 0.9, psi21 = -0.4, psi02 = -0.6, psi12 = 0.5, psi22 = 1.1;
  const double theta01 = 0.2, theta11 = 1.5, theta02 = 0.7, theta12 = -1.3;
  const auto f64 = [](const NestedList& list) { return tensor(list, DType::f64); };
  const book::DeepNetwork network(
      {book::layer_of(f64({{theta11}, {theta12}}), f64({theta01, theta02}), Activation::relu),
       book::layer_of(f64({{psi11, psi21}, {psi12, psi22}}), f64({psi01, psi02}), Activation::relu),
       book::layer_of(f64({{phi1, phi2}}), f64({phi0}))});
  const auto a = [](double z) { return std::max(0.0, z); };
  const Vector places{-2.0, -0.4, 0.1, 0.6, 3.0};
  for (const Tensor& layer : network.hidden_units(tensor(places, {5, 1}))) testing::expect_on_and_off(layer);
  for (const double x : places) {
    const double h1 = a(theta01 + theta11 * x), h2 = a(theta02 + theta12 * x);
    const double y =
        phi0 + phi1 * a(psi01 + psi11 * h1 + psi21 * h2) + phi2 * a(psi02 + psi12 * h1 + psi22 * h2);
    EXPECT_NEAR(network(full({1, 1}, x, DType::f64)).item(), y, 1e-14) << x;
  }
}

TEST(Udl07, Eq36_SquaredError) {
  const Tensor f = numbers({5, 2}, 1.0, 1), y = numbers({5, 2}, 1.0, 2);
  const book::LossAndSlope end = book::squared_error(f, y);
  const auto loss = [&](const Vector& at) { return squared(at, vector_of(y)); };
  EXPECT_NEAR(end.loss.item(), loss(vector_of(f)), 1e-13);
  expect_close("slope", end.d_output, testing::gradient(loss, vector_of(f)), 1e-8);
}

TEST(Udl07, Eq37_BinaryCrossEntropy) {
  const Tensor f = numbers({6, 1}, 1.0, 1) * 3.0, y = tensor({0.0, 1.0, 1.0, 0.0, 1.0, 0.0}, DType::f64);
  const book::LossAndSlope end = book::binary_cross_entropy(f, reshape(y, {6, 1}));
  const auto loss = [&](const Vector& at) {
    double total = 0.0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double label = vector_of(y)[i], p = plain_sigmoid(at[i]);
      total += -(1.0 - label) * std::log(1.0 - p) - label * std::log(p);
    }
    return total;
  };
  EXPECT_NEAR(end.loss.item(), loss(vector_of(f)), 1e-13);
  EXPECT_NEAR(binary_cross_entropy_from_logits(f, reshape(y, {6, 1}), {.reduction = Reduction::sum}).item(),
              loss(vector_of(f)), 1e-13);
  expect_close("slope", end.d_output, testing::gradient(loss, vector_of(f)), 1e-8);
}

TEST(Udl07, Eq38_Sigmoid) {
  for (const double z : {-30.0, -2.0, 0.0, 0.7, 5.0}) {
    EXPECT_NEAR(sigmoid(full({}, z, DType::f64)).item(), plain_sigmoid(z), 1e-15) << z;
  }
}

TEST(Udl07, Eq39_DerivativeOfALinearMap) {
  const Tensor h = numbers({5}, 1.0, 1), omega = numbers({3, 5}, 1.0, 2), beta = numbers({3}, 1.0, 3);
  const Tensor computed = transpose(jacobian(h, [&](const Tensor& at) { return linear(at, omega, beta); }));
  expect_close("Omega^T", computed, transposed(matrix_of(omega)), 1e-14);
  expect_close("differences", computed,
               slopes([&](const Vector& at) { return plus(vector_of(beta), times(matrix_of(omega), at)); },
                      vector_of(h)),
               1e-8);
}

TEST(Udl07, Eq42_DerivativeByAMatrix) {
  const Tensor h = numbers({5}, 1.0, 1), omega = numbers({3, 5}, 1.0, 2), beta = numbers({3}, 1.0, 3);
  const Tensor weights = numbers({3}, 1.0, 4);  // a loss whose derivative by f is known: sum weights sin f
  const Tensor computed =
      grad(omega, [&](const Tensor& at) { return sum(weights * sin(linear(h, at, beta))); });
  Vector d_f = plus(vector_of(beta), times(matrix_of(omega), vector_of(h)));
  for (std::size_t i = 0; i < d_f.size(); ++i) d_f[i] = vector_of(weights)[i] * std::cos(d_f[i]);
  expect_close("d_f h^T", computed, outer_product(d_f, vector_of(h)), 1e-13);
}

TEST(Udl07, Eq43_LeakyRelu) {
  for (const double z : {-3.0, -0.2, 0.0, 0.4, 2.0}) {
    EXPECT_EQ(leaky_relu(full({}, z, DType::f64), 0.1).item(), z < 0.0 ? 0.1 * z : z) << z;
  }
  // What it is asked for there: backpropagation with it.
  const book::DeepNetwork network = make_network(3, {4, 5}, 2);
  const Tensor x = numbers({7, 3}, 1.0, 5), y = numbers({7, 2}, 1.0, 6);
  const book::Backpropagation all = book::backpropagate(network, x, y, book::squared_error, 0.1);
  const PlainNetwork plain(network);
  for (std::size_t k = 0; k < 3; ++k) {
    expect_close("d_beta", all.backward.d_beta[k], beta_slopes(plain, k, matrix_of(x), matrix_of(y), 0.1),
                 1e-6);
    expect_close("d_omega", all.backward.d_omega[k], omega_slopes(plain, k, matrix_of(x), matrix_of(y), 0.1),
                 1e-6);
  }
}

}  // namespace
}  // namespace likely
