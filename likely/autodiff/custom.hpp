// Gradients that are not those of the formula: stop_gradient, custom_gradient, checkpoint.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "likely/autodiff/gradient.hpp"
#include "likely/ops/key_log.hpp"

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
// Refuses a second result that is not the first: a gradient of another function would be taken.
void check_repeated(const Tensor& first, const Tensor& again);
}  // namespace detail

// f(arguments...) that keeps only its arguments for the backward pass and computes the rest again when it is
// needed. Arguments are tensors or models; all their tensors pass their gradients on. f must get everything
// that is learned through them (a tensor that it captured, and that a gradient is being taken of, is refused
// by this and the inner gradients; to outer ones it is as any other), and what it captures by reference must
// still be there for the backward pass. What it writes to buffers (batch statistics) is lost: it works on
// copies. It must give the same result when called again: layers that take their random keys from a Training
// do (they are handed the same ones), an Rng that is captured and drawn from does not, which is refused in
// the backward pass.
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
  const auto keys = std::make_shared<detail::KeyLog>();
  const Tensor output = [&] {
    const detail::RecordKeys record(*keys);
    return std::apply([&](const auto&... parts) { return checkpoint(f, parts...); }, lower);
  }();
  detail::check_checkpoint_output(*tape, output);
  return tape->record("checkpoint", output, std::span<const Tensor* const>(leaves),
                      [f, lower, keys, first = stop_gradient(output)](const Tensor& g, Pull& pull) {
                        // Whatever the part is to its model: buffers and frozen parts may have been computed
                        // from what is learned.
                        std::tuple<Arguments...> again = lower;
                        Tape inner;
                        std::vector<Tensor> tracked;
                        std::vector<int> inputs;
                        int i = 0;
                        for_each_leaf(again, [&](Tensor& tensor, PartKind) {
                          if (!tensor.defined()) return;
                          if (pull.wants(i)) {
                            tracked.push_back(tensor = inner.track(tensor));
                            inputs.push_back(i);
                          }
                          ++i;
                        });
                        const Tensor value = [&] {
                          const detail::ReplayKeys replay(*keys);
                          return detail::call_at(inner, f, again);
                        }();
                        inner.stop();
                        detail::check_repeated(first, stop_gradient(value));
                        std::vector<Tensor> gradients = inner.sweep_once(value, g, tracked);
                        for (std::size_t k = 0; k < inputs.size(); ++k) {
                          pull(inputs[k], [&] { return std::move(gradients[k]); });
                        }
                      });
}

}  // namespace likely
