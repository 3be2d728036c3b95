#include "likely/models/book/chapter_03/networks.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "likely/ops/arithmetic.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/tree/tree.hpp"

namespace likely::book {

namespace {

void check_joints(const NetworkOptions& o) {
  if (!std::isfinite(o.joints_low) || !std::isfinite(o.joints_high) || o.joints_low >= o.joints_high)
    refuse("NetworkOptions", "joints_low must be below joints_high, got " + std::to_string(o.joints_low) +
                                 " and " + std::to_string(o.joints_high));
}

// The layers of a network of these sizes, D_i, D_1, ..., D_K, D_o.
std::vector<nn::Linear> make_layers(const std::vector<std::int64_t>& sizes, const NetworkOptions& options,
                                    Rng rng) {
  check_joints(options);
  std::vector<nn::Linear> layers;
  for (std::size_t k = 0; k + 1 < sizes.size(); ++k) {
    const bool last = k + 2 == sizes.size();
    layers.emplace_back(
        sizes[k], sizes[k + 1],
        nn::LinearOptions{.activation = last ? Activation::none : options.activation, .init = options.init},
        rng.split());
  }
  if (layers.size() > 1) {  // theta_0 = -theta c: the joint goes through c
    const Tensor c = rng.uniform(layers[0].weight.shape(), options.joints_low, options.joints_high);
    layers[0].bias = -sum(layers[0].weight * c, 1);
  }
  return cast_parts(layers, options.dtype);
}

void check_fit(const char* network, const std::vector<nn::Linear>& layers) {
  if (layers.empty()) refuse(network, "at least one layer is needed");
  for (std::size_t k = 0; k < layers.size(); ++k) {
    if (!layers[k].bias.defined()) refuse(network, "layer " + std::to_string(k) + " has no bias");
    if (k > 0 && layers[k].weight.dim(1) != layers[k - 1].weight.dim(0)) {
      refuse(network, "layer " + std::to_string(k) + " takes " + std::to_string(layers[k].weight.dim(1)) +
                          " numbers, the one before gives " + std::to_string(layers[k - 1].weight.dim(0)));
    }
  }
  if (layers.back().activation != Activation::none) {
    refuse(network,
           "the last layer must have no activation, got " + std::string(name_of(layers.back().activation)));
  }
}

ShallowNetwork as_shallow(const std::vector<nn::Linear>& layers) { return {layers[0], layers[1]}; }

}  // namespace

nn::Linear layer_of(const Tensor& weight, const Tensor& bias, Activation activation) {
  if (weight.rank() != 2 || bias.rank() != 1 || bias.dim(0) != weight.dim(0)) {
    refuse("layer_of", "the weight must be (out, in) and the bias (out,), got " + weight.shape().string() +
                           " and " + bias.shape().string());
  }
  nn::Linear layer(weight.dim(1), weight.dim(0), {.activation = activation, .init = nn::Init::zero}, Rng(0));
  layer.weight = weight;
  layer.bias = bias;
  return layer;
}

ShallowNetwork::ShallowNetwork(nn::Linear hidden_layer, nn::Linear out_layer)
    : hidden(std::move(hidden_layer)), out(std::move(out_layer)) {
  check_fit("ShallowNetwork", {hidden, out});
}

ShallowNetwork::ShallowNetwork(std::int64_t inputs, std::int64_t units, std::int64_t outputs,
                               const NetworkOptions& options, Rng rng)
    : ShallowNetwork(as_shallow(make_layers({inputs, units, outputs}, options, rng))) {}

DeepNetwork::DeepNetwork(std::vector<nn::Linear> given) : layers(std::move(given)) {
  check_fit("DeepNetwork", layers);
}

DeepNetwork::DeepNetwork(const ShallowNetwork& shallow)
    : DeepNetwork(std::vector<nn::Linear>{shallow.hidden, shallow.out}) {}

DeepNetwork::DeepNetwork(std::int64_t inputs, const std::vector<std::int64_t>& units, std::int64_t outputs,
                         const NetworkOptions& options, Rng rng) {
  std::vector<std::int64_t> sizes{inputs};
  sizes.insert(sizes.end(), units.begin(), units.end());
  sizes.push_back(outputs);
  layers = make_layers(sizes, options, rng);
}

Tensor DeepNetwork::operator()(const Tensor& x) const {
  Tensor h = x;
  for (const nn::Linear& layer : layers) h = layer(h);
  return h;
}

std::vector<Tensor> DeepNetwork::hidden_units(const Tensor& x) const {
  std::vector<Tensor> units;
  for (std::size_t k = 0; k + 1 < layers.size(); ++k)
    units.push_back(layers[k](units.empty() ? x : units.back()));
  return units;
}

DeepNetwork compose(const DeepNetwork& first, const DeepNetwork& second) {
  const nn::Linear& end = first.layers.back();
  const nn::Linear& begin = second.layers.front();
  if (end.weight.dim(0) != begin.weight.dim(1)) {
    refuse("compose", "the first network has " + std::to_string(end.weight.dim(0)) +
                          " outputs, the second takes " + std::to_string(begin.weight.dim(1)));
  }
  std::vector<nn::Linear> layers(first.layers.begin(), first.layers.end() - 1);
  layers.push_back(layer_of(matmul(begin.weight, end.weight), begin.bias + matmul(begin.weight, end.bias),
                            begin.activation));
  layers.insert(layers.end(), second.layers.begin() + 1, second.layers.end());
  return DeepNetwork(std::move(layers));
}

DeepNetwork compose(const ShallowNetwork& first, const ShallowNetwork& second) {
  return compose(DeepNetwork(first), DeepNetwork(second));
}

}  // namespace likely::book
