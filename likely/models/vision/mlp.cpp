#include "likely/models/vision/mlp.hpp"

#include <fmt/format.h>

#include "likely/ops/view.hpp"

namespace likely::vision {

namespace {

const std::vector<std::int64_t>& checked(const std::vector<std::int64_t>& widths) {
  if (widths.size() < 2)
    refuse("Mlp", fmt::format("at least the widths of inputs and outputs are needed, got {}", widths.size()));
  return widths;
}

std::vector<nn::Linear> hidden_layers(const std::vector<std::int64_t>& widths, nn::Init init, Rng& rng) {
  std::vector<nn::Linear> layers;
  for (std::size_t i = 0; i + 2 < widths.size(); ++i) {
    layers.emplace_back(widths[i], widths[i + 1],
                        nn::LinearOptions{.activation = Activation::relu, .init = init}, rng.split());
  }
  return layers;
}

}  // namespace

Mlp::Mlp(const std::vector<std::int64_t>& widths, const MlpOptions& options, Rng rng)
    : hidden(hidden_layers(checked(widths), options.init, rng)),
      out(widths[widths.size() - 2], widths.back(), {.init = options.init}, rng.split()),
      drop_inputs(options.input_dropout),
      drop_hidden(options.hidden_dropout) {}

Tensor Mlp::operator()(const Tensor& x) const {
  Tensor h = flatten(x, 1);
  for (const nn::Linear& layer : hidden) h = layer(h);
  return out(h);
}

Tensor Mlp::operator()(const Tensor& x, const Training& training) const {
  Tensor h = flatten(x, 1);
  if (drop_inputs.p > 0.0) h = drop_inputs(h, training);
  for (const nn::Linear& layer : hidden) {
    h = layer(h);
    if (drop_hidden.p > 0.0) h = drop_hidden(h, training);
  }
  return out(h);
}

std::vector<LayerOutput> Mlp::layers(const Tensor& x) const {
  std::vector<LayerOutput> outputs;
  Tensor h = flatten(x, 1);
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    h = hidden[i](h);
    outputs.push_back({fmt::format("hidden layer {}", i + 1), h});
  }
  outputs.push_back({"scores", out(h)});
  return outputs;
}

}  // namespace likely::vision
