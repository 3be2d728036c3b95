// Hot: every row of a file of trials.
#include "likely/models/choice/files/trial_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/io/parse_number.hpp"

namespace likely::choice {

namespace {

// "+" and "-" are a pair of choices, but "-" alone stands for none.
void check_signs(const TrialsTable& table, const NumberedWords& choices, const std::string& column,
                 std::int64_t minus_line) {
  const bool plus = std::find(choices.words.begin(), choices.words.end(), "+") != choices.words.end();
  if (!plus || minus_line == 0) return;
  table.refuse(minus_line,
               fmt::format("column \"{}\" holds \"+\" and \"-\", which stands for a missing value: "
                           "write words for both",
                           column));
}

ChoiceWords read_names(const TrialsTable& table, const NumberedWords& choices,
                       const ReadTrialsOptions& options, const std::string& column) {
  ChoiceWords read;
  std::vector<std::string> sorted = choices.words;
  std::sort(sorted.begin(), sorted.end());
  const int most = options.options > 0 ? options.options : kMostOptions;
  if (static_cast<int>(sorted.size()) > most) {
    table.refuse(fmt::format("column \"{}\" has {} different words, at most {} are options", column,
                             sorted.size(), most));
  }
  for (const std::string& word : choices.words) {
    read.choice_of.push_back(
        static_cast<std::int32_t>(std::lower_bound(sorted.begin(), sorted.end(), word) - sorted.begin()));
  }
  read.options = std::max<int>(2, static_cast<int>(sorted.size()));
  read.names = std::move(sorted);
  return read;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> items;
  std::size_t start = 0;
  while (start <= list.size()) {
    const std::size_t end = std::min(list.find('+', start), list.size());
    items.push_back(list.substr(start, end - start));
    start = end + 1;
  }
  return items;
}

}  // namespace

void TrialsTable::refuse(const std::string& message) const {
  likely::refuse("read_trials", fmt::format("{}: {}", path, message));
}
void TrialsTable::refuse(std::int64_t line, const std::string& message) const {
  likely::refuse("read_trials", fmt::format("{}, line {}: {}", path, line, message));
}

std::int32_t NumberedWords::number(std::string_view word, std::int64_t line) {
  const auto [place, is_new] =
      places_.try_emplace(std::string(word), static_cast<std::int32_t>(words.size()));
  if (is_new) {
    words.emplace_back(word);
    lines.push_back(line);
  }
  return place->second;
}

ChoiceWords read_choices(const TrialsTable& table, const NumberedWords& choices,
                         const ReadTrialsOptions& options, const std::string& column,
                         std::int64_t minus_line) {
  bool whole = true;
  bool zero = false;
  std::vector<std::int64_t> numbers;
  std::optional<std::size_t> number, word;  // the first of each
  for (std::size_t i = 0; i < choices.words.size(); ++i) {
    std::int64_t value = 0;
    const bool is_whole = io::parse_number(choices.words[i], value);
    whole = is_whole && whole;
    zero = zero || (is_whole && value == 0);
    numbers.push_back(value);
    if (std::optional<std::size_t>& first = is_whole ? number : word; !first) first = i;
  }
  check_signs(table, choices, column, minus_line);
  ChoiceWords read{.coding = options.coding};
  if (read.coding == Coding::guess && number && word) {
    table.refuse(
        choices.lines[*word],
        fmt::format("column \"{}\" holds \"{}\", and the number {} in line {}: if both are names, say so "
                    "(`coding = names`)",
                    column, choices.words[*word], choices.words[*number], choices.lines[*number]));
  }
  if (read.coding == Coding::guess)
    read.coding = !whole ? Coding::names : zero ? Coding::from_zero : Coding::from_one;
  if (read.coding == Coding::names) return read_names(table, choices, options, column);
  const std::int64_t first = read.coding == Coding::from_one ? 1 : 0;
  const std::int64_t most = options.options > 0 ? options.options : kMostOptions;
  std::int64_t highest = 1;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::int64_t value = 0;
    if (!io::parse_number(choices.words[i], value) || value < first || value >= first + most) {
      const bool guessed = options.coding == Coding::guess;
      table.refuse(
          choices.lines[i],
          fmt::format(
              "column \"{}\" must hold whole numbers {}from {} to {}, got \"{}\"{}", column,
              guessed && !zero ? fmt::format("from 0 to {} or ", most - 1) : "", first, first + most - 1,
              choices.words[i],
              guessed ? ": NA says that nothing was chosen, `coding = names` that numbers are names" : ""));
    }
    read.choice_of.push_back(static_cast<std::int32_t>(value - first));
    highest = std::max(highest, value - first);
  }
  read.options = static_cast<int>(highest) + 1;
  return read;
}

// Cues are sorted by name; each list of them becomes bits.
CueWords read_cues(const TrialsTable& table, const NumberedWords& lists) {
  CueWords read;
  std::map<std::string, int> places;
  for (std::size_t i = 0; i < lists.words.size(); ++i) {
    for (const std::string& cue : split(lists.words[i])) {
      if (cue.empty()) {
        table.refuse(lists.lines[i], fmt::format("\"{}\" is no list of cues like A+B", lists.words[i]));
      }
      places[cue] = 0;
    }
    if (static_cast<int>(places.size()) > kMostCues) {
      table.refuse(lists.lines[i], fmt::format("there are more than {} different cues", kMostCues));
    }
  }
  for (auto& [name, place] : places) {
    place = static_cast<int>(read.names.size());
    read.names.push_back(name);
  }
  for (const std::string& list : lists.words) {
    std::uint32_t bits = 0;
    for (const std::string& cue : split(list)) bits |= std::uint32_t{1} << places[cue];
    read.bits.push_back(bits);
  }
  return read;
}

std::vector<std::uint32_t> read_offers(const TrialsTable& table, const NumberedWords& lists,
                                       const std::vector<std::string>& options) {
  std::vector<std::uint32_t> all;
  for (std::size_t i = 0; i < lists.words.size(); ++i) {
    std::uint32_t bits = 0;
    for (const std::string& item : split(lists.words[i])) {
      const auto found = std::find(options.begin(), options.end(), item);
      if (found == options.end()) {
        table.refuse(lists.lines[i], fmt::format("\"{}\" offers \"{}\", which is not an option: {}",
                                                 lists.words[i], item, fmt::join(options, ", ")));
      }
      bits |= std::uint32_t{1} << (found - options.begin());
    }
    all.push_back(bits);
  }
  return all;
}

}  // namespace likely::choice
