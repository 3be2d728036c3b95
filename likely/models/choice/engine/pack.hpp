// Trials of eight subjects side by side, as vectors read them. Internal to models/choice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "likely/models/choice/model.hpp"
#include "likely/models/choice/trials.hpp"

namespace likely::choice {

// Subjects in a group, whatever the width of the processor's vectors: results must not depend on the cut.
inline constexpr int kLanes = 8;

// Element `lane` of trial t is at t * kLanes + lane. A list that is not needed is empty.
struct Group {
  int subjects = 0;                  // the lanes that are used
  std::int64_t trials = 0;           // of the longest
  std::int64_t shortest = 0;         // up to here no subject has ended
  std::vector<std::int32_t> choice;  // -1 after a subject's last trial
  std::vector<double> outcome;
  std::vector<double> gain, loss;
  std::vector<std::uint8_t> starts;   // a bit for each lane in which a block begins; without the first trial
  std::vector<std::int64_t> offered;  // a bit an option
  std::vector<std::int64_t> cues;     // a bit a cue, option k at (t * options + k) * kLanes + lane
  std::vector<std::int64_t> learned;  // a bit a cue
  std::vector<std::int32_t> lengths;  // of each lane
};

// Some lanes of a group, and how many trials of theirs.
struct LaneRange {
  int first;
  int end;
  std::int64_t trials;
};
inline LaneRange all_lanes(const Group& group) { return {0, group.subjects, group.trials}; }

// These subjects, at most kLanes.
Group pack_group(const Parts& parts, std::span<const Subject* const> subjects);

// Refuses trials that a model cannot read: another number of options or cues, no gains and losses apart for
// rho-dual, cues for fict.
void check_fit(const Model& model, const Trials& trials);

}  // namespace likely::choice
