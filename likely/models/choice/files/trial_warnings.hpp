// What is to be told about a table of trials that was read. Internal to models/choice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "likely/models/choice/files/trial_columns.hpp"
#include "likely/models/choice/trials.hpp"

namespace likely::choice {

// An amount, and the line that it stands in; 0: none.
struct AmountSeen {
  double amount = 0.0;
  std::int64_t line = 0;
};

// What was noticed on the way.
struct TrialsSeen {
  AmountSeen positive_loss{}, negative_loss{}, negative_gain{};  // the first of each
  std::vector<std::string> subjects_without_outcomes{};
  std::uint32_t chosen = 0, offered = 0;  // options
};

// Losses of both signs, gains below 0, outcomes that never change, options that are never offered or chosen,
// sessions beside blocks; a sentence each.
std::vector<std::string> warnings_of(const Trials& trials, const TrialsSeen& seen,
                                     const TrialColumns& columns);

}  // namespace likely::choice
