// The words of a table of trials, and what they mean: choices, lists of cues, options offered. Internal to
// models/choice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "likely/models/choice/trials.hpp"

namespace likely::choice {

// A table by its path, for refusals.
struct TrialsTable {
  std::string path;

  [[noreturn]] void refuse(const std::string& message) const;
  [[noreturn]] void refuse(std::int64_t line, const std::string& message) const;
};

// Different words of a column, numbered as they come, with the line of the first.
class NumberedWords {
 public:
  std::int32_t number(std::string_view word, std::int64_t line);

  std::vector<std::string> words;
  std::vector<std::int64_t> lines;

 private:
  std::unordered_map<std::string, std::int32_t> places_;
};

// What each word for a choice means.
struct ChoiceWords {
  Coding coding = Coding::names;
  std::vector<std::int32_t> choice_of{};  // each word's number from 0
  int options = 2;                        // as many as are seen
  // Of names, sorted; of numbers there are none.
  std::vector<std::string> names{};
};
// `column` holds them; `minus_line` is that of the first choice "-", which stands for none, 0 if there is
// none. Refuses numbers beside names that are not said to be names, "+" beside "-", numbers out of their
// range, too many names.
ChoiceWords read_choices(const TrialsTable& table, const NumberedWords& choices,
                         const ReadTrialsOptions& options, const std::string& column,
                         std::int64_t minus_line);

// Lists of cues such as A+B as bits, and the cues by name. Refuses an empty name and too many cues.
struct CueWords {
  std::vector<std::string> names;
  std::vector<std::uint32_t> bits;  // of each list
};
CueWords read_cues(const TrialsTable& table, const NumberedWords& lists);

// Lists of options such as 1+3 as bits. Refuses what is no option.
std::vector<std::uint32_t> read_offers(const TrialsTable& table, const NumberedWords& lists,
                                       const std::vector<std::string>& options);

}  // namespace likely::choice
