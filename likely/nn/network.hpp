// A network whose layers are chosen when the program runs.
//
//   Rng rng(1);
//   nn::Network model = nn::network("linear 64, relu, dropout 0.1, linear 10", {40}, rng.split());
//   std::cout << nn::text_of(model.description());
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "likely/core/shape.hpp"
#include "likely/nn/any_layer.hpp"
#include "likely/nn/description.hpp"
#include "likely/ops/rng.hpp"

namespace likely::nn {

// Layers one after the other, as in Sequential, whose names it has ("0.weight"): a file of one loads into the
// other. Layers may be added, exchanged and taken out between trainings; an optimizer is made for those that
// were there.
//
//   nn::Network model({nn::Linear(40, 100, rng.split()), nn::Relu{}, nn::Linear(100, 10, rng.split())});
//
// Refuses, when it is called, saved or loaded, to be one that was moved from.
class Network {
 public:
  std::vector<AnyLayer> layers;

  Network() = default;
  explicit Network(std::vector<AnyLayer> chosen) : layers(std::move(chosen)) {}
  Network(const Network&) = default;
  Network(Network&& other) noexcept
      : layers(std::move(other.layers)), moved_from_(std::exchange(other.moved_from_, true)) {}
  Network& operator=(const Network&) = default;
  Network& operator=(Network&& other);  // NOLINT(performance-noexcept-move-constructor): as AnyLayer's
  ~Network() = default;

  Tensor operator()(const Tensor& x) const;
  Tensor operator()(const Tensor& x, const Training& training);
  Tensor operator()(const Tensor& x, const Training& training) const;

  bool moved_from() const { return moved_from_ && layers.empty(); }

  // What network() makes it from again, but for its numbers. Refuses, by its number and type, a layer that no
  // description can name.
  Description description() const;

  static auto likely_part_types() { return likely::detail::TypeList<AnyLayer>{}; }
  template <class Visitor>
  void visit_parts(Visitor&& visit) {
    for (std::size_t i = 0; i < layers.size(); ++i) visit(std::to_string(i), layers[i]);
  }
  template <class Visitor>
  void visit_parts(Visitor&& visit) const {
    for (std::size_t i = 0; i < layers.size(); ++i) visit(std::to_string(i), layers[i]);
  }
  std::string misfit() const { return moved_from() ? "layers were moved from" : ""; }

 private:
  void check_not_moved() const;

  bool moved_from_ = false;
};

// The network that is described, for inputs of which one example (a row, without the batch) has this shape:
// how many numbers a layer gets follows from the layers before it. Layers that start with random numbers take
// a key each, in order: the numbers are those of a Sequential of layers that are given rng.split() in turn.
// An example of zeros goes through each layer when it is made; with an embedding, of whole numbers.
//
// Refuses, with the number and the name of the layer, settings that it does not have, that are missing or
// that cannot be, and shapes that do not fit: "[network] layer 2 (conv2d): needs examples of shape (channels,
// height, width), gets (64,)".
Network network(const Description& description, const Shape& example, Rng rng);
// From text (description.hpp).
Network network(std::string_view text, const Shape& example, Rng rng);

}  // namespace likely::nn
