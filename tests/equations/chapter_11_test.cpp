// Chapter 11, residual networks and batch normalization.
#include <gtest/gtest.h>

#include <cmath>

#include "likely/likely.hpp"
#include "likely/models/book/chapter_11/batch_normalization.hpp"
#include "likely/models/book/chapter_11/residual_paths.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/plain_math.hpp"

namespace likely {
namespace {

using testing::expect_close;
using testing::Matrix;
using testing::matrix_of;
using testing::numbers;
using testing::plus;
using testing::slopes;
using testing::times;
using testing::Vector;
using testing::vector_of;

constexpr std::int64_t kSize = 3;

// Four layers f_k[h] = tanh(beta_k + Omega_k h): with likely, and as loops. k counts from 0.
Tensor omega(int k) { return numbers({kSize, kSize}, 1.0, 10 + k) * 1.2; }
Tensor beta(int k) { return numbers({kSize}, 1.0, 20 + k) * 0.4; }

nn::Linear layer(int k) {
  nn::Linear result(kSize, kSize, {.activation = Activation::tanh}, Rng(0));
  result.weight = omega(k);
  result.bias = beta(k);
  return result;
}
std::vector<book::Layer> layers() { return {layer(0), layer(1), layer(2), layer(3)}; }

Vector plain(int k, const Vector& h) {
  Vector f = plus(vector_of(beta(k)), times(matrix_of(omega(k)), h));
  for (double& each : f) each = std::tanh(each);
  return f;
}

Tensor input() { return numbers({kSize}, 1.0, 1); }

TEST(Udl11, Eq1_LayersOneAfterTheOther) {
  const std::vector<Tensor> states = book::sequential_states(layers(), input());
  ASSERT_EQ(states.size(), 5U);
  Vector h = vector_of(input());
  for (int k = 0; k < 4; ++k) {
    h = plain(k, h);
    expect_close("h", states[static_cast<std::size_t>(k) + 1], h, 1e-13);
  }
}

TEST(Udl11, Eq2_NestedFunctions) {
  const nn::Sequential model{layer(0), layer(1), layer(2), layer(3)};
  const Vector y = plain(3, plain(2, plain(1, plain(0, vector_of(input())))));
  expect_close("y", model(input()), y, 1e-13);
  expect_close("states", book::sequential_states(layers(), input()).back(), y, 1e-13);
}

// Derivatives are in the textbook's layout: rows are inputs.
TEST(Udl11, Eq3_DerivativeOfTheChain) {
  const Vector f1 = plain(0, vector_of(input()));
  const auto rest = [](const Vector& f) { return plain(3, plain(2, plain(1, f))); };
  const Tensor computed = book::sequential_derivative(layers(), input());
  expect_close("whole", computed, slopes(rest, f1), 1e-8);
  const Vector f2 = plain(1, f1), f3 = plain(2, f2);
  const auto step = [](int k) { return [k](const Vector& h) { return plain(k, h); }; };
  const Matrix product = times(times(slopes(step(1), f1), slopes(step(2), f2)), slopes(step(3), f3));
  expect_close("factors", computed, product, 1e-8);
}

Vector plain_residual(int first, Vector h) {
  for (int k = first; k < 4; ++k) h = plus(h, plain(k, h));
  return h;
}

TEST(Udl11, Eq4_ResidualNetwork) {
  const nn::Sequential model{nn::Residual{layer(0)}, nn::Residual{layer(1)}, nn::Residual{layer(2)},
                             nn::Residual{layer(3)}};
  const Vector y = plain_residual(0, vector_of(input()));
  expect_close("y", model(input()), y, 1e-13);
  const std::vector<Tensor> states = book::residual_states(layers(), input());
  expect_close("h1", states[1], plus(vector_of(input()), plain(0, vector_of(input()))), 1e-13);
  expect_close("states", states.back(), y, 1e-13);
}

TEST(Udl11, Eq5_Unravelled) {
  const Vector x = vector_of(input());
  const Vector one = plain(0, x);
  const Vector two = plain(1, plus(x, one));
  const Vector three = plain(2, plus(plus(x, one), two));
  const Vector four = plain(3, plus(plus(plus(x, one), two), three));
  expect_close("y", book::residual_states(layers(), input()).back(),
               plus(plus(plus(plus(x, one), two), three), four), 1e-13);
}

TEST(Udl11, Eq6_EightPaths) {
  const std::vector<book::Path> paths = book::residual_paths(layers(), input());
  const std::vector<std::vector<int>> expected_order{{}, {2}, {3}, {2, 3}, {4}, {2, 4}, {3, 4}, {2, 3, 4}};
  ASSERT_EQ(paths.size(), 8U);
  // How y changes with f_1, by differences: y as a function of what f_1 adds to x.
  const Vector x = vector_of(input()), f1 = plain(0, x);
  const Matrix expected = slopes([&](const Vector& f) { return plain_residual(1, plus(x, f)); }, f1);
  // The derivatives of f_2, f_3 and f_4 where they are, by differences.
  std::vector<Matrix> direct;
  Vector h = plus(x, f1);
  for (int k = 1; k < 4; ++k) {
    direct.push_back(slopes([k](const Vector& at) { return plain(k, at); }, h));
    h = plus(h, plain(k, h));
  }
  Matrix total(kSize, Vector(kSize));
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(paths[i].through, expected_order[i]);
    Matrix product = testing::identity(kSize);
    for (const int k : paths[i].through) product = times(product, direct[static_cast<std::size_t>(k) - 2]);
    expect_close("path", paths[i].derivative, product, 1e-7);
    total = plus(total, matrix_of(paths[i].derivative));
  }
  expect_close("sum of the paths", testing::flattened(total), testing::flattened(expected), 1e-7);
  expect_close("residual_derivative", book::residual_derivative(layers(), input()), expected, 1e-7);
}

// As total derivatives the terms of (11.6) would count paths twice: df_3/df_1 would hold the way through f_2.
TEST(Udl11, Eq6_TheTermsAreDirectDerivatives) {
  const Vector x = vector_of(input()), f1 = plain(0, x);
  const auto h1 = [&](const Vector& f) { return plus(x, f); };
  const auto f2 = [&](const Vector& f) { return plain(1, h1(f)); };
  const auto h2 = [&](const Vector& f) { return plus(h1(f), f2(f)); };
  const auto f3 = [&](const Vector& f) { return plain(2, h2(f)); };
  const Matrix direct_f2 = slopes(f2, f1);
  const Matrix direct_f3 = slopes([](const Vector& h) { return plain(2, h); }, h2(f1));
  const Matrix total_f3 = slopes(f3, f1);
  const auto h3 = [&](const Vector& f) { return plus(h2(f), f3(f)); };
  // Up to the third layer: dh_3/df_1 = I + df_2 + (df_3 + df_2 df_3).
  const Vector right = testing::flattened(slopes(h3, f1));
  const auto sum_with = [&](const Matrix& of_f3) {
    return testing::flattened(
        plus(plus(plus(testing::identity(kSize), direct_f2), of_f3), times(direct_f2, direct_f3)));
  };
  expect_close("direct", sum_with(direct_f3), right, 1e-7);
  const Vector off = plus(sum_with(total_f3), right, -1.0);
  EXPECT_GT(std::sqrt(testing::dot_product(off, off)), 0.1);
}

// A batch of 8 with 2 channels, of which the second hardly varies: there epsilon matters.
constexpr double kEpsilon = 1e-3;
Tensor batch() {
  return numbers({8, 2}, 1.0, 5) * tensor({2.0, 0.02}, DType::f64) + tensor({1.0, -3.0}, DType::f64);
}
Tensor gamma() { return tensor({1.5, -0.7}, DType::f64); }
Tensor delta() { return tensor({0.2, 0.9}, DType::f64); }

struct Moments {
  double mean = 0.0, deviation = 0.0;
};
Moments moments(std::size_t channel) {
  Moments result;
  const Matrix h = matrix_of(batch());
  for (const Vector& row : h) result.mean += row[channel] / 8.0;
  for (const Vector& row : h) result.deviation += std::pow(row[channel] - result.mean, 2) / 8.0;
  result.deviation = std::sqrt(result.deviation);
  return result;
}

Tensor normalized(const Tensor& weight = {}, const Tensor& bias = {}) {
  return batch_norm(batch(), weight, bias, {}, true, {.epsilon = kEpsilon}).y;
}

TEST(Udl11, Eq7_MomentsOfTheBatch) {
  // Running statistics that follow the newest batch altogether are its own; the variance is remembered with n
  // - 1.
  const BatchNormResult result = batch_norm(batch(), {}, {}, {}, true, {.momentum = 1.0});
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_NEAR(vector_of(result.running.mean)[c], moments(c).mean, 1e-14);
    EXPECT_NEAR(vector_of(result.running.variance)[c] * 7.0 / 8.0, std::pow(moments(c).deviation, 2), 1e-14);
    EXPECT_NEAR(vector_of(std(batch(), 0))[c], moments(c).deviation, 1e-14);
  }
}

