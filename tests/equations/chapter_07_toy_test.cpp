// Chapter 7: the toy function and the function that branches, whose derivatives are written out.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "likely/likely.hpp"
#include "likely/models/book/chapter_07/branching_function.hpp"
#include "likely/models/book/chapter_07/toy_function.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/plain_math.hpp"
#include "tests/support/shared_data.hpp"

namespace likely {
namespace {

using testing::expect_close;
using testing::golden_number;
using testing::golden_numbers;
using testing::slope;
using testing::Vector;

constexpr std::array<double, 4> kBeta{1.0, 2.0, -3.0, 0.4};
constexpr std::array<double, 4> kOmega{0.1, -0.4, 2.0, 3.0};
constexpr double kX = 2.3, kY = 2.0;

Tensor number(double value) { return full({}, value, DType::f64); }

book::ToyFunction toy() { return {tensor(kBeta), tensor(kOmega)}; }

double plain_toy(const std::array<double, 4>& beta, const std::array<double, 4>& omega, double x) {
  return beta[3] +
         omega[3] *
             std::cos(beta[2] + omega[2] * std::exp(beta[1] + omega[1] * std::sin(beta[0] + omega[0] * x)));
}
double plain_loss(const std::array<double, 4>& beta, const std::array<double, 4>& omega) {
  const double misfit = plain_toy(beta, omega, kX) - kY;
  return misfit * misfit;
}
double beta_slope(std::size_t k) {
  auto beta = kBeta;
  return slope([&](double value) { return beta[k] = value, plain_loss(beta, kOmega); }, kBeta[k]);
}
double omega_slope(std::size_t k) {
  auto omega = kOmega;
  return slope([&](double value) { return omega[k] = value, plain_loss(kBeta, omega); }, kOmega[k]);
}

struct PlainForward {
  std::array<double, 4> h, f;
};
PlainForward plain_forward() {
  PlainForward pass{};
  const auto line = [&](std::size_t k) { return kBeta[k] + kOmega[k] * pass.h[k]; };
  pass.h[0] = kX;
  pass.f[0] = line(0);
  pass.h[1] = std::sin(pass.f[0]);
  pass.f[1] = line(1);
  pass.h[2] = std::exp(pass.f[1]);
  pass.f[2] = line(2);
  pass.h[3] = std::cos(pass.f[2]);
  pass.f[3] = line(3);
  return pass;
}

struct Passes {
  book::ToyForward forward = book::toy_forward(toy(), number(kX), number(kY));
  book::ToyBackward backward = book::toy_backward(toy(), forward, number(kY));
};

TEST(Udl07, Eq5_ToyFunction) {
  EXPECT_NEAR(toy()(number(kX)).item(), plain_toy(kBeta, kOmega, kX), 1e-14);
  const Tensor many = toy()(tensor({-1.0, 0.0, 0.7}, DType::f64));
  expect_close(
      "f", many,
      Vector{plain_toy(kBeta, kOmega, -1.0), plain_toy(kBeta, kOmega, 0.0), plain_toy(kBeta, kOmega, 0.7)},
      1e-14);
}

TEST(Udl07, Eq6_ToyLoss) { EXPECT_NEAR(Passes().forward.loss.item(), plain_loss(kBeta, kOmega), 1e-14); }

TEST(Udl07, Eq7_AllEightDerivatives) {
  const book::ToyFunction by_likely =
      grad(toy(), [](const book::ToyFunction& f) { return square(f(number(kX)) - kY); });
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(by_likely.beta.to_vector<double>()[k], beta_slope(k), 1e-7) << k;
    EXPECT_NEAR(by_likely.omega.to_vector<double>()[k], omega_slope(k), 1e-7) << k;
  }
}

// As printed the bracket of the cosine is not closed before y_i: closed behind it, the derivative is wrong.
TEST(Udl07, Eq8_OneDerivativeWrittenOut) {
  const PlainForward p = plain_forward();
  const double rest =
      kOmega[1] * kOmega[2] * kOmega[3] * kX * std::cos(p.f[0]) * std::exp(p.f[1]) * std::sin(p.f[2]);
  const double right = -2.0 * (kBeta[3] + kOmega[3] * std::cos(p.f[2]) - kY) * rest;
  const double as_printed = -2.0 * (kBeta[3] + kOmega[3] * std::cos(p.f[2] - kY)) * rest;
  EXPECT_NEAR(Passes().backward.d_omega[0].item(), right, 1e-12);
  EXPECT_NEAR(right, omega_slope(0), 1e-7);
  EXPECT_GT(std::abs(as_printed - omega_slope(0)), 1.0);
}

TEST(Udl07, Eq9_ToyForwardPass) {
  const Passes passes;
  const PlainForward expected = plain_forward();
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(passes.forward.h[k].item(), expected.h[k], 1e-14) << k;
    EXPECT_NEAR(passes.forward.f[k].item(), expected.f[k], 1e-14) << k;
  }
  EXPECT_NEAR(passes.forward.loss.item(), plain_loss(kBeta, kOmega), 1e-14);
}

