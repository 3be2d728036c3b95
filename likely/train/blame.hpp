// A gradient that is finite, or the name of what made it otherwise. Internal to train/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "likely/train/learner.hpp"

namespace likely::train::detail {

// What an error should say about where it happened.
struct Occasion {
  std::int64_t step;  // the one being made, counted from 1
  std::int64_t epoch;
  std::filesystem::path checkpoint;  // empty: none
  std::int64_t checkpoint_step;
};

// The loss of a batch, with training keys made from `key`; the learner then holds its gradient. If one of
// them is not finite, or the loss is refused because of numbers on its way that are not, does the same again
// under the tracer and throws an Error that names operation, layer and step. The model's buffers are then as
// they were before.
double differentiate_finitely(Learner& learner, const data::Batch& batch, const Rng& key,
                              const std::vector<Tensor*>& buffers, const Occasion& occasion);

}  // namespace likely::train::detail
