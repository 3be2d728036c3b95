// What fit can tell of a loss before it calls it. Internal to train/.
#pragma once

#include <string>

namespace likely::train::detail {

// Refuses a loss that takes no Training for a model with a layer (named here, or "" for none) that would then
// train as it predicts: dropout would not drop, running statistics would not follow.
void check_takes_training(const std::string& trained_layer);

}  // namespace likely::train::detail
