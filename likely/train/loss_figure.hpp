// The picture of a training. Internal to train/.
#pragma once

#include <filesystem>
#include <vector>

#include "likely/train/options.hpp"

namespace likely::train::detail {

// Draws the loss of every epoch, on the training data and, where it was measured, on the validation data, as
// loss.svg and loss.png in this folder.
void draw_losses(const std::filesystem::path& folder, const std::vector<EpochReport>& history);

}  // namespace likely::train::detail
