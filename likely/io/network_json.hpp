// Descriptions of networks (nn/description.hpp) as JSON.
//
//   [{"layer": "conv2d", "out": 16, "kernel": [3, 1], "padding": "same"},
//    {"layer": "residual", "body": [{"layer": "relu"}]}, {"layer": "flatten"}, {"layer": "linear", "out":
//    10}]
//
//   nn::Network model = nn::network(io::description_from_json(text), {1, 28, 28}, rng.split());
#pragma once

#include <string>
#include <string_view>

#include "likely/nn/description.hpp"

namespace likely::io {

// Refuses what is not JSON or not of this form, by the number of the layer. Whether there are such layers and
// settings is asked when the network is made.
nn::Description description_from_json(std::string_view text);

// The text, a layer a line. Numbers, true and false are written as such.
std::string description_json(const nn::Description& description);

}  // namespace likely::io
