// What a run reads: its data, and files that settings name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "likely/runs/recipe.hpp"

namespace likely::runs {

// Where the file is that a setting names: there or, where nothing is there, beside the data.
std::filesystem::path file_of(const Run& run, const std::string& named);

// Names the data and these files by paths that mean the same from any folder: the run may go on from another
// one.
void make_absolute(Run& run);

// All of them that may be meant.
std::vector<std::filesystem::path> inputs_of(const Run& run);

}  // namespace likely::runs
