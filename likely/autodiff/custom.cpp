#include "likely/autodiff/custom.hpp"

#include <cmath>
#include <type_traits>

#include "likely/core/dispatch.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"

namespace likely {

Tensor stop_gradient(const Tensor& x) { return x.with_track({}); }

Tensor custom_gradient(const std::vector<Tensor>& inputs, const CustomForward& forward,
                       const CustomBackward& backward) {
  std::vector<const Tensor*> pointers;
  for (const Tensor& input : inputs) pointers.push_back(&input);
  Tape* tape = recording_tape(std::span<const Tensor* const>(pointers));
  if (tape == nullptr) return forward(inputs);

  std::vector<Tensor> lower;
  for (const Tensor& input : inputs) lower.push_back(tape->below(input));
  // What forward captured of this tape is a constant.
  const Tensor output = tape->below(custom_gradient(lower, forward, backward));
  return tape->record(
      "custom_gradient", output, std::span<const Tensor* const>(pointers),
      [lower, output, backward](const Tensor& g, Pull& pull) {
        const std::vector<Tensor> gradients = backward(lower, output, g);
        if (gradients.size() != lower.size()) {
          refuse("custom_gradient", "backward returned " + std::to_string(gradients.size()) +
                                        " gradients for " + std::to_string(lower.size()) + " inputs");
        }
        for (std::size_t i = 0; i < gradients.size(); ++i) {
          if (!gradients[i].defined()) continue;
          if (!(gradients[i].shape() == lower[i].shape())) {
            refuse("custom_gradient", "backward returned shape " + gradients[i].shape().string() +
                                          " for input " + std::to_string(i) + " of shape " +
                                          lower[i].shape().string());
          }
          pull(static_cast<int>(i), [&] { return gradients[i]; });
        }
      });
}

void detail::check_repeated(const Tensor& first, const Tensor& again) {
  if (!(first.shape() == again.shape())) {
    refuse("checkpoint", "the function gave shape " + first.shape().string() + ", and " +
                             again.shape().string() + " when it was called again for the gradient");
  }
  if (first.size() == 0) return;
  // Rounding may differ, where operations do more at once while a gradient is taken.
  const double rounding = detail::with_type(
      "checkpoint", first.dtype(), []<class T>(T) { return std::is_same_v<T, double> ? 1e-9 : 1e-3; });
  const double off = max(abs(first - again)).item(), size = max(abs(first)).item();
  if (!std::isfinite(size) || off <= rounding * size) return;  // what was not finite cannot be compared
  refuse(
      "checkpoint",
      "the function gave another result when it was called again for the gradient: it must not draw from an "
      "Rng that it captured (hand it a copy, or a Training)");
}

void detail::check_checkpoint_output(const Tape& tape, const Tensor& output) {
  const Tape* innermost = recording_tape(output);
  if (innermost != nullptr && innermost->is_within(tape)) {
    refuse(
        "checkpoint",
        "the function uses a tensor that is being learned without getting it as an argument; pass it as one");
  }
}

}  // namespace likely
