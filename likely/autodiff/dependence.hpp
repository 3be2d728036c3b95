// Whether a loss was computed from the parameters it is differentiated by. Only for prob/, optim/ and
// train/.
#pragma once

#include "likely/autodiff/tape.hpp"
#include "likely/core/parts.hpp"

namespace likely::detail {

// loss(parts...) as value_and_grad calls it. `depends` is set where the result uses one of the parameters:
// that a derivative is 0, or a parameter unused, is no reason for it not to be.
template <class Loss, class... Parts>
Tensor watched_loss(Loss&& loss, bool& depends, Parts&... parts) {
  const Tape* tape = nullptr;
  const auto look = [&](auto& part) {
    for (const Tensor* parameter : parameter_pointers(part)) tape = recording_tape(*parameter);
  };
  (look(parts), ...);
  Tensor result = loss(parts...);
  depends = depends || (tape != nullptr && tape->tracks(result));
  return result;
}

// `what` names it where it is not a loss.
[[noreturn]] void refuse_independent_loss(const char* caller, const char* what = "loss");

}  // namespace likely::detail