// The loss as a function of f_k and of h_k alone: what comes after them.
double loss_from_f(std::size_t k, double f);
double loss_from_h(std::size_t k, double h) { return loss_from_f(k, kBeta[k] + kOmega[k] * h); }
double loss_from_f(std::size_t k, double f) {
  switch (k) {
    case 0: return loss_from_h(1, std::sin(f));
    case 1: return loss_from_h(2, std::exp(f));
    case 2: return loss_from_h(3, std::cos(f));
    default: return (f - kY) * (f - kY);
  }
}

TEST(Udl07, Eq10_DerivativesByTheIntermediates) {
  const Passes passes;
  const PlainForward p = plain_forward();
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(passes.backward.d_f[k].item(), slope([&](double f) { return loss_from_f(k, f); }, p.f[k]),
                1e-7);
    EXPECT_NEAR(passes.backward.d_h[k].item(), slope([&](double h) { return loss_from_h(k, h); }, p.h[k]),
                1e-7);
  }
}

TEST(Udl07, Eq11_TheFirstDerivative) {
  EXPECT_NEAR(Passes().backward.d_f[3].item(), 2.0 * (plain_forward().f[3] - kY), 1e-14);
}

TEST(Udl07, Eq12_TheSecondDerivative) {
  EXPECT_NEAR(Passes().backward.d_h[3].item(), kOmega[3] * 2.0 * (plain_forward().f[3] - kY), 1e-13);
}

TEST(Udl07, Eq13_TheOtherDerivatives) {
  const Passes passes;
  const PlainForward p = plain_forward();
  double so_far = 2.0 * (p.f[3] - kY) * kOmega[3];
  so_far *= -std::sin(p.f[2]);
  EXPECT_NEAR(passes.backward.d_f[2].item(), so_far, 1e-12);
  so_far *= kOmega[2];
  EXPECT_NEAR(passes.backward.d_h[2].item(), so_far, 1e-12);
  so_far *= std::exp(p.f[1]);
  EXPECT_NEAR(passes.backward.d_f[1].item(), so_far, 1e-12);
  so_far *= kOmega[1];
  EXPECT_NEAR(passes.backward.d_h[1].item(), so_far, 1e-12);
  so_far *= std::cos(p.f[0]);
  EXPECT_NEAR(passes.backward.d_f[0].item(), so_far, 1e-12);
}

TEST(Udl07, Eq14_DerivativesByTheParameters) {
  const Passes passes;
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(passes.backward.d_beta[k].item(), beta_slope(k), 1e-7) << k;
    EXPECT_NEAR(passes.backward.d_omega[k].item(), omega_slope(k), 1e-7) << k;
  }
}

TEST(Udl07, Eq15_FactorsOfTheParameters) {
  const Passes passes;
  const PlainForward p = plain_forward();
  for (std::size_t k = 1; k < 4; ++k) {
    const double d_f = passes.backward.d_f[k].item();
    EXPECT_NEAR(passes.backward.d_beta[k].item(), d_f, 1e-14) << k;
    EXPECT_NEAR(passes.backward.d_omega[k].item(), p.h[k] * d_f, 1e-12) << k;
  }
}

TEST(Udl07, Eq16_FactorsOfTheFirstParameters) {
  const Passes passes;
  const double d_f = passes.backward.d_f[0].item();
  EXPECT_NEAR(passes.backward.d_beta[0].item(), d_f, 1e-14);
  EXPECT_NEAR(passes.backward.d_omega[0].item(), kX * d_f, 1e-12);
}

