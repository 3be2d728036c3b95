// Running another program. Internal to plot/.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace likely::plot {

struct Ended {
  bool found = true;      // else there is no such program
  bool too_long = false;  // it was killed
  bool stopped = false;   // it was killed because somebody asked for it
  int code = 0;           // what it returned; 128 + the signal that ended it
  int signal = 0;         // that ended it
  std::string said{};     // the beginning of what it printed
};

// Runs words[0], looked for in PATH, with the other words as arguments and no shell in between, in a folder,
// without input. Whatever has not ended after so many seconds, or when `stop` says true, is killed, with
// everything it started; `stop` is asked about fifty times a second. Refuses if the system cannot start it.
Ended run_program(const std::vector<std::string>& words, const std::filesystem::path& folder,
                  double most_seconds, const std::function<bool()>& stop = {});

}  // namespace likely::plot
