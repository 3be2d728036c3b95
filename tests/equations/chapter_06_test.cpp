// Chapter 6, fitting models: each numbered equation against plain arithmetic.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "likely/models/book/book.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/plain_line.hpp"

namespace likely::book {
namespace {

using testing::numbers;

using Two = std::array<double, 2>;

const std::vector<double> kX{0.3, -1.2, 2.5, 0.9, 1.7, -0.4};
const std::vector<double> kY{1.1, 0.2, 2.0, 1.6, 1.3, 0.5};
constexpr std::size_t kRows = 6;
// The batches of the steps of stochastic methods; each epoch has every row once.
const std::vector<std::vector<std::size_t>> kBatches{{2, 0, 5}, {4, 1, 3}, {0, 1, 2},
                                                     {5, 4, 3}, {3, 5, 1}, {2, 4, 0}};

Tensor rows_of(const std::vector<double>& values, const std::vector<std::size_t>& rows) {
  std::vector<double> picked;
  for (const std::size_t i : rows) picked.push_back(values[i]);
  return tensor(picked);
}

// (6.7), as it is printed.
Two plain_row_gradient(const Two& phi, std::size_t i) {
  const double error = phi[0] + phi[1] * kX[i] - kY[i];
  return {2.0 * error, 2.0 * kX[i] * error};
}
Two plain_gradient(const Two& phi, const std::vector<std::size_t>& rows) {
  Two total{};
  for (const std::size_t i : rows) {
    const Two each = plain_row_gradient(phi, i);
    for (std::size_t k = 0; k < 2; ++k) total[k] += each[k];
  }
  return total;
}
const std::vector<std::size_t> kAll{0, 1, 2, 3, 4, 5};

double plain_loss(const Two& phi) { return testing::plain_squares({phi[0], phi[1]}, kX, kY); }

Tensor loss_of(const Line& model, const std::vector<std::size_t>& rows) {
  return least_squares(model(rows_of(kX, rows)), rows_of(kY, rows));
}
Line gradient_of(const Line& model, const std::vector<std::size_t>& rows) {
  return grad(model, [&](const Line& m) { return loss_of(m, rows); });
}

constexpr Two kStart{-0.4, 1.3};
Line start() { return Line(kStart[0], kStart[1], DType::f64); }

void expect_phi(const Line& model, const Two& expected, double tolerance = 1e-13) {
  for (std::int64_t k = 0; k < 2; ++k)
    EXPECT_NEAR(model.phi.at({k}), expected[static_cast<std::size_t>(k)], tolerance);
}

double plain_gabor(double phi0, double phi1, double x) {
  const double u = phi0 + 0.06 * phi1 * x;
  return std::sin(u) * std::exp(-u * u / 32.0);
}

// Second derivatives of a function of two numbers by central differences.
std::array<Two, 2> plain_hessian(const std::function<double(const Two&)>& f, const Two& at, double step) {
  std::array<Two, 2> result{};
  for (std::size_t j = 0; j < 2; ++j) {
    for (std::size_t k = 0; k < 2; ++k) {
      const auto moved = [&](double a, double b) {
        Two p = at;
        p[j] += a * step;
        p[k] += b * step;
        return f(p);
      };
      result[j][k] = (moved(1, 1) - moved(1, -1) - moved(-1, 1) + moved(-1, -1)) / (4.0 * step * step);
    }
  }
  return result;
}

TEST(Udl06, Eq1_Minimum) {
  // The loss is convex: from anywhere, the descent ends where the normal equations say.
  const testing::PlainLine best = testing::plain_best_line(kX, kY);
  Line model = start();
  optim::GradientDescent descent;
  const auto end = descent.minimize(model, [](const Line& m) { return loss_of(m, kAll); },
                                    {.max_iterations = 2000, .gradient_tolerance = 1e-7});
  EXPECT_TRUE(end.converged);
  expect_phi(model, {best.phi0, best.phi1}, 1e-7);
}

TEST(Udl06, Eq2_Gradient) {
  const Line gradient = gradient_of(start(), kAll);
  ASSERT_EQ(gradient.phi.shape(), Shape({2}));
  for (std::size_t k = 0; k < 2; ++k) {
    Two above = kStart, below = kStart;
    above[k] += 1e-5;
    below[k] -= 1e-5;
    EXPECT_NEAR(gradient.phi.at({static_cast<std::int64_t>(k)}),
                (plain_loss(above) - plain_loss(below)) / 2e-5, 1e-8);
  }
}

TEST(Udl06, Eq3_GradientDescent) {
  Line model = start();
  Two phi = kStart;
  optim::Sgd sgd(model, {.lr = 0.03});
  for (int step = 0; step < 20; ++step) {
    sgd.step(model, gradient_of(model, kAll));
    const Two g = plain_gradient(phi, kAll);
    for (std::size_t k = 0; k < 2; ++k) phi[k] -= 0.03 * g[k];
    expect_phi(model, phi);
  }
  EXPECT_LT(plain_loss(phi), 0.5 * plain_loss(kStart));
  // GradientDescent makes the same step where its first length is good, and a shorter one where it is not.
  const Two g = plain_gradient(kStart, kAll);
  Line searched = start();
  optim::GradientDescent descent({.lr = 0.03});
  descent.step(searched, [](const Line& m) { return loss_of(m, kAll); });
  expect_phi(searched, {kStart[0] - 0.03 * g[0], kStart[1] - 0.03 * g[1]});
  ASSERT_GT(plain_loss({kStart[0] - 0.24 * g[0], kStart[1] - 0.24 * g[1]}), plain_loss(kStart));
  Line shortened = start();
  optim::GradientDescent too_long({.lr = 0.24});
  too_long.step(shortened, [](const Line& m) { return loss_of(m, kAll); });
  const double rate = (kStart[0] - shortened.phi.at({0})) / g[0];
  EXPECT_NEAR((kStart[1] - shortened.phi.at({1})) / g[1], rate, 1e-13);
  EXPECT_NEAR(std::log2(0.24 / rate), std::round(std::log2(0.24 / rate)), 1e-10);
  EXPECT_LT(rate, 0.2);
  EXPECT_GT(rate, 0.005);
}

TEST(Udl06, Eq4_Line) {
  const Tensor y = start()(tensor(kX));
  for (std::size_t i = 0; i < kRows; ++i)
    EXPECT_NEAR(y.at({static_cast<std::int64_t>(i)}), kStart[0] + kStart[1] * kX[i], 1e-15);
}

TEST(Udl06, Eq5_Loss) { EXPECT_NEAR(loss_of(start(), kAll).item(), plain_loss(kStart), 1e-13); }

TEST(Udl06, Eq6_GradientOfASum) {
  // The sum of (6.7) over the rows, by plain arithmetic, is the gradient of the whole loss,
  expect_phi(gradient_of(start(), kAll), plain_gradient(kStart, kAll), 1e-12);
  // and so is the sum of likely's gradients of single rows.
  Two total{};
  for (std::size_t i = 0; i < kRows; ++i) {
    const Line each = gradient_of(start(), {i});
    for (std::size_t k = 0; k < 2; ++k) total[k] += each.phi.at({static_cast<std::int64_t>(k)});
  }
  expect_phi(start(), kStart);
  const Two expected = plain_gradient(kStart, kAll);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(total[k], expected[k], 1e-12);
}

TEST(Udl06, Eq7_GradientOfOneRow) {
  for (std::size_t i = 0; i < kRows; ++i)
    expect_phi(gradient_of(start(), {i}), plain_row_gradient(kStart, i));
}

TEST(Udl06, Eq8_Gabor) {
  for (const auto& [phi0, phi1] : {std::pair(0.0, 16.6), std::pair(-5.0, 25.0), std::pair(8.0, 2.5)}) {
    const Tensor x = numbers({15, 1}, 15.0, 2);
    const Tensor y = Gabor(phi0, phi1, DType::f64)(x);
    const Tensor single = Gabor(phi0, phi1)(x.to(DType::f32));
    ASSERT_EQ(y.shape(), x.shape());
    for (std::int64_t i = 0; i < 15; ++i) {
      EXPECT_NEAR(y.at({i, 0}), plain_gabor(phi0, phi1, x.at({i, 0})), 1e-14);
      EXPECT_NEAR(single.at({i, 0}), plain_gabor(phi0, phi1, x.at({i, 0})), 1e-5);
    }
  }
  // Data of it, without noise.
  const data::Batch drawn = data::gabor_data(40, Rng(3), {.phi0 = -2.0, .phi1 = 12.0, .noise = 0.0}).all();
  ASSERT_EQ(drawn.y.shape(), Shape({40, 1}));
  for (std::int64_t i = 0; i < 40; ++i)
    EXPECT_NEAR(drawn.y.at({i, 0}), plain_gabor(-2.0, 12.0, drawn.x.at({i, 0})), 1e-5);
  testing::check_gradients(
      "gabor", [](const std::vector<Tensor>& p) { return gabor(numbers({7}, 10.0, 3), p[0], p[1]); },
      {tensor(0.7, DType::f64), tensor(12.0, DType::f64)});
}

TEST(Udl06, Eq9_GaborLoss) {
  const Tensor x = numbers({12}, 15.0, 4), y = numbers({12}, 1.0, 5);
  double expected = 0.0;
  for (std::int64_t i = 0; i < 12; ++i)
    expected += std::pow(plain_gabor(1.5, 9.0, x.at({i})) - y.at({i}), 2.0);
  EXPECT_NEAR(least_squares(Gabor(1.5, 9.0, DType::f64)(x), y).item(), expected, 1e-13);
  // Not convex: for data of the model itself there are three minima along phi_0, near -6.1, 0 and 6.1.
  const Tensor places = linspace(-15.0, 15.0, 31, DType::f64);
  const Tensor surface = loss_surface(gabor, places, Gabor(0.0, 16.6, DType::f64)(places),
                                      linspace(-10.0, 10.0, 201, DType::f64), tensor({16.6}, DType::f64));
  std::vector<std::int64_t> minima;
  for (std::int64_t k = 1; k < 200; ++k) {
    const double here = surface.at({k, 0});
    if (here < surface.at({k - 1, 0}) && here < surface.at({k + 1, 0})) minima.push_back(k);
  }
  EXPECT_EQ(minima, (std::vector<std::int64_t>{39, 100, 161}));
  EXPECT_NEAR(surface.at({100, 0}), 0.0, 1e-20);
  EXPECT_GT(surface.at({39, 0}), 3.0);
}

TEST(Udl06, Eq10_StochasticGradientDescent) {
  Line model = start();
  Two phi = kStart;
  optim::Sgd sgd(model, {.lr = 0.02});
  for (const auto& batch : kBatches) {
    sgd.step(model, gradient_of(model, batch));
    const Two g = plain_gradient(phi, batch);
    for (std::size_t k = 0; k < 2; ++k) phi[k] -= 0.02 * g[k];
    expect_phi(model, phi);
  }
}

TEST(Udl06, Eq11_Momentum) {
  // The book's rate alpha is our lr / (1 - beta): it puts 1 - beta before the gradient.
  const double alpha = 0.1, beta = 0.8;
  Line model = start();
  Two phi = kStart, m{};
  optim::Sgd sgd(model, {.lr = alpha * (1.0 - beta), .momentum = beta});
  for (const auto& batch : kBatches) {
    sgd.step(model, gradient_of(model, batch));
    const Two g = plain_gradient(phi, batch);
    for (std::size_t k = 0; k < 2; ++k) {
      m[k] = beta * m[k] + (1.0 - beta) * g[k];
      phi[k] -= alpha * m[k];
      EXPECT_NEAR((1.0 - beta) * sgd.velocity[0].at({static_cast<std::int64_t>(k)}), m[k], 1e-13);
    }
    expect_phi(model, phi);
  }
}

TEST(Udl06, Eq12_NesterovMomentum) {
  // We keep the point that looks ahead, phi_t - alpha beta m_t, where the gradient is taken.
  const double alpha = 0.1, beta = 0.8;
  Line model = start();
  Two phi = kStart, m{};
  optim::Sgd sgd(model, {.lr = alpha * (1.0 - beta), .momentum = beta, .nesterov = true});
  for (const auto& batch : kBatches) {
    sgd.step(model, gradient_of(model, batch));
    const Two ahead{phi[0] - alpha * beta * m[0], phi[1] - alpha * beta * m[1]};
    const Two g = plain_gradient(ahead, batch);
    for (std::size_t k = 0; k < 2; ++k) {
      m[k] = beta * m[k] + (1.0 - beta) * g[k];
      phi[k] -= alpha * m[k];
    }
    expect_phi(model, {phi[0] - alpha * beta * m[0], phi[1] - alpha * beta * m[1]});
  }
}

TEST(Udl06, Eq13_GradientAndItsSquare) {
  // Adam without memory keeps just these.
  Line model = start();
  optim::Adam adam(model, {.lr = 0.1, .beta1 = 0.0, .beta2 = 0.0});
  const Two g = plain_gradient(kStart, kAll);
  adam.step(model, gradient_of(model, kAll));
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(adam.mean[0].at({static_cast<std::int64_t>(k)}), g[k], 1e-12);
    EXPECT_NEAR(adam.square[0].at({static_cast<std::int64_t>(k)}), g[k] * g[k], 1e-10);
  }
}

TEST(Udl06, Eq14_StepsOfOneLength) {
  const double alpha = 0.1, eps = 0.01;
  Line model = start();
  Two phi = kStart;
  optim::Adam adam(model, {.lr = alpha, .beta1 = 0.0, .beta2 = 0.0, .eps = eps});
  for (int step = 0; step < 12; ++step) {
    adam.step(model, gradient_of(model, kAll));
    const Two g = plain_gradient(phi, kAll);
    for (std::size_t k = 0; k < 2; ++k) {
      const double before = phi[k];
      phi[k] -= alpha * g[k] / (std::sqrt(g[k] * g[k]) + eps);
      EXPECT_LE(std::abs(phi[k] - before), alpha);
    }
    expect_phi(model, phi, 1e-12);
  }
}

// Adam by (6.15-6.17), with the gradients of given rows in each step.
struct PlainAdam {
  double alpha = 0.05, beta = 0.7, gamma = 0.9, eps = 1e-3;
  Two phi = kStart, m{}, v{};
  int t = 0;  // steps made

