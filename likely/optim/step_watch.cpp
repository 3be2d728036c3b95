#include "likely/optim/step_watch.hpp"

#include <utility>

namespace likely::optim::detail {

namespace {

thread_local StepWatch step_watch = nullptr;

}  // namespace

StepWatch exchange_step_watch(StepWatch watch) { return std::exchange(step_watch, watch); }

void tell_of_step(const void* optimizer) {
  if (step_watch != nullptr) step_watch(optimizer);
}

}  // namespace likely::optim::detail
