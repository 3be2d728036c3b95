#include "likely/io/missing_words.hpp"

#include <algorithm>
#include <cmath>

namespace likely::io {

namespace {

constexpr std::int64_t kFewestTimes = 3, kFewestForAHabit = 20;  // of a code, and of others beside it

}  // namespace

const std::vector<std::string>& usual_missing_words() {
  static const std::vector<std::string> kWords{"NA",   "N/A",  "n/a",  "#N/A", "<NA>", "NaN", "nan",
                                               "NULL", "null", "None", "-",    ".",    "?"};
  return kWords;
}

bool is_usually_missing(std::string_view text) {
  const std::vector<std::string>& words = usual_missing_words();
  return text.empty() || std::find(words.begin(), words.end(), text) != words.end();
}

void MissingCodes::add(double number, std::int64_t line) {
  if (std::isnan(number)) return;
  ++all_;
  if (first_.size() < kFirst) first_.push_back(number);
  const auto* found = std::find(kCodes.begin(), kCodes.end(), number);
  if (found == kCodes.end()) {
    lowest_ = std::min(lowest_, number);
    highest_ = std::max(highest_, number);
    whole_ = whole_ && number == std::floor(number);
    return;
  }
  const auto k = static_cast<std::size_t>(found - kCodes.begin());
  if (counts_[k]++ == 0 || line < lines_[k]) lines_[k] = line;
}

MissingCodes::Others MissingCodes::beside(std::size_t code) const {
  Others others{.count = all_ - counts_[code], .lowest = lowest_, .highest = highest_};
  for (std::size_t k = 0; k < kCodes.size(); ++k) {
    if (k == code || counts_[k] == 0) continue;
    others.lowest = std::min(others.lowest, kCodes[k]);
    others.highest = std::max(others.highest, kCodes[k]);
  }
  others.largest = std::max(std::fabs(others.lowest), std::fabs(others.highest));
  std::vector<double> sorted = first_;
  std::sort(sorted.begin(), sorted.end());
  for (auto from = sorted.begin(); from != sorted.end();) {
    const auto to = std::upper_bound(from, sorted.end(), *from);
    if (*from != kCodes[code]) {
      ++others.different;
      others.most =
          std::max(others.most, static_cast<double>(to - from) / static_cast<double>(sorted.size()));
    }
    from = to;
  }
  return others;
}

std::string MissingCodes::note_of(std::size_t code) const {
  return std::to_string(static_cast<std::int64_t>(kCodes[code])) + " (" +
         (counts_[code] == 1 ? "once, in line " : std::to_string(counts_[code]) + " times, first in line ") +
         std::to_string(lines_[code]) + ") may stand for a missing value: it is read as a number";
}

bool MissingCodes::is_far_below(std::size_t code) const {
  const Others others = beside(code);
  return others.count > 0 && others.lowest > kCodes[code] / 10.0;
}

// Large numbers are more usual than such negative ones: there must be a habit that they break.
bool MissingCodes::is_far_above(std::size_t code) const {
  constexpr std::int64_t kFewestBesides = 10;
  const Others others = beside(code);
  const double times = kCodes[code] < 10.0 ? 4.0 : 10.0;
  return others.count >= kFewestBesides && others.count > counts_[code] &&
         others.largest < kCodes[code] / times;
}

// Near the others a code is told by how often it comes, and by the numbers between that never do.
bool MissingCodes::is_beyond_a_habit(std::size_t code) const {
  constexpr std::size_t kFewestOnAScale = 3, kFewestSpread = 10;
  if (counts_[code] < kFewestTimes) return false;
  const Others others = beside(code);
  if (others.count < kFewestForAHabit || others.count <= counts_[code]) return false;
  const double value = kCodes[code];
  const bool starts_a_scale = others.lowest == 0.0 || others.lowest == 1.0;
  if (whole_ && starts_a_scale && 3.0 * others.highest <= 2.0 * value &&
      others.different >= kFewestOnAScale &&
      static_cast<double>(others.different) == others.highest - others.lowest + 1.0)
    return true;
  const double share = static_cast<double>(counts_[code]) / static_cast<double>(all_);
  const double times = others.largest < 0.8 * value ? 1.0 : 2.0;
  return others.different >= kFewestSpread && others.largest < 0.95 * value && share > times * others.most;
}

// What is counted is never -1. -1, 0 and 1 are signs.
bool MissingCodes::is_below_counts(std::size_t code) const {
  constexpr std::size_t kFewestDifferent = 4;
  if (counts_[code] < kFewestTimes || !whole_) return false;
  const Others others = beside(code);
  return others.count >= kFewestForAHabit && others.count > counts_[code] && others.lowest >= 0.0 &&
         others.different >= kFewestDifferent;
}

// Of several codes the one furthest from 0 is told, and those below it first.
std::string MissingCodes::note() const {
  for (std::size_t k = kNegative; k-- > 1;) {
    if (counts_[k] > 0 && is_far_below(k)) return note_of(k);
  }
  for (std::size_t k = kCodes.size(); k-- > kNegative;) {
    if (counts_[k] > 0 && (is_far_above(k) || is_beyond_a_habit(k))) return note_of(k);
  }
  return counts_[0] > 0 && is_below_counts(0) ? note_of(0) : std::string();
}

}  // namespace likely::io