  void step(const std::vector<std::size_t>& rows) {
    const Two g = plain_gradient(phi, rows);
    ++t;
    for (std::size_t k = 0; k < 2; ++k) {
      m[k] = beta * m[k] + (1.0 - beta) * g[k];
      v[k] = gamma * v[k] + (1.0 - gamma) * g[k] * g[k];
      phi[k] -=
          alpha * (m[k] / (1.0 - std::pow(beta, t))) / (std::sqrt(v[k] / (1.0 - std::pow(gamma, t))) + eps);
    }
  }
};
optim::AdamOptions as_adam(const PlainAdam& p) {
  return {.lr = p.alpha, .beta1 = p.beta, .beta2 = p.gamma, .eps = p.eps};
}

TEST(Udl06, Eq15_AdamKeepsRunningMeans) {
  Line model = start();
  PlainAdam plain;
  optim::Adam adam(model, as_adam(plain));
  for (int step = 0; step < 10; ++step) {
    adam.step(model, gradient_of(model, kAll));
    plain.step(kAll);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(adam.mean[0].at({static_cast<std::int64_t>(k)}), plain.m[k], 1e-11);
      EXPECT_NEAR(adam.square[0].at({static_cast<std::int64_t>(k)}), plain.v[k], 1e-9);
    }
  }
}

