// Chapter 9: what gradient descent with steps of finite length adds to the loss.
#include <gtest/gtest.h>

#include <cmath>

#include "likely/likely.hpp"
#include "likely/models/book/chapter_09/gradient_flow.hpp"
#include "tests/support/plain_math.hpp"

namespace likely {
namespace {

using testing::dot_product;
using testing::expect_close;
using testing::gradient;
using testing::Matrix;
using testing::plus;
using testing::slopes;
using testing::times;
using testing::Vector;
using testing::vector_of;

// A loss that is neither quadratic nor symmetric, with likely and without.
Tensor bent(const Tensor& p) { return sum(0.3 * square(square(p)) + sin(p)) + 0.2 * square(sum(p)); }
double plain_bent(const Vector& p) {
  double total = 0.0, result = 0.0;
  for (const double each : p) {
    total += each;
    result += 0.3 * std::pow(each, 4) + std::sin(each);
  }
  return result + 0.2 * total * total;
}
Vector bent_slope(const Vector& p) {  // by hand
  double total = 0.0;
  for (const double each : p) total += each;
  Vector result;
  for (const double each : p) result.push_back(1.2 * std::pow(each, 3) + std::cos(each) + 0.4 * total);
  return result;
}

const Vector kStart{0.7, -0.4, 1.1};
const std::function<Tensor(const Tensor&)> kBent = bent;

double distance(const Tensor& a, const Vector& b) {
  const Vector difference = plus(vector_of(a), b, -1.0);
  return std::sqrt(dot_product(difference, difference));
}

// For L = (a phi_0^2 + b phi_1^2) / 2 the flow is e^-at, e^-bt.
TEST(Udl09, Eq6_GradientFlow) {
  const Vector curvature{0.5, 2.0}, start{1.5, -0.8};
  const book::Field g =
      book::descent_field([&](const Tensor& phi) { return 0.5 * sum(tensor(curvature) * square(phi)); });
  expect_close("g", g(tensor(start)), Vector{-0.75, 1.6}, 1e-14);
  for (const double time : {0.3, 2.0}) {
    expect_close("flow", book::flow(g, tensor(start), time, 200),
                 Vector{1.5 * std::exp(-0.5 * time), -0.8 * std::exp(-2.0 * time)}, 1e-9);
  }
}

TEST(Udl09, Eq7_GradientDescent) {
  const double alpha = 0.1;
  const Vector expected = plus(kStart, gradient(plain_bent, kStart), -alpha);
  Tensor phi = tensor(kStart);
  const Tensor slope = grad(phi, bent);
  optim::Sgd(phi, {.lr = alpha}).step(phi, slope);
  expect_close("Sgd", phi, expected, 1e-9);
  expect_close("Euler", book::euler_step(book::descent_field(kBent), tensor(kStart), alpha), expected, 1e-9);
}

TEST(Udl09, Eq8_WhatGradientDescentAdds) {
  const double alpha = 0.1;
  const Vector slope = gradient(plain_bent, kStart);
  const Tensor loss = bent(tensor(kStart)) + nn::implicit_gd(tensor(kStart), bent, alpha);
  EXPECT_NEAR(loss.item(), plain_bent(kStart) + alpha / 4.0 * dot_product(slope, slope), 1e-8);
}

// The losses of B batches of a line's squared errors, and of all together.
struct Batches {
  Vector x{-1.0, -0.4, 0.3, 0.9, 1.4, 2.0}, y{0.2, -0.3, 0.8, 1.1, 0.4, 2.2};
  double plain(std::size_t first, std::size_t count,
               const Vector& phi) const {  // the mean over some examples
    double total = 0.0;
    for (std::size_t i = first; i < first + count; ++i) total += std::pow(phi[0] + phi[1] * x[i] - y[i], 2);
    return total / static_cast<double>(count);
  }
  std::vector<std::function<Tensor(const Tensor&)>> losses() const {
    std::vector<std::function<Tensor(const Tensor&)>> result;
    const data::Dataset all(tensor(x), tensor(y));
    for (const data::Batch& batch : all.batches(2)) {
      result.emplace_back([batch](const Tensor& phi) {
        return mean(square(select(phi, 0, 0) + select(phi, 0, 1) * batch.x - batch.y));
      });
    }
    return result;
  }
};

TEST(Udl09, Eq9_WhatStochasticGradientDescentAdds) {
  const Batches batches;
  const double alpha = 0.1;
  const Vector phi{0.3, -0.6};
  const Vector all = gradient([&](const Vector& at) { return batches.plain(0, 6, at); }, phi);
  double spread = 0.0;
  for (std::size_t b = 0; b < 3; ++b) {
    const Vector one = gradient([&](const Vector& at) { return batches.plain(2 * b, 2, at); }, phi);
    const Vector off = plus(one, all, -1.0);
    spread += dot_product(off, off);
  }
  const double expected = alpha / 4.0 * dot_product(all, all) + alpha / (4.0 * 3.0) * spread;
  EXPECT_NEAR(nn::implicit_sgd(tensor(phi), batches.losses(), alpha).item(), expected, 1e-8);
}

TEST(Udl09, Eq10_TheLossIsTheMeanOfTheBatches) {
  const Batches batches;
  const Vector phi{0.3, -0.6};
  const auto losses = batches.losses();
  ASSERT_EQ(losses.size(), 3U);
  double total = 0.0;
  for (std::size_t b = 0; b < 3; ++b) {
    EXPECT_NEAR(losses[b](tensor(phi)).item(), batches.plain(2 * b, 2, phi), 1e-13);
    total += losses[b](tensor(phi)).item() / 3.0;
  }
  EXPECT_NEAR(total, batches.plain(0, 6, phi), 1e-13);
  // With batches of 4 and 2 it is not; weighted by their rows, as evaluate does, they give L again.
  EXPECT_GT(std::abs(0.5 * (batches.plain(0, 4, phi) + batches.plain(4, 2, phi)) - batches.plain(0, 6, phi)),
            0.1);
  const data::Dataset all(tensor(batches.x), tensor(batches.y));
  const auto batch_loss = [](const Tensor& at, const data::Batch& batch) {
    return mean(square(select(at, 0, 0) + select(at, 0, 1) * batch.x - batch.y));
  };
  for (const std::int64_t size : {1, 2, 4, 6})
    EXPECT_NEAR(train::evaluate(tensor(phi), all, batch_loss, size), batches.plain(0, 6, phi), 1e-13) << size;
  // What (9.9) needs of it: with one batch nothing is added for the spread, and L's own part is (9.8).
  const std::vector<std::function<Tensor(const Tensor&)>> one{
      [&](const Tensor& at) { return batch_loss(at, all.all()); }};
  const Vector slope = gradient([&](const Vector& at) { return batches.plain(0, 6, at); }, phi);
  EXPECT_NEAR(nn::implicit_sgd(tensor(phi), one, 0.1).item(), 0.1 / 4.0 * dot_product(slope, slope), 1e-8);
}

// Growth with a limit, g = phi (1 - phi): known flow, known derivatives, and not the slope of a loss we use.
const book::Field kGrowth = [](const Tensor& phi) { return phi * (1.0 - phi); };
double plain_growth(double phi) { return phi * (1.0 - phi); }
double growth_flow(double phi, double time) {
  return phi * std::exp(time) / (1.0 - phi + phi * std::exp(time));
}
double growth_correction(double phi) { return -0.5 * (1.0 - 2.0 * phi) * plain_growth(phi); }  // by hand
constexpr double kPhi = 0.3;
Tensor phi_0() { return tensor({kPhi}, DType::f64); }

TEST(Udl09, Eq14_Step) {
  EXPECT_NEAR(book::euler_step(kGrowth, phi_0(), 0.2).item(), kPhi + 0.2 * plain_growth(kPhi), 1e-15);
}

TEST(Udl09, Eq15_Flow) {
  for (const double time : {0.2, 1.0, 4.0}) {
    EXPECT_NEAR(book::flow(kGrowth, phi_0(), time, 200).item(), growth_flow(kPhi, time), 1e-10) << time;
  }
}

// A step of length alpha is off the flow of g by O(alpha^2), off that of g + alpha g_1 by O(alpha^3): halving
// alpha divides the error by 4 and by 8.
TEST(Udl09, Eq16_ModifiedFlow) {
  const auto error = [](const book::Field& g, double alpha) {
    return std::abs(book::flow(g, phi_0(), alpha).item() - (kPhi + alpha * plain_growth(kPhi)));
  };
  const auto corrected = [&](double alpha) { return error(book::modified_field(kGrowth, alpha), alpha); };
  EXPECT_NEAR(error(kGrowth, 0.02) / error(kGrowth, 0.01), 4.0, 0.1);
  EXPECT_NEAR(corrected(0.02) / corrected(0.01), 8.0, 0.3);
  EXPECT_LT(corrected(0.02), 0.05 * error(kGrowth, 0.02));
  // With another sign or another factor it does no good.
  const book::Field wrong = [](const Tensor& phi) {
    return kGrowth(phi) - 0.02 * book::flow_correction(kGrowth, phi);
  };
  EXPECT_GT(error(wrong, 0.02), 1.5 * error(kGrowth, 0.02));
}

// The last line of the expansion holds to O(alpha^3). (So does the third line, where = should read ≈: the
// velocity there is g + alpha g_1, not g.)
TEST(Udl09, Eq17_Expansion) {
  const double g = plain_growth(kPhi), g1 = growth_correction(kPhi), slope = 1.0 - 2.0 * kPhi;
  const double g1_slope = testing::slope(growth_correction, kPhi);
  const auto flow = [](double alpha) {
    return book::flow(book::modified_field(kGrowth, alpha), phi_0(), alpha).item();
  };
  const auto last = [&](double alpha) { return kPhi + alpha * g + alpha * alpha * (g1 + 0.5 * slope * g); };
  const auto second = [&](double alpha) {
    const double velocity = g + alpha * g1;
    return kPhi + alpha * velocity + alpha * alpha / 2.0 * (slope * velocity + alpha * g1_slope * velocity);
  };
  const auto third = [&](double alpha) {
    return kPhi + alpha * (g + alpha * g1) + alpha * alpha / 2.0 * (slope * g + alpha * g1_slope * g);
  };
  EXPECT_NEAR((flow(0.02) - last(0.02)) / (flow(0.01) - last(0.01)), 8.0, 0.3);
  EXPECT_NEAR((flow(0.02) - second(0.02)) / (flow(0.01) - second(0.01)), 8.0, 0.3);
  EXPECT_NEAR((second(0.02) - third(0.02)) / (second(0.01) - third(0.01)), 8.0, 0.3);
  EXPECT_GT(std::abs(second(0.02) - third(0.02)), 1e-8);
}

TEST(Udl09, Eq18_Correction) {
  EXPECT_NEAR(book::flow_correction(kGrowth, phi_0()).item(), growth_correction(kPhi), 1e-14);
  // In several dimensions, for a field that is no gradient: the matrix must not be transposed.
  const book::Field turning = [](const Tensor& phi) {
    const Tensor a = select(phi, 0, 0), b = select(phi, 0, 1);
    return stack({a * b, sin(a) - b});
  };
  const auto plain = [](const Vector& p) { return Vector{p[0] * p[1], std::sin(p[0]) - p[1]}; };
  const Vector at{0.6, -1.2};
  const Matrix by_input = slopes(plain, at);  // [i][j]: of output j by input i
  Vector expected = times(testing::transposed(by_input), plain(at));
  for (double& each : expected) each *= -0.5;
  expect_close("g_1", book::flow_correction(turning, tensor(at)), expected, 1e-8);
}

TEST(Udl09, Eq19_ModifiedFlowOfALoss) {
  const double alpha = 0.1;
  const Matrix hessian = slopes(bent_slope, kStart);
  const Vector slope = bent_slope(kStart);
  const Vector expected = plus(plus(Vector(3), slope, -1.0), times(hessian, slope), -alpha / 2.0);
  expect_close("dphi/dt", book::modified_field(book::descent_field(kBent), alpha)(tensor(kStart)), expected,
               1e-8);
}

TEST(Udl09, Eq20_ItIsTheFlowOfAnotherLoss) {
  const double alpha = 0.1;
  const auto plain = [&](const Vector& p) {
    const Vector slope = bent_slope(p);
    return plain_bent(p) + alpha / 4.0 * dot_product(slope, slope);
  };
  const Vector expected = plus(Vector(3), gradient(plain, kStart), -1.0);
  const auto with_term = [&](const Tensor& p) { return bent(p) + nn::implicit_gd(p, bent, alpha); };
  expect_close("of the loss", book::descent_field(with_term)(tensor(kStart)), expected, 1e-8);
  expect_close("modified", book::modified_field(book::descent_field(kBent), alpha)(tensor(kStart)), expected,
               1e-8);
  // And steps of the loss alone follow it: an error of order alpha^3.
  const auto error = [&](double rate) {
    const auto loss = [&](const Tensor& p) { return bent(p) + nn::implicit_gd(p, bent, rate); };
    return distance(book::flow(book::descent_field(loss), tensor(kStart), rate),
                    plus(kStart, bent_slope(kStart), -rate));
  };
  EXPECT_NEAR(error(0.01) / error(0.005), 8.0, 0.4);
}

}  // namespace
}  // namespace likely
