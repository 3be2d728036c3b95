// Gradients that are not those of the formula: stop_gradient, custom_gradient, checkpoint.
#pragma once

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "likely/autodiff/gradient.hpp"

namespace likely {

// The same numbers, as a constant to the innermost gradient being taken and to all outer ones.
Tensor stop_gradient(const Tensor& x);

// forward(inputs) with a gradient of your own: backward(inputs, output, g) returns one gradient for each
// input, of its shape (an empty tensor stands for zeros). Both see only their arguments' tensors: what they
// capture is a constant. If backward is written with likely's operations, higher derivatives follow from it.
using CustomForward = std::function<Tensor(const std::vector<Tensor>& inputs)>;
using CustomBackward = std::function<std::vector<Tensor>(const std::vector<Tensor>& inputs,
                                                         const Tensor& output, const Tensor& g)>;
Tensor custom_gradient(const std::vector<Tensor>& inputs, const CustomForward& forward,
                       const CustomBackward& backward);

namespace detail {
void check_checkpoint_output(const Tape& tape, const Tensor& output);
}

// f(arguments...) that keeps only its arguments for the backward pass and computes the rest again when it is
// needed. Arguments are tensors or models; f must get everything that is learned through them (refused
// otherwise) and must give the same result when called again.
template <class Function, class... Arguments>
Tensor checkpoint(const Function& f, const Arguments&... arguments) {
  static_assert((Tree<Arguments> && ...), "the arguments must be tensors or models");
  std::tuple<Arguments...> point(arguments...);
  std::vector<const Tensor*> leaves;
  for_each_leaf(point, [&](Tensor& tensor, PartKind) {
    if (tensor.defined()) leaves.push_back(&tensor);
  });
  Tape* tape = recording_tape(std::span<const Tensor* const>(leaves));
  if (tape == nullptr) return f(arguments...);

  std::tuple<Arguments...> lower = point;
  for_each_leaf(lower, [&](Tensor& tensor, PartKind) {
    if (tensor.defined()) tensor = tape->below(tensor);
  });
  const Tensor output = std::apply([&](const auto&... parts) { return checkpoint(f, parts...); }, lower);
  detail::check_checkpoint_output(*tape, output);
  return tape->record("checkpoint", output, std::span<const Tensor* const>(leaves),
                      [f, lower](const Tensor& g, Pull& pull) {
                        const auto gradients = vjp(lower, f).pull_back(g);
                        int i = 0;
                        for_each_leaf(gradients, [&](const Tensor& gradient, PartKind) {
                          if (gradient.defined()) pull(i++, [&] { return gradient; });
                        });
                      });
}

}  // namespace likely