TEST(Udl06, Eq16_AdamCorrectsTheStart) {
  // For a gradient that is always the same, the corrected means are the gradient and its square from the
  // first step on: each step is alpha g / (|g| + eps).
  Line model = start();
  Line gradient = start();
  gradient.phi = tensor({3.0, -0.02}, DType::f64);
  optim::Adam adam(model, {.lr = 0.1, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-4});
  for (int t = 1; t <= 5; ++t) {
    adam.step(model, gradient);
    expect_phi(model, {kStart[0] - t * 0.1 * 3.0 / 3.0001, kStart[1] + t * 0.1 * 0.02 / 0.0201}, 1e-12);
  }
}

TEST(Udl06, Eq17_Adam) {
  Line model = start();
  PlainAdam plain;
  optim::Adam adam(model, as_adam(plain));
  for (int step = 0; step < 50; ++step) {
    adam.step(model, gradient_of(model, kAll));
    plain.step(kAll);
    expect_phi(model, plain.phi, 1e-12);
  }
  EXPECT_LT(plain_loss(plain.phi), 0.5 * plain_loss(kStart));
}

TEST(Udl06, Eq18_StochasticAdam) {
  Line model = start();
  PlainAdam plain;
  optim::Adam adam(model, as_adam(plain));
  for (const auto& batch : kBatches) {
    adam.step(model, gradient_of(model, batch));
    plain.step(batch);
    expect_phi(model, plain.phi, 1e-12);
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(adam.square[0].at({static_cast<std::int64_t>(k)}), plain.v[k], 1e-9);
  }
}

