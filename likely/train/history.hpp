// What a training reported, read back from its run folder.
#pragma once

#include <filesystem>
#include <vector>

#include "likely/train/options.hpp"

namespace likely::train {

// The epochs of <folder>/metrics.jsonl in order; none where there is no such file. Refuses, naming the file
// and the line, what a training does not write, and a file that does not fit the checksum in
// <folder>/checkpoint.safetensors. A last line without an end is being written, and passed over.
std::vector<EpochReport> read_history(const std::filesystem::path& folder);

}  // namespace likely::train
