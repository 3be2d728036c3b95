// What a Likelihood keeps. Internal to models/choice.
#pragma once

#include <string>
#include <vector>

#include "likely/models/choice/engine/pack.hpp"
#include "likely/models/choice/likelihood.hpp"

namespace likely::choice {

struct Likelihood::State {
  Model model;
  std::int64_t subjects = 0;
  std::vector<std::string> ids;
  std::vector<Group> groups;  // subjects in their order, kLanes a group

  // Refuses a subject that is not there.
  const Group& group_of(std::int64_t subject) const;
  // Its lane there, and its trials.
  LaneRange range_of(std::int64_t subject) const;
};

}  // namespace likely::choice
