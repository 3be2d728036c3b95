// The linear regions that a network of ReLUs really has.
#pragma once

#include <cstdint>
#include <vector>

#include "likely/models/book/chapter_03/networks.hpp"

namespace likely::book {

// A part of the input space in which each hidden unit is on or off throughout, so that the outputs are linear
// in the inputs: between two points, or a convex polygon.
struct Region {
  std::vector<std::vector<double>> corners;  // points of the input space; those of a polygon in turn
  std::vector<std::vector<double>> outputs;  // of the network, at the corners
  std::vector<bool> on;                      // the hidden units, layer after layer
};

// All regions of a segment (two corners) or of a flat convex polygon (three or more, in turn) of the input
// space, exactly: each unit cuts the regions of the units before it where its input is 0. A shallow network
// is looked at as DeepNetwork(shallow). Computes in f64. Parts that are thinner than rounding errors are left
// out. Refuses activations that are not relu, corners that are not points of the input space, and what is
// neither a segment nor a flat convex polygon.
std::vector<Region> linear_regions(const DeepNetwork& network,
                                   const std::vector<std::vector<double>>& corners);

// In how many different ways the hidden units are on (input above 0) or off at the rows of x (rows, D_i): a
// lower bound of the number of regions, for any activation and any number of inputs.
std::int64_t count_patterns(const DeepNetwork& network, const Tensor& x);

}  // namespace likely::book
