#include "likely/models/vision/shattered_gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/nn/initialize.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/linear.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::vision {

namespace {

// What a branch adds, in units of the variance that comes in: layers count from 1.
double added_variance(Wiring wiring, std::int64_t layer) {
  return wiring == Wiring::normalized ? 1.0 / static_cast<double>(layer) : 1.0;
}

// The correlation of the derivatives at two inputs that lie `between` apart, for a network of infinite width.
// There y is a Gaussian process whose covariance c is the cosine of the angle between the inputs, mapped by
// each layer with the arc-cosine kernel of order 1, k(c). The derivatives' covariance is that one's
// derivative by both inputs, which is minus the second by the angle; at angle 0 it is 1.
double expected_correlation(const ShatteringOptions& o, double between) {
  double c = std::cos(between);
  double first = -std::sin(between);
  double second = -c;
  for (std::int64_t layer = 1; layer <= o.layers; ++layer) {
    const double angle = std::acos(std::clamp(c, -1.0, 1.0));
    const double slope = 1.0 - angle / std::numbers::pi;  // k'; and k'' is 1 / (pi sin)
    const double bend = angle > 0.0 ? first * first / (std::numbers::pi * std::sin(angle)) : 0.0;
    const double mapped = std::sin(angle) / std::numbers::pi + slope * std::cos(angle);
    const double share = o.wiring == Wiring::plain
                             ? 1.0
                             : added_variance(o.wiring, layer) / (1.0 + added_variance(o.wiring, layer));
    second = (1.0 - share) * second + share * (bend + slope * second);
    first = (1.0 - share) * first + share * slope * first;
    c = (1.0 - share) * c + share * mapped;
  }
  return -second;
}

}  // namespace

RandomNet::RandomNet(std::int64_t layers, std::int64_t width, Wiring chosen, Rng rng)
    : wiring(chosen), depth(layers) {
  if (layers < 1 || width < 1)
    refuse("RandomNet", fmt::format("layers and width must be at least 1, got {} and {}", layers, width));
  first = rng.split().normal({width, 2});
  const std::int64_t between = wiring == Wiring::plain ? layers - 1 : layers;
  for (std::int64_t i = 0; i < between; ++i) inner.push_back(nn::he_normal({width, width}, rng.split()));
  out = rng.split().normal({1, width}, 0.0, 1.0 / std::sqrt(static_cast<double>(width)));
}

Tensor RandomNet::operator()(const Tensor& x) const {
  Tensor h = linear(stack({cos(x), sin(x)}, 1), first);
  if (wiring == Wiring::plain) {
    h = relu(h);
    for (const Tensor& w : inner) h = linear(h, w, {}, Activation::relu);
  } else {
    std::int64_t layer = 1;
    for (const Tensor& w : inner) {
      h = h + linear(relu(h), w) * std::sqrt(added_variance(wiring, layer));
      ++layer;
    }
  }
  return reshape(linear(h, out), {-1});
}

Tensor input_gradient(const RandomNet& net, const Tensor& x) {
  // Each output depends on its own input only: the gradient of the sum holds all the derivatives.
  return grad(x, [&](const Tensor& inputs) { return sum(net(inputs)); });
}

Shattering shattered_gradients(const ShatteringOptions& o, Rng rng) {
  if (o.networks < 1)
    refuse("shattered_gradients", fmt::format("at least 1 network is needed, got {}", o.networks));
  if (o.points < 2)
    refuse("shattered_gradients", fmt::format("at least 2 points are needed, got {}", o.points));
  if (o.lags < 1 || o.lags > o.points)
    refuse("shattered_gradients", fmt::format("lags must lie in [1, {}], got {}", o.points, o.lags));
  Shattering result;
  result.x = linspace(o.first, o.last, o.points);
  const auto points = static_cast<std::size_t>(o.points);
  const auto lags = static_cast<std::size_t>(o.lags);
  std::vector<double> products(lags, 0.0);
  for (std::int64_t n = 0; n < o.networks; ++n) {
    give_up_if(o.cancelled);
    const RandomNet net(o.layers, o.width, o.wiring, rng.split());
    const Tensor gradient = input_gradient(net, result.x);
    const std::vector<double> g = gradient.to(DType::f64).to_vector<double>();
    double square = 0.0;
    for (const double value : g) square += value * value / static_cast<double>(points);
    if (n == 0) result.gradient = gradient / std::sqrt(square);
    for (std::size_t lag = 0; lag < lags; ++lag) {
      double total = 0.0;
      for (std::size_t i = 0; i + lag < points; ++i) total += g[i] * g[i + lag];
      products[lag] += total / static_cast<double>(points - lag);
    }
  }
  std::vector<double> distance(lags);
  std::vector<double> correlation(lags);
  std::vector<double> expected(lags);
  for (std::size_t lag = 0; lag < lags; ++lag) {
    distance[lag] = static_cast<double>(lag) * (o.last - o.first) / static_cast<double>(points - 1);
    correlation[lag] = products[lag] / products[0];
    expected[lag] = expected_correlation(o, distance[lag]);
  }
  result.lag = tensor(distance);
  result.autocorrelation = tensor(correlation);
  result.expected = tensor(expected);
  return result;
}

}  // namespace likely::vision
