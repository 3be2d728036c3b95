#include "likely/train/run.hpp"

namespace likely::train::detail {

void check_fed(bool takes_batches, bool has_data) {
  if (takes_batches && !has_data)
    refuse("run", "the learner's step takes a batch, and there are none: set data, such as data::feed(rows)");
  if (!takes_batches && has_data) refuse("run", "the learner's step takes no batch: leave data empty");
}

}  // namespace likely::train::detail
