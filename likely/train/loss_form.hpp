// What fit can tell of a loss before it calls it. Only for train/.
#pragma once

#include <string>

namespace likely::train::detail {

// Refuses a loss that takes no Training for a model with a layer that would then train as it predicts:
// dropout would not drop, running statistics would not follow. Both are as nn/trained_layers.hpp tells them:
// the layer, and the struct that holds one without naming it ("" for none).
void check_takes_training(const std::string& trained_layer, const std::string& holds_unnamed);

}  // namespace likely::train::detail
