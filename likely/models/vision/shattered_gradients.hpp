// Shattered gradients (chapter 11; Balduzzi et al. 2017): how the derivative of a random network's output by
// its input changes with the input. In a deep network nearby derivatives have nothing to do with each other;
// residual connections keep them related.
#pragma once

#include <cstdint>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/core/parts.hpp"
#include "likely/ops/rng.hpp"

namespace likely::vision {

enum class Wiring : std::uint8_t {
  plain,       // h <- W relu(h)
  residual,    // h <- h + W relu(h): the variance doubles with every layer
  normalized,  // h <- h + W relu(h / s), s the standard deviation that h has in units of the first layer's:
               // what batch normalization at the beginning of each branch does, so that the variance grows by
               // the same amount with every layer
};

// A network with one output, as it is before training. Its inputs are the places (cos x, sin x) of a circle,
// so that all are equally far from 0 and only their distance matters. h_1 = w (cos x, sin x) with standard
// normal w; then `layers` layers with He's weights and without biases; the output is v^T h, v ~ N(0, 1 /
// width). (Of a plain network relu(h) is what is read out, so `layers` counts its relus, too.) Refuses sizes
// < 1.
struct RandomNet {
  Tensor first;  // (width, 2)
  std::vector<Tensor> inner;
  Tensor out;  // (1, width)
  Wiring wiring;
  std::int64_t depth;

  RandomNet(std::int64_t layers, std::int64_t width, Wiring wiring, Rng rng);

  // x (rows,) to (rows,).
  Tensor operator()(const Tensor& x) const;
  LIKELY_PARTS(first, inner, out)
};

// dy / dx at each x.
Tensor input_gradient(const RandomNet& net, const Tensor& x);

struct ShatteringOptions {
  std::int64_t layers = 24;
  std::int64_t width = 200;
  Wiring wiring = Wiring::plain;
  std::int64_t points = 256;  // inputs, evenly from `first` to `last`
  double first = -1.5, last = 1.5;
  std::int64_t lags = 128;     // the autocorrelation is wanted for 0, 1, ..., lags - 1 steps
  std::int64_t networks = 20;  // to average over
  CancelTest cancelled{};      // asked before each network
};

// The autocorrelation at lag k is the mean of g_i g_{i + k} over that of g_i^2, both over all networks and
// places. `expected` is its limit for wide networks: the output is a Gaussian process then, whose covariance
// follows the arc-cosine kernel (Cho and Saul 2009) from layer to layer.
struct Shattering {
  Tensor x, gradient;                     // of the first network, divided by its root mean square
  Tensor lag, autocorrelation, expected;  // the lag in units of x
};

// Refuses fewer than 2 points, lags that are not in [1, points], and sizes < 1.
Shattering shattered_gradients(const ShatteringOptions& options, Rng rng);

}  // namespace likely::vision