TEST(Udl07, Eq9_ToyPassesAreTheWorkedExample) {
  LIKELY_SHARED_DATA(file, "udl_golden/udl_golden.json");
  const std::string at = "/ch07_toy_backprop/";
  const auto value = [&](const std::string& name) { return golden_number(file, at + name); };
  const book::ToyFunction f{tensor(golden_numbers(file, at + "beta")),
                            tensor(golden_numbers(file, at + "omega"))};
  const Tensor y = number(value("y"));
  const book::ToyForward forward = book::toy_forward(f, number(value("x")), y);
  const book::ToyBackward backward = book::toy_backward(f, forward, y);
  EXPECT_NEAR(forward.loss.item(), value("forward/loss"), 1e-10);
  for (std::size_t k = 0; k < 4; ++k) {
    const std::string index = std::to_string(k);
    EXPECT_NEAR(forward.f[k].item(), value("forward/f" + index), 1e-10) << k;
    if (k > 0) {
      EXPECT_NEAR(forward.h[k].item(), value("forward/h" + index), 1e-10) << k;
    }
    EXPECT_NEAR(backward.d_beta[k].item(), value("grads/beta" + index), 1e-10) << k;
    EXPECT_NEAR(backward.d_omega[k].item(), value("grads/omega" + index), 1e-10) << k;
  }
}

double plain_branching(double x) {
  const double inner = std::exp(x) + std::exp(x) * std::exp(x);
  return std::exp(inner) + std::sin(inner);
}
const Vector kPlaces{-1.5, -0.3, 0.0, 0.2};

TEST(Udl07, Eq44_BranchingFunction) {
  Vector expected;
  for (const double x : kPlaces) expected.push_back(plain_branching(x));
  expect_close("y", book::branching_function(tensor(kPlaces)).y, expected, 1e-13);
}

TEST(Udl07, Eq45_ItsParts) {
  for (const double x : kPlaces) {
    const book::Branching at = book::branching_function(number(x));
    const double f1 = std::exp(x), f2 = f1 * f1, f3 = f1 + f2;
    expect_close("parts", Vector{at.f1.item(), at.f2.item(), at.f3.item(), at.f4.item(), at.f5.item()},
                 Vector{f1, f2, f3, std::exp(f3), std::sin(f3)}, 1e-13);
    EXPECT_NEAR(at.y.item(), at.f4.item() + at.f5.item(), 1e-13);
  }
}

TEST(Udl07, Eq46_FromTheEndToTheBeginning) {
  for (const double x : kPlaces) {
    const book::BranchingReverse d = book::branching_reverse(number(x));
    const double f1 = std::exp(x), f2 = f1 * f1, f3 = f1 + f2;
    const auto from_f3 = [](double at) { return std::exp(at) + std::sin(at); };
    EXPECT_EQ(d.f5.item(), 1.0);
    EXPECT_EQ(d.f4.item(), 1.0);
    const Vector expected{slope(from_f3, f3), slope([&](double at) { return from_f3(f1 + at); }, f2),
                          slope([&](double at) { return from_f3(at + at * at); }, f1),
                          slope(plain_branching, x)};
    expect_close("dy", Vector{d.f3.item(), d.f2.item(), d.f1.item(), d.x.item()}, expected, 1e-8);
    EXPECT_NEAR(d.x.item(),
                grad(number(x), [](const Tensor& t) { return book::branching_function(t).y; }).item(),
                1e-12 * std::abs(d.x.item()));
  }
}

TEST(Udl07, Eq47_FromTheBeginningToTheEnd) {
  for (const double x : kPlaces) {
    const book::Branching d = book::branching_forward(number(x));
    const auto inner = [](double at) { return std::exp(at) + std::exp(2.0 * at); };
    const Vector expected{slope([](double at) { return std::exp(at); }, x),
                          slope([](double at) { return std::exp(2.0 * at); }, x),
                          slope(inner, x),
                          slope([&](double at) { return std::exp(inner(at)); }, x),
                          slope([&](double at) { return std::sin(inner(at)); }, x),
                          slope(plain_branching, x)};
    expect_close("d/dx", Vector{d.f1.item(), d.f2.item(), d.f3.item(), d.f4.item(), d.f5.item(), d.y.item()},
                 expected, 1e-8);
  }
}

}  // namespace
}  // namespace likely
