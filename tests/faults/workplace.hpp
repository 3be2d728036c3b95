// A folder in which commands are run again and again, from the same start and without pictures.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "tests/faults/scenarios.hpp"
#include "tests/faults/supervisor.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::faults {

using Environment = std::map<std::string, std::string>;

class Workplace {
 public:
  // With the files of prepare_files.
  Workplace();

  const std::filesystem::path& path() const { return work_.path(); }
  // All as at the start.
  void set() const;
  // What is there now is the start from now on.
  void keep_as_start() const;
  Outcome run(const Command& command, const Fault& fault = {}, Environment environment = {}) const;

 private:
  testing::TemporaryFolder tools_, start_, work_;
};

}  // namespace likely::faults
