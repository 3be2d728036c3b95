// What a sweep tries: settings as words, turned into numbers for train/search.hpp and back. Internal to
// runs/.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "likely/runs/settings.hpp"
#include "likely/train/search.hpp"

namespace likely::runs {

// One setting that is swept over. Words and numbers of a list are numbered; a range is drawn from.
struct SweptSetting {
  std::string name;
  std::vector<std::string> values{};  // of a list, as written
  double low = 0.0, high = 0.0;       // of a range
  bool whole = false;
  bool by_logarithm = false;

  bool is_list() const { return !values.empty(); }
  // What a number of train::Choice means.
  std::string text(double number) const;
  train::Candidates candidates() const;
};

// "lr=0.1,0.01". Refuses what run_sweep refuses.
SweptSetting parse_list(const Settings& settings, const std::string& text);
// "width=10..200".
SweptSetting parse_range(const Settings& settings, const std::string& text);

}  // namespace likely::runs