TEST(Udl06, Eq19_Hessian) {
  // L = sum_i (phi^T z_i - y_i)^2 has the Hessian 2 sum_i z_i z_i^T; with phi_0^4 added it depends on the
  // place.
  const Tensor z = numbers({9, 4}, 1.0, 6) + eye(9, 4, DType::f64), y = numbers({9}, 1.0, 7),
               phi = numbers({4}, 1.0, 8);
  const Tensor h = hessian(
      phi, [&](const Tensor& p) { return sum(square(matmul(z, p) - y)) + pow(select(p, 0, 0), 4.0); });
  ASSERT_EQ(h.shape(), Shape({4, 4}));
  for (std::int64_t j = 0; j < 4; ++j) {
    for (std::int64_t k = 0; k < 4; ++k) {
      double expected = j == 0 && k == 0 ? 12.0 * phi.at({0}) * phi.at({0}) : 0.0;
      for (std::int64_t i = 0; i < 9; ++i) expected += 2.0 * z.at({i, j}) * z.at({i, k});
      EXPECT_NEAR(h.at({j, k}), expected, 1e-12);
    }
  }
}

TEST(Udl06, Eq20_HessianOfTwoParameters) {
  const auto hessian_of = [](const Curve& f, const Tensor& x, const Tensor& y, const Two& at) {
    return hessian(tensor({at[0], at[1]}, DType::f64),
                   [&](const Tensor& p) { return least_squares(f(x, select(p, 0, 0), select(p, 0, 1)), y); });
  };
  // The line: the same everywhere, with a positive determinant: convex.
  double sx = 0.0, sxx = 0.0;
  for (const double x : kX) {
    sx += x;
    sxx += x * x;
  }
  const Tensor flat = hessian_of(line, tensor(kX), tensor(kY), kStart);
  EXPECT_NEAR(flat.at({0, 0}), 2.0 * kRows, 1e-12);
  EXPECT_NEAR(flat.at({0, 1}), 2.0 * sx, 1e-12);
  EXPECT_NEAR(flat.at({1, 0}), 2.0 * sx, 1e-12);
  EXPECT_NEAR(flat.at({1, 1}), 2.0 * sxx, 1e-12);
  EXPECT_GT(det(flat).item(), 0.0);
  // The Gabor model: a saddle or a hill somewhere.
  const Tensor x = numbers({20}, 15.0, 9);
  const Tensor y = Gabor(0.0, 16.6, DType::f64)(x);
  bool not_convex = false;
  for (const Two& at : {Two{0.0, 16.6}, Two{2.0, 8.0}, Two{-4.0, 20.0}, Two{1.0, 4.0}}) {
    const Tensor h = hessian_of(gabor, x, y, at);
    const auto expected = plain_hessian(
        [&](const Two& p) {
          double total = 0.0;
          for (std::int64_t i = 0; i < 20; ++i)
            total += std::pow(plain_gabor(p[0], p[1], x.at({i})) - y.at({i}), 2.0);
          return total;
        },
        at, 1e-3);
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t k = 0; k < 2; ++k)
        EXPECT_NEAR(h.at({static_cast<std::int64_t>(j), static_cast<std::int64_t>(k)}), expected[j][k], 1e-4);
    }
    not_convex = not_convex || det(h).item() < 0.0 || h.at({0, 0}) < 0.0;
  }
  EXPECT_TRUE(not_convex);
}

