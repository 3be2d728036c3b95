// The files of a run folder that recipes do not write themselves. Internal to runs/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "likely/runs/recipe.hpp"

namespace likely::runs {

// recipe.json in run.out, which is there.
void write_run(const Recipe& recipe, const Run& run, const std::vector<std::uint64_t>& seeds);
// report.json.
void write_report(const std::filesystem::path& folder, const std::string& json);
// Refuses a report.json or metrics.jsonl that was changed after it was written, or cannot have been written
// by likely, naming the file.
void check_records(const std::filesystem::path& folder);

}  // namespace likely::runs