// batch_norm has epsilon under the root, as (11.10) and everybody else; (11.8) adds it to the root. With a
// small deviation the two differ.
TEST(Udl11, Eq8_Standardised) {
  Matrix under_the_root = matrix_of(batch()), beside_it = under_the_root;
  for (std::size_t i = 0; i < 8; ++i) {
    for (std::size_t c = 0; c < 2; ++c) {
      const Moments m = moments(c);
      const double centred = under_the_root[i][c] - m.mean;
      under_the_root[i][c] = centred / std::sqrt(m.deviation * m.deviation + kEpsilon);
      beside_it[i][c] = centred / (m.deviation + kEpsilon);
    }
  }
  expect_close("as printed", book::standardized_as_printed(batch(), kEpsilon), beside_it, 1e-12);
  expect_close("y", normalized(), under_the_root, 1e-12);
  EXPECT_NEAR(moments(1).deviation, 0.01, 0.005);
  EXPECT_LT(std::abs(under_the_root[0][1]), 0.5 * std::abs(beside_it[0][1]));
  // Without epsilon both are the same: mean 0 and deviation 1.
  const Tensor exact = batch_norm(batch(), {}, {}, {}, true, {.epsilon = 0.0}).y;
  Matrix expected = matrix_of(batch());
  for (Vector& row : expected) {
    for (std::size_t c = 0; c < 2; ++c) row[c] = (row[c] - moments(c).mean) / moments(c).deviation;
  }
  expect_close("without epsilon", exact, expected, 1e-11);
  expect_close("as printed, without epsilon", book::standardized_as_printed(batch(), 0.0), expected, 1e-11);
}