TEST(Udl06, Eq21_LogisticRegression) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor probability = Logistic(-0.7, 1.9, dtype).law(tensor(kX).to(dtype)).mean();
    for (std::size_t i = 0; i < kRows; ++i)
      EXPECT_NEAR(probability.at({static_cast<std::int64_t>(i)}), 1.0 / (1.0 + std::exp(0.7 - 1.9 * kX[i])),
                  dtype == DType::f32 ? 1e-6 : 1e-15);
  }
  // Its loss is convex: both minors of the Hessian are positive wherever one looks.
  const Tensor y = tensor({1.0, 0.0, 1.0, 1.0, 0.0, 0.0}, DType::f64);
  for (int seed = 0; seed < 6; ++seed) {
    const Tensor at = numbers({2}, 3.0, seed);
    const Tensor h = hessian(at, [&](const Tensor& phi) {
      Logistic model;
      model.phi = phi;
      return -sum(model.law(tensor(kX)).log_prob(y));
    });
    double constant = 0.0, mixed = 0.0, squared = 0.0;  // sum_i s (1 - s) (1, x_i)^T (1, x_i)
    for (const double x : kX) {
      const double s = 1.0 / (1.0 + std::exp(-at.at({0}) - at.at({1}) * x));
      constant += s * (1.0 - s);
      mixed += s * (1.0 - s) * x;
      squared += s * (1.0 - s) * x * x;
    }
    EXPECT_NEAR(h.at({0, 0}), constant, 1e-12);
    EXPECT_NEAR(h.at({0, 1}), mixed, 1e-12);
    EXPECT_NEAR(h.at({1, 0}), mixed, 1e-12);
    EXPECT_NEAR(h.at({1, 1}), squared, 1e-12);
    EXPECT_GT(h.at({0, 0}), 0.0);
    EXPECT_GT(det(h).item(), 0.0);
  }
}

