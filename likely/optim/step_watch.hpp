// Whoever wants to know, in this thread, which optimizer is about to make a step. Internal to optim/ and
// train/.
#pragma once

namespace likely::optim::detail {

using StepWatch = void (*)(const void* optimizer);

// The watch of this thread from now on, null for none; gives the one before.
StepWatch exchange_step_watch(StepWatch watch);

// Every optimizer calls this before it changes anything; what the watch throws, a step throws.
void tell_of_step(const void* optimizer);

}  // namespace likely::optim::detail
