#include "likely/models/vision/shattered_gradients.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::vision {
namespace {

using likely::testing::expect_refusal;

class EachWiring : public ::testing::TestWithParam<Wiring> {};
INSTANTIATE_TEST_SUITE_P(All, EachWiring,
                         ::testing::Values(Wiring::plain, Wiring::residual, Wiring::normalized));

// The derivative as a product of Jacobians, (11.3) and (11.6), in plain loops.
TEST_P(EachWiring, DerivativeIsTheProductOfTheLayersJacobians) {
  const std::int64_t width = 7;
  const std::int64_t layers = 4;
  const RandomNet net(layers, width, GetParam(), Rng(3));
  ASSERT_EQ(net.inner.size(), GetParam() == Wiring::plain ? 3U : 4U);
  const Tensor x = linspace(-2.0, 2.0, 9);
  const std::vector<float> found = input_gradient(net, x).to_vector<float>();
  const std::vector<float> w = net.first.to_vector<float>();
  const std::vector<float> v = net.out.to_vector<float>();
  for (std::size_t row = 0; row < 9; ++row) {
    const double place = -2.0 + 0.5 * static_cast<double>(row);
    std::vector<double> h(width);
    std::vector<double> slope(width);  // dh / dx
    for (std::size_t i = 0; i < width; ++i) {
      h[i] = w[2 * i] * std::cos(place) + w[2 * i + 1] * std::sin(place);
      slope[i] = -w[2 * i] * std::sin(place) + w[2 * i + 1] * std::cos(place);
    }
    const auto rectify = [&](std::vector<double>& value, std::vector<double>& derivative) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i] > 0.0) continue;
        value[i] = 0.0;
        derivative[i] = 0.0;
      }
    };
    for (std::size_t layer = 0; layer < net.inner.size(); ++layer) {
      const std::vector<float> matrix = net.inner[layer].to_vector<float>();
      std::vector<double> value = h;
      std::vector<double> derivative = slope;
      rectify(value, derivative);
      const double scale =
          GetParam() == Wiring::normalized ? 1.0 / std::sqrt(static_cast<double>(layer + 1)) : 1.0;
      for (std::size_t i = 0; i < width; ++i) {
        double sum_h = 0.0;
        double sum_slope = 0.0;
        for (std::size_t j = 0; j < width; ++j) {
          sum_h += scale * matrix[i * width + j] * value[j];
          sum_slope += scale * matrix[i * width + j] * derivative[j];
        }
        const double keeps = GetParam() == Wiring::plain ? 0.0 : 1.0;
        h[i] = keeps * h[i] + sum_h;
        slope[i] = keeps * slope[i] + sum_slope;
      }
    }
    if (GetParam() == Wiring::plain) rectify(h, slope);
    double expected = 0.0;
    for (std::size_t i = 0; i < width; ++i) expected += v[i] * slope[i];
    EXPECT_NEAR(found[row], expected, 1e-4 * std::max(1.0, std::abs(expected)));
  }
}

TEST_P(EachWiring, AutocorrelationIsThatOfWideNetworks) {
  const Shattering found = shattered_gradients({.layers = 5,
                                                .width = 100,
                                                .wiring = GetParam(),
                                                .points = 17,
                                                .first = 0.0,
                                                .last = 4.0,
                                                .lags = 9,
                                                .networks = 1000},
                                               Rng(1));
  EXPECT_DOUBLE_EQ(found.autocorrelation.to_vector<double>()[0], 1.0);
  EXPECT_DOUBLE_EQ(found.lag.to_vector<double>()[8], 2.0);
  EXPECT_LT(max(abs(found.autocorrelation - found.expected)).item(), 0.06);
  EXPECT_NEAR(mean(square(found.gradient)).item(), 1.0, 1e-4);
}

// In a shallow network the covariance of y is k(cos x) itself, so that of dy / dx is minus its second
// derivative: (1 - x / pi) cos x - sin x / pi.
TEST(ShatteredGradients, OfAShallowNetworkHaveAKnownAutocorrelation) {
  const Shattering found = shattered_gradients(
      {.layers = 1, .width = 10, .points = 9, .first = 0.0, .last = 2.0, .lags = 9, .networks = 1}, Rng(1));
  const std::vector<double> expected = found.expected.to_vector<double>();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double x = 0.25 * static_cast<double>(i);
    EXPECT_NEAR(expected[i], (1.0 - x / M_PI) * std::cos(x) - std::sin(x) / M_PI, 1e-9) << x;
  }
}

// What the chapter says: depth makes nearby derivatives unrelated, residual connections keep them related.
TEST(ShatteredGradients, DepthShattersAndResidualConnectionsDoNot) {
  const auto at_lag = [](std::int64_t layers, Wiring wiring) {
    const Shattering found = shattered_gradients(
        {.layers = layers, .width = 100, .wiring = wiring, .points = 31, .lags = 4, .networks = 60}, Rng(2));
    return found.autocorrelation.to_vector<double>()[3];
  };
  const double shallow = at_lag(1, Wiring::plain);
  const double deep = at_lag(24, Wiring::plain);
  const double residual = at_lag(24, Wiring::residual);
  const double normalized = at_lag(24, Wiring::normalized);
  EXPECT_GT(shallow, 0.6);
  EXPECT_LT(deep, 0.3);
  EXPECT_GT(residual, deep + 0.05);
  EXPECT_GT(normalized, residual + 0.1);
}

TEST(ShatteredGradients, RefusesWhatIsOutOfRange) {
  expect_refusal([] { RandomNet(0, 5, Wiring::plain, Rng(1)); },
                 "[RandomNet] layers and width must be at least 1, got 0 and 5");
  expect_refusal([] { shattered_gradients({.points = 1}, Rng(1)); },
                 "[shattered_gradients] at least 2 points are needed, got 1");
  expect_refusal([] { shattered_gradients({.points = 10, .lags = 11}, Rng(1)); },
                 "[shattered_gradients] lags must lie in [1, 10], got 11");
  expect_refusal([] { shattered_gradients({.networks = 0}, Rng(1)); },
                 "[shattered_gradients] at least 1 network is needed, got 0");
}

}  // namespace
}  // namespace likely::vision
