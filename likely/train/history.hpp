// What a training reported, read back from its run folder.
#pragma once

#include <filesystem>
#include <vector>

#include "likely/train/options.hpp"

namespace likely::train {

// The epochs of <folder>/metrics.jsonl in order; none where there is no such file.
std::vector<EpochReport> read_history(const std::filesystem::path& folder);

}  // namespace likely::train
