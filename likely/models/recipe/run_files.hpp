// The files of a run folder that recipes do not write themselves. Internal to recipe/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "likely/models/recipe.hpp"

namespace likely::models {

// recipe.json in run.out, which is made where it is missing.
void write_run(const Recipe& recipe, const Run& run, const std::vector<std::uint64_t>& seeds);
// report.json.
void write_report(const std::filesystem::path& folder, const std::string& json);

// A folder for a new run, which goes away again, with everything in it, unless it is kept or a checkpoint was
// written. Refuses a folder that holds a run, unless forced, and one that holds anything else. A run that is
// replaced comes back if the new one goes away.
class NewFolder {
 public:
  NewFolder(std::filesystem::path folder, bool force);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void keep() { kept_ = true; }

 private:
  std::filesystem::path folder_;
  std::filesystem::path first_made_;  // the outermost folder that was not there
  std::filesystem::path aside_;       // where the old run waits
  bool kept_ = false;
};

}  // namespace likely::models
