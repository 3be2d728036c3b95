#include "likely/nn/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "likely/core/create.hpp"
#include "likely/nn/layer_kinds.hpp"

namespace likely::nn {

namespace {

template <class Self>
Tensor train_network(Self& self, const Tensor& x, const Training& training) {
  return naming_layers(self, [&] { return forward(self.layers, x, training); });
}

// One example without the batch.
Shape example_of(const Tensor& batch) { return batch.shape().sub(1, batch.rank()); }

// Makes layers one after the other, and sends an example through each.
class NetworkMaker {
 public:
  explicit NetworkMaker(Rng rng) : rng_(rng) {}

  // `x` is the batch of one example that the first layer gets, and then what the last one makes of it.
  Network make(const Description& description, const std::string& before, int depth, Tensor& x) {
    Network made;
    for (std::size_t i = 0; i < description.size(); ++i) {
      made.layers.push_back(make_layer(description[i], before + std::to_string(i), depth, x));
    }
    return made;
  }

 private:
  AnyLayer make_layer(const LayerDescription& described, const std::string& place, int depth, Tensor& x) {
    const detail::LayerKind* const kind = detail::find_kind(place, described.layer);
    if (kind == nullptr) return make_residual(described, place, depth, x);
    detail::check_settings(*kind, place, described);
    const Shape example = example_of(x);
    try {
      AnyLayer layer = kind->make(detail::SettingsReader(place, described), example, rng_);
      x = layer(x);
      if (x.rank() == 0 || x.dim(0) != 1)
        detail::refuse_layer(place, kind->name, "mixes the examples of a batch, whose axis is the first");
      return layer;
    } catch (const detail::DescriptionError&) {
      throw;
    } catch (const Error& error) {
      detail::refuse_layer(
          place, kind->name,
          fmt::format("does not fit examples of shape {}: {}", example.string(), error.what()),
          error.fault());
    } catch (const std::bad_alloc&) {
      detail::refuse_layer(place, kind->name, "there is no memory for it", Fault::memory);
    }
  }

  AnyLayer make_residual(const LayerDescription& described, const std::string& place, int depth, Tensor& x) {
    if (depth >= kDeepestDescription) {
      detail::refuse_layer(
          place, described.layer,
          fmt::format("residuals may lie {} deep in each other at most", kDeepestDescription));
    }
    if (!described.settings.empty()) {
      detail::refuse_layer(place, described.layer,
                           "it has no settings, only the layers of its body and shortcut");
    }
    if (described.body.empty()) detail::refuse_layer(place, described.layer, "its layers are missing");
    const Tensor given = x;
    Tensor beside = x;
    Network body = make(described.body, place + ".body.", depth + 1, x);
    Network shortcut = make(described.shortcut, place + ".shortcut.", depth + 1, beside);
    if (!(x.shape() == beside.shape())) {
      detail::refuse_layer(
          place, described.layer,
          fmt::format("of examples of shape {} its body makes {} and its shortcut {}, which cannot be added; "
                      "give a body or a shortcut that fits, as in residual [linear 8, relu] [linear 8]",
                      example_of(given).string(), example_of(x).string(), example_of(beside).string()));
    }
    if (described.shortcut.empty()) return Residual<Network>(std::move(body));
    return Residual<Network, Network>(std::move(body), std::move(shortcut));
  }

  Rng rng_;
};

Description describe_network(const Network& network, const std::string& before) {
  Description description;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const AnyLayer& layer = network.layers[i];
    const std::string place = before + std::to_string(i);
    if (const auto* const residual = layer.get_if<Residual<Network>>()) {
      description.push_back({.layer = std::string(detail::kResidual),
                             .body = describe_network(residual->body, place + ".body.")});
    } else if (const auto* const other = layer.get_if<Residual<Network, Network>>()) {
      description.push_back({.layer = std::string(detail::kResidual),
                             .body = describe_network(other->body, place + ".body."),
                             .shortcut = describe_network(other->shortcut, place + ".shortcut.")});
    } else if (auto described = detail::describe_layer(layer)) {
      description.push_back(std::move(*described));
    } else {
      refuse("description", fmt::format("layer {} ({}) is none of those that a description can name", place,
                                        likely::detail::short_name(layer.type())));
    }
  }
  return description;
}

}  // namespace

// NOLINTNEXTLINE(performance-noexcept-move-constructor): as AnyLayer's
Network& Network::operator=(Network&& other) {
  if (this == &other) return *this;
  layers = std::move(other.layers);
  moved_from_ = std::exchange(other.moved_from_, true);
  other.layers.clear();
  return *this;
}

void Network::check_not_moved() const {
  if (moved_from()) refuse("Network", "this network was moved from");
}

Tensor Network::operator()(const Tensor& x) const {
  check_not_moved();
  return naming_layers(*this, [&] { return forward(layers, x); });
}

Tensor Network::operator()(const Tensor& x, const Training& training) {
  check_not_moved();
  return train_network(*this, x, training);
}

Tensor Network::operator()(const Tensor& x, const Training& training) const {
  check_not_moved();
  return train_network(*this, x, training);
}

Description Network::description() const {
  check_not_moved();
  return describe_network(*this, "");
}

Network network(const Description& description, const Shape& example, Rng rng) {
  if (description.empty()) refuse("network", "the description has no layers");
  if (!example.has_size() || example.size() == 0 || example.rank() == Shape::kMaxRank) {
    refuse("network", fmt::format("examples must have elements and at most {} axes, got the shape {}",
                                  Shape::kMaxRank - 1, example.string()));
  }
  Shape batch = example;
  batch.insert(0, 1);
  const bool of_ids = std::ranges::any_of(
      description, [](const LayerDescription& each) { return each.layer == "embedding"; });
  Tensor x = zeros(batch, of_ids ? DType::i64 : DType::f32);
  return NetworkMaker(rng).make(description, "", 0, x);
}

Network network(std::string_view text, const Shape& example, Rng rng) {
  return network(read_description(text), example, rng);
}

}  // namespace likely::nn