TEST(Udl11, Eq9_ScaledAndShifted) {
  const double scale[] = {1.5, -0.7}, shift[] = {0.2, 0.9};  // gamma and delta
  Matrix expected = matrix_of(batch());
  for (Vector& row : expected) {
    for (std::size_t c = 0; c < 2; ++c) {
      const Moments m = moments(c);
      row[c] = scale[c] * (row[c] - m.mean) / std::sqrt(m.deviation * m.deviation + kEpsilon) + shift[c];
    }
  }
  expect_close("batch_norm", normalized(gamma(), delta()), expected, 1e-12);
  nn::BatchNorm layer = cast_parts(nn::BatchNorm(2, {.epsilon = kEpsilon}), DType::f64);
  layer.weight = gamma();
  layer.bias = delta();
  expect_close("nn::BatchNorm", layer(batch(), Training(Rng(1))), expected, 1e-12);
}

// All of (11.10) as loops, for one channel.
struct PlainSteps {
  double f1 = 0.0, f4 = 0.0, f5 = 0.0, f6 = 0.0;
  Vector f2{}, f3{}, f7{}, y{};
};
PlainSteps plain_steps(const Vector& z, double scale, double shift) {
  PlainSteps at;
  const auto n = static_cast<double>(z.size());
  for (const double each : z) at.f1 += each / n;
  for (const double each : z) at.f2.push_back(each - at.f1);
  for (const double each : at.f2) at.f3.push_back(each * each);
  for (const double each : at.f3) at.f4 += each / n;
  at.f5 = std::sqrt(at.f4 + kEpsilon);
  at.f6 = 1.0 / at.f5;
  for (const double each : at.f2) at.f7.push_back(each * at.f6);
  for (const double each : at.f7) at.y.push_back(each * scale + shift);
  return at;
}
Vector column(const Tensor& x, std::size_t c) {
  Vector result;
  for (const Vector& row : matrix_of(x)) result.push_back(row[c]);
  return result;
}

TEST(Udl11, Eq10_StepByStep) {
  const book::BatchNormSteps steps = book::batch_norm_steps(batch(), gamma(), delta(), kEpsilon);
  for (std::size_t c = 0; c < 2; ++c) {
    const PlainSteps expected = plain_steps(column(batch(), c), vector_of(gamma())[c], vector_of(delta())[c]);
    const auto at = [c](const Tensor& x) { return vector_of(x)[c]; };
    expect_close("means", Vector{at(steps.f1), at(steps.f4), at(steps.f5), at(steps.f6)},
                 Vector{expected.f1, expected.f4, expected.f5, expected.f6}, 1e-11);
    expect_close("f2", column(steps.f2, c), expected.f2, 1e-13);
    expect_close("f3", column(steps.f3, c), expected.f3, 1e-13);
    expect_close("f7", column(steps.f7, c), expected.f7, 1e-12);
    expect_close("y", column(steps.y, c), expected.y, 1e-12);
  }
  expect_close("batch_norm", normalized(gamma(), delta()), vector_of(steps.y), 1e-12);
}

