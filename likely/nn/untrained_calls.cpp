#include "likely/nn/untrained_calls.hpp"

#include <utility>

namespace likely::nn::detail {

namespace {

thread_local UntrainedCalls* listening = nullptr;

}  // namespace

UntrainedCalls::UntrainedCalls(const void* model, std::size_t bytes)
    : begin_(static_cast<const std::byte*>(model)),
      end_(begin_ + bytes),
      outer_(std::exchange(listening, this)) {}

UntrainedCalls::~UntrainedCalls() { listening = outer_; }

void tell_of_untrained_call(const void* layer) {
  const auto* place = static_cast<const std::byte*>(layer);
  for (UntrainedCalls* each = listening; each != nullptr; each = each->outer_)
    each->seen_ = each->seen_ || (place >= each->begin_ && place < each->end_);
}

}  // namespace likely::nn::detail
