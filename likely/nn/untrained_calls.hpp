// Finds layers that are called as they are used, not as they are trained, while somebody trains with them.
// Only for nn/ and train/.
#pragma once

#include <cstddef>

namespace likely::nn::detail {

// While one lives, it notes whether a layer that behaves differently in training, and lies in this memory, is
// called without a Training in the same thread. So a dropout is found that a model with constructors does not
// name among its parts: no type tells of it.
class UntrainedCalls {
 public:
  UntrainedCalls(const void* model, std::size_t bytes);
  ~UntrainedCalls();
  UntrainedCalls(const UntrainedCalls&) = delete;
  UntrainedCalls& operator=(const UntrainedCalls&) = delete;

  bool seen() const { return seen_; }

 private:
  friend void tell_of_untrained_call(const void* layer);
  const std::byte* begin_;
  const std::byte* end_;
  UntrainedCalls* outer_;
  bool seen_ = false;
};

// Layers call this where they do something else than in training.
void tell_of_untrained_call(const void* layer);

}  // namespace likely::nn::detail