TEST(Udl06, Eq22_Sigmoid) {
  const Tensor z = numbers({33}, 9.0, 10);
  const Tensor slope = grad(z, [](const Tensor& x) { return sum(sigmoid(x)); });
  for (std::int64_t i = 0; i < 33; ++i) {
    const double s = 1.0 / (1.0 + std::exp(-z.at({i})));
    EXPECT_NEAR(sigmoid(z).at({i}), s, 1e-15);
    EXPECT_NEAR(slope.at({i}), s * (1.0 - s), 1e-15);
  }
}

TEST(Udl06, Eq23_NetworkOfThreeUnits) {
  const std::array<double, 3> theta0{0.5, -0.8, 0.1}, theta1{1.1, 0.9, -1.6}, phi{0.7, -1.2, 2.1};
  const ShallowNetwork network{layer_of(reshape(tensor(theta1), {3, 1}), tensor(theta0), Activation::relu),
                               layer_of(reshape(tensor(phi), {1, 3}), tensor({-0.4}, DType::f64))};
  for (const double x : {-2.0, -0.3, 0.05, 0.6, 1.5}) {
    const Tensor at = tensor({{x}}, DType::f64);
    const ShallowNetwork gradient = grad(network, [&](const ShallowNetwork& n) { return sum(n(at)); });
    double expected = -0.4;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto unit = static_cast<std::int64_t>(d);
      const double z = theta0[d] + theta1[d] * x, h = z < 0.0 ? 0.0 : z, on = z > 0.0 ? 1.0 : 0.0;
      expected += phi[d] * h;
      EXPECT_NEAR(gradient.out.weight.at({0, unit}), h, 1e-14);
      EXPECT_NEAR(gradient.hidden.bias.at({unit}), phi[d] * on, 1e-14);
      EXPECT_NEAR(gradient.hidden.weight.at({unit, 0}), phi[d] * on * x, 1e-14);
    }
    EXPECT_NEAR(network(at).item(), expected, 1e-14);
    EXPECT_NEAR(gradient.out.bias.at({0}), 1.0, 1e-15);
  }
}

}  // namespace
}  // namespace likely::book
