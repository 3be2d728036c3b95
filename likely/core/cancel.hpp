// Long work that its owner may give up.
//
//   FitOptions options;
//   options.cancelled = [&] { return button_pressed.load(); };   // then fit_likelihood throws Cancelled
#pragma once

#include <exception>
#include <functional>

namespace likely {

// Thrown by work that was cancelled, of which nothing is left. Not an Error: nothing was wrong, and whoever
// goes on after a refusal (a sampler at an impossible point) must not go on after this.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "cancelled"; }
};

// Whether to give up. Asked before each piece of work, by any thread and by several at once: it should cost
// little, and must stay true once it was. An empty one is never asked.
using CancelTest = std::function<bool()>;

// Throws Cancelled if so.
inline void give_up_if(const CancelTest& cancelled) {
  if (cancelled && cancelled()) throw Cancelled();
}

}  // namespace likely
