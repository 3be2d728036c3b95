// Layers put together: one after the other, or around.
//
// A layer is anything that is a tree and maps a tensor to a tensor. One that depends on training has a second
// form of call, layer(x, training).
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "likely/core/layer_error.hpp"
#include "likely/core/parts.hpp"
#include "likely/nn/training.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/view.hpp"

namespace likely::nn {

// Whether a layer depends on training.
template <class Layer>
concept Trains = requires(std::remove_cvref_t<Layer>& layer, const Tensor& x, const Training& training) {
  layer(x, training);
};

namespace detail {

template <class Layer>
inline constexpr bool is_list = likely::detail::is_sequence<std::remove_cvref_t<Layer>>;

}  // namespace detail

// The layer's result without training. A vector or array of layers is called one after the other. What a
// layer refuses is marked as that layer's, so that whoever holds the model can name it.
template <class Layer>
Tensor forward(Layer& layer, const Tensor& x) {
  if constexpr (detail::is_list<Layer>) {
    Tensor h = x;
    for (auto& each : layer) h = forward(each, h);
    return h;
  } else {
    return inside_layer(layer, [&]() -> Tensor { return layer(x); });
  }
}

// The same in training: layers that depend on it are given it.
template <class Layer>
Tensor forward(Layer& layer, const Tensor& x, const Training& training) {
  if constexpr (detail::is_list<Layer>) {
    Tensor h = x;
    for (auto& each : layer) h = forward(each, h, training);
    return h;
  } else if constexpr (Trains<Layer>) {
    static_assert(
        requires { layer(x, training); },
        "this layer changes its buffers in training (as BatchNorm does): call a model that is not const");
    return inside_layer(layer, [&]() -> Tensor { return layer(x, training); });
  } else {
    return forward(layer, x);
  }
}

struct Identity {
  Tensor operator()(const Tensor& x) const { return x; }
  LIKELY_PARTS()
};

// Axes first..last as one: by default everything but the batch.
struct Flatten {
  int first = 1;
  int last = -1;
  Tensor operator()(const Tensor& x) const { return flatten(x, first, last); }
  LIKELY_PARTS()
};

// Any function of a tensor as a layer without parameters: nn::Apply{[](const Tensor& x) { return x * 2.0; }}.
template <class Function>
struct Apply {
  Function function;
  Tensor operator()(const Tensor& x) const { return function(x); }
  LIKELY_PARTS()
};
template <class Function>
Apply(Function) -> Apply<Function>;

// Layers one after the other. Their names are their numbers, as PyTorch has them: "0.weight", "2.bias".
//
//   nn::Sequential model{nn::Linear(40, 100, rng.split()), nn::Relu{}, nn::Linear(100, 10, rng.split())};
//
// Braces, not parentheses: they say that the first layer gets the first key. What a layer refuses ends with
// its name: `, in layer "2" (Linear)`.
template <class... Layers>
class Sequential {
 public:
  std::tuple<Layers...> layers;

  explicit Sequential(Layers... parts) : layers(std::move(parts)...) {}

  Tensor operator()(const Tensor& x) const {
    return naming_layers(*this, [&] {
      Tensor h = x;
      std::apply([&](const Layers&... layer) { ((h = forward(layer, h)), ...); }, layers);
      return h;
    });
  }
  Tensor operator()(const Tensor& x, const Training& training) { return train(*this, x, training); }
  Tensor operator()(const Tensor& x, const Training& training) const { return train(*this, x, training); }

  template <std::size_t I>
  auto& get() {
    return std::get<I>(layers);
  }
  template <std::size_t I>
  const auto& get() const {
    return std::get<I>(layers);
  }

  static auto likely_part_types() { return likely::detail::TypeList<Layers...>{}; }
  template <class Visitor>
  void visit_parts(Visitor&& visit) {
    visit_numbered(layers, visit);
  }
  template <class Visitor>
  void visit_parts(Visitor&& visit) const {
    visit_numbered(layers, visit);
  }

 private:
  template <class Self>
  static Tensor train(Self& self, const Tensor& x, const Training& training) {
    return naming_layers(self, [&] {
      Tensor h = x;
      std::apply([&](auto&... layer) { ((h = forward(layer, h, training)), ...); }, self.layers);
      return h;
    });
  }
  template <class Tuple, class Visitor>
  static void visit_numbered(Tuple& layers, Visitor& visit) {
    std::size_t i = 0;
    std::apply([&](auto&... layer) { (visit(std::to_string(i++), layer), ...); }, layers);
  }
};

// y = shortcut(x) + body(x), one line of (11.4), where the shortcut is x itself unless the shapes need
// another:
//
//   nn::Residual block{nn::Sequential{nn::Conv2d(16, 16, 3, {.padding = 1}, rng.split()), nn::Relu{}}};
template <class Body, class Shortcut = Identity>
class Residual {
 public:
  Body body;
  Shortcut shortcut;

  explicit Residual(Body around, Shortcut beside = {})
      : body(std::move(around)), shortcut(std::move(beside)) {}

  Tensor operator()(const Tensor& x) const {
    return naming_layers(*this, [&] { return forward(shortcut, x) + forward(body, x); });
  }
  Tensor operator()(const Tensor& x, const Training& training) { return train(*this, x, training); }
  Tensor operator()(const Tensor& x, const Training& training) const { return train(*this, x, training); }
  LIKELY_PARTS(body, shortcut)

 private:
  template <class Self>
  static Tensor train(Self& self, const Tensor& x, const Training& training) {
    return naming_layers(self, [&] {
      const Tensor through = forward(self.body, x, training);
      return forward(self.shortcut, x, training) + through;
    });
  }
};

}  // namespace likely::nn
