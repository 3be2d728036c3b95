#include "likely/train/run.hpp"

namespace likely::train::detail {

void check_fed(bool takes_batches, bool has_data) {
  if (takes_batches && !has_data)
    refuse("run", "the learner's step takes a batch, and there are none: set data, such as data::feed(rows)");
  if (!takes_batches && has_data) refuse("run", "the learner's step takes no batch: leave data empty");
}

void check_used(const Training& training, const std::string& trained_layer) {
  if (trained_layer.empty() || training.was_used()) return;
  refuse("run", "the learner's " + trained_layer +
                    " behaves differently in training, and step does not hand its Training on: call it with "
                    "(x, training); to train without it, take a key and leave it unused: training.split()");
}

}  // namespace likely::train::detail
