// What is odd about the words of a table of trials: codes of missed trials that became options, and one thing
// written in two ways. Internal to models/choice.
#pragma once

#include <string>
#include <vector>

#include "likely/models/choice/trials.hpp"

namespace likely::choice {

struct OptionWords {
  bool are_numbers = true;  // else names
  bool are_told = false;    // somebody said how many options there are
  // They count from 0 for no other reason than that there is one.
  bool zero_is_guessed = false;
};

// A line for each option that may be none: chosen in less than a hundredth of the trials; unless their number
// is told, also one whose number comes after two or more that nobody chose, and, of at most a twentieth of
// the trials, a 0 that is the rarest of three or more, and those that are three times rarer than all others,
// of which there are two or more. And a line where no subject chooses all options that are left: then some
// may write them in another way than others.
std::vector<std::string> odd_choices(const Trials& trials, const OptionWords& words);

// A line for words that differ only in capitals, or are the same number: "subjects S1 and s1 differ only in
// capitals ...". Names the first two, and says how many more there are; empty where there are none.
std::string same_words(const std::string& what, const std::vector<std::string>& words);

}  // namespace likely::choice