// What the problem asks for: the backward pass, against differences at every step and the fused operation.
TEST(Udl11, Eq10_BackwardPass) {
  const Tensor d_y = numbers({8, 2}, 1.0, 9);
  const book::BatchNormSteps steps = book::batch_norm_steps(batch(), gamma(), delta(), kEpsilon);
  const book::BatchNormSlopes back = book::batch_norm_slopes(steps, gamma(), d_y);
  for (std::size_t c = 0; c < 2; ++c) {
    const Vector weights = column(d_y, c);
    const double scale = vector_of(gamma())[c], shift = vector_of(delta())[c];
    const PlainSteps at = plain_steps(column(batch(), c), scale, shift);
    // The loss sum_i d_y_i y_i as a function of each step alone, the steps beside it fixed.
    const auto from_f7 = [&](const Vector& f7) {
      double total = 0.0;
      for (std::size_t i = 0; i < 8; ++i) total += weights[i] * (f7[i] * scale + shift);
      return total;
    };
    const auto from_f6 = [&](const Vector& f2, double f6) {
      Vector f7 = f2;
      for (double& each : f7) each *= f6;
      return from_f7(f7);
    };
    const auto from_f4 = [&](const Vector& f2, double f4) {
      return from_f6(f2, 1.0 / std::sqrt(f4 + kEpsilon));
    };
    const auto mean_of = [](const Vector& f) {
      double total = 0.0;
      for (const double each : f) total += each / 8.0;
      return total;
    };
    const auto from_f2 = [&](const Vector& f2) {
      Vector f3 = f2;
      for (double& each : f3) each *= each;
      return from_f4(f2, mean_of(f3));
    };
    const auto from_f1 = [&](double f1) {
      Vector f2 = column(batch(), c);
      for (double& each : f2) each -= f1;
      return from_f2(f2);
    };
    const auto loss = [&](const Vector& z) {
      return testing::dot_product(weights, plain_steps(z, scale, shift).y);
    };
    expect_close("f7", column(back.f7, c), testing::gradient(from_f7, at.f7), 1e-8);
    const auto here = [c](const Tensor& x) { return Vector{vector_of(x)[c]}; };
    const auto by = [](const auto& f, double x) { return Vector{testing::slope(f, x, 1e-7)}; };
    expect_close("f6", here(back.f6), by([&](double f6) { return from_f6(at.f2, f6); }, at.f6), 1e-6);
    expect_close("f5", here(back.f5), by([&](double f5) { return from_f6(at.f2, 1.0 / f5); }, at.f5), 1e-6);
    expect_close("f4", here(back.f4), by([&](double f4) { return from_f4(at.f2, f4); }, at.f4), 1e-6);
    expect_close(
        "f3", column(back.f3, c),
        testing::gradient([&](const Vector& f3) { return from_f4(at.f2, mean_of(f3)); }, at.f3, 1e-7), 1e-6);
    expect_close("f2", column(back.f2, c), testing::gradient(from_f2, at.f2), 1e-6);
    expect_close("f1", here(back.f1), by(from_f1, at.f1), 1e-5);
    expect_close("z", column(back.z, c), testing::gradient(loss, column(batch(), c)), 1e-6);
    EXPECT_NEAR(vector_of(back.delta)[c], testing::dot_product(weights, Vector(8, 1.0)), 1e-13);
    EXPECT_NEAR(vector_of(back.gamma)[c], testing::dot_product(weights, at.f7), 1e-12);
  }
  const auto gradients = grad(
      std::tuple(batch(), gamma(), delta()), [&](const Tensor& z, const Tensor& weight, const Tensor& bias) {
        return sum(d_y * batch_norm(z, weight, bias, {}, true, {.epsilon = kEpsilon}).y);
      });
  expect_close("z", back.z, vector_of(std::get<0>(gradients)), 1e-10);
  expect_close("gamma", back.gamma, vector_of(std::get<1>(gradients)), 1e-12);
  expect_close("delta", back.delta, vector_of(std::get<2>(gradients)), 1e-13);
}

}  // namespace
}  // namespace likely
