#include "likely/models/choice/files/odd_choices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <map>

#include "likely/io/parse_number.hpp"

namespace likely::choice {

namespace {

// Less than this share of the trials is rare, whatever else is chosen.
constexpr std::int64_t kRare = 100;
// What is rarer than all others: so many times, and at most this share of the trials. Real options, too, are
// chosen seldom where they pay badly, but seldom by so much.
constexpr std::int64_t kTimesRarer = 3, kSeldom = 20;
// Subjects with fewer trials for each option have no time to try all.
constexpr std::int64_t kTrialsAnOption = 5;

class Options {
 public:
  Options(const Trials& trials, const OptionWords& words)
      : trials_(trials),
        words_(words),
        counts_(static_cast<std::size_t>(trials.options)),
        subjects_(static_cast<std::size_t>(trials.options)) {
    for (const Subject& subject : trials.subjects) {
      std::uint32_t chosen = 0;
      for (const std::int32_t choice : subject.choice) {
        ++counts_[static_cast<std::size_t>(choice)];
        chosen |= std::uint32_t{1} << choice;
      }
      for (std::size_t k = 0; k < subjects_.size(); ++k) subjects_[k] += (chosen >> k) & 1U;
      chosen_by_.push_back(chosen);
      some_withheld_ = some_withheld_ || !subject.offered.empty();
    }
  }

  std::vector<std::string> report() {
    find_rare();
    // Options that are not always offered are rare for a reason, and so are those that somebody counted.
    if (!words_.are_told) {
      if (words_.are_numbers) find_behind_gap();
      if (!some_withheld_) find_rarer_than_others();
    }
    std::vector<std::string> lines;
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      if (((stray_ >> k) & 1U) == 0) continue;
      lines.push_back(fmt::format(
          "option {} is chosen in {} of {} trials, by {} of {} subjects: if it is no option, "
          "leave these trials out (NA)",
          trials_.option_names[k], counts_[k], trials_.size(), subjects_[k], trials_.subjects.size()));
    }
    if (!words_.are_told && !some_withheld_) report_ways(lines);
    return lines;
  }

 private:
  void find_rare() {
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      if (counts_[k] > 0 && counts_[k] * kRare < trials_.size()) stray_ |= std::uint32_t{1} << k;
    }
  }

  void find_behind_gap() {
    std::size_t unchosen = 0;
    bool gap = false;
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      unchosen = counts_[k] == 0 ? unchosen + 1 : 0;
      gap = gap || unchosen > 1;
      if (gap && counts_[k] > 0) stray_ |= std::uint32_t{1} << k;
    }
  }

  void find_rarer_than_others() {
    std::vector<std::size_t> order;  // the rarest first
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      if (counts_[k] > 0) order.push_back(k);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return counts_[a] < counts_[b]; });
    // Where nothing was chosen, many programs write 0 beside 1, 2, ...
    if (words_.zero_is_guessed && order.size() > 2 && order[0] == 0 && counts_[0] * kSeldom <= trials_.size())
      stray_ |= 1U;
    for (std::size_t i = order.size(); i-- > 0;) {
      if (i + 2 >= order.size()) continue;  // two or more stay
      const std::int64_t count = counts_[order[i]];
      if (count * kTimesRarer > counts_[order[i + 1]] || count * kSeldom > trials_.size()) continue;
      for (std::size_t j = 0; j <= i; ++j) stray_ |= std::uint32_t{1} << order[j];
      return;
    }
  }

  std::vector<std::string> names_of(std::uint32_t options) const {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < counts_.size(); ++k) {
      if (((options >> k) & 1U) != 0) names.push_back(trials_.option_names[k]);
    }
    return names;
  }

  void report_ways(std::vector<std::string>& lines) const {
    struct Way {
      std::uint32_t options;
      std::int64_t subjects;
      std::string first;
    };
    std::uint32_t all = 0;
    int most = 0;
    std::vector<Way> ways;
    for (std::size_t s = 0; s < chosen_by_.size(); ++s) {
      const std::uint32_t own = chosen_by_[s] & ~stray_;
      all |= own;
      most = std::max(most, std::popcount(own));
      const auto known =
          std::find_if(ways.begin(), ways.end(), [&](const Way& way) { return way.options == own; });
      if (known == ways.end()) {
        ways.push_back({own, 1, trials_.subjects[s].id});
      } else {
        ++known->subjects;
      }
    }
    const int options = std::popcount(all);
    const auto subjects = static_cast<std::int64_t>(chosen_by_.size());
    if (options < 3 || most == options || trials_.size() < kTrialsAnOption * options * subjects) return;
    constexpr std::size_t kWaysNamed = 3;
    std::stable_sort(ways.begin(), ways.end(),
                     [](const Way& a, const Way& b) { return a.subjects > b.subjects; });
    std::vector<std::string> named;
    for (std::size_t i = 0; i < std::min(kWaysNamed, ways.size()); ++i) {
      const Way& way = ways[i];
      named.push_back(
          way.subjects == 1
              ? fmt::format("{} by subject {}", fmt::join(names_of(way.options), " and "), way.first)
              : fmt::format("{} by {} subjects such as {}", fmt::join(names_of(way.options), " and "),
                            way.subjects, way.first));
    }
    if (ways.size() > kWaysNamed) named.emplace_back("...");
    lines.push_back(fmt::format(
        "no subject chooses more than {} of the {} options: {}; if some of them write the same choices in "
        "another way, write them alike (`options = {}` if there are so many)",
        most, options, fmt::join(named, ", "), trials_.options));
  }

  const Trials& trials_;
  OptionWords words_;
  std::vector<std::int64_t> counts_, subjects_;  // of each option: how often it is chosen, and by how many
  std::vector<std::uint32_t> chosen_by_;         // by each subject
  std::uint32_t stray_ = 0;
  bool some_withheld_ = false;
};

// Small letters; those of Latin-1, which are two bytes of UTF-8, too.
std::string without_capitals(const std::string& word) {
  std::string result = word;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto c = static_cast<unsigned char>(result[i]);
    const bool latin = i > 0 && static_cast<unsigned char>(result[i - 1]) == 0xC3 && c >= 0x80 && c <= 0x9E &&
                       c != 0x97;  // the sign of multiplication
    if ((c >= 'A' && c <= 'Z') || latin) result[i] = static_cast<char>(c + 0x20);
  }
  return result;
}

}  // namespace

std::vector<std::string> odd_choices(const Trials& trials, const OptionWords& words) {
  return Options(trials, words).report();
}

std::string same_words(const std::string& what, const std::vector<std::string>& words) {
  constexpr std::size_t kExactDigits = 15;  // of a double
  std::map<std::string, std::string> first_of;
  std::string line;
  std::int64_t more = 0;
  for (const std::string& word : words) {
    double number = 0.0;
    const bool is_number = word.size() <= kExactDigits && io::parse_number(word, number);
    const auto [first, is_new] =
        first_of.try_emplace(is_number ? fmt::format("{}", number) : without_capitals(word), word);
    if (is_new) continue;
    if (!line.empty()) {
      ++more;
      continue;
    }
    line = is_number ? fmt::format("{} {} and {} are the same number", what, first->second, word)
                     : fmt::format("{} {} and {} differ only in capitals", what, first->second, word);
  }
  if (line.empty()) return line;
  if (more == 1) line += ", and there is 1 more such word";
  if (more > 1) line += fmt::format(", and there are {} more such words", more);
  return line + ": if they are the same, write them alike";
}

}  // namespace likely::choice
