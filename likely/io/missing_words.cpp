#include "likely/io/missing_words.hpp"

#include <algorithm>
#include <cmath>

namespace likely::io {

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
  const auto* found = std::find(kCodes.begin(), kCodes.end(), number);
  if (found == kCodes.end()) {
    lowest_ = std::min(lowest_, number);
    largest_ = std::max(largest_, std::fabs(number));
    return;
  }
  const auto k = static_cast<std::size_t>(found - kCodes.begin());
  if (counts_[k]++ == 0 || line < lines_[k]) lines_[k] = line;
}

double MissingCodes::lowest_beside(std::size_t code) const {
  double lowest = lowest_;
  for (std::size_t k = 0; k < kCodes.size(); ++k) {
    if (k != code && counts_[k] > 0) lowest = std::min(lowest, kCodes[k]);
  }
  return lowest;
}

double MissingCodes::largest_beside(std::size_t code) const {
  double largest = largest_;
  for (std::size_t k = 0; k < kCodes.size(); ++k) {
    if (k != code && counts_[k] > 0) largest = std::max(largest, std::fabs(kCodes[k]));
  }
  return largest;
}

std::string MissingCodes::note_of(std::size_t code) const {
  return std::to_string(static_cast<std::int64_t>(kCodes[code])) + " (" +
         (counts_[code] == 1 ? "once, in line " : std::to_string(counts_[code]) + " times, first in line ") +
         std::to_string(lines_[code]) + ") may stand for a missing value: it is read as a number";
}

// Of several codes the one furthest from 0 is told.
std::string MissingCodes::note() const {
  constexpr std::int64_t kFewestBesides = 10;
  for (std::size_t k = kNegative; k-- > 0;) {
    if (counts_[k] == 0) continue;
    const double others = lowest_beside(k);
    return !std::isinf(others) && others > kCodes[k] / 10.0 ? note_of(k) : std::string();
  }
  // Large numbers are more usual than such negative ones: there must be a habit that they break.
  for (std::size_t k = kCodes.size(); k-- > kNegative;) {
    if (counts_[k] == 0) continue;
    const std::int64_t others = all_ - counts_[k];
    const double times = kCodes[k] < 10.0 ? 4.0 : 10.0;
    const bool far = others >= kFewestBesides && others > counts_[k] && largest_beside(k) < kCodes[k] / times;
    return far ? note_of(k) : std::string();
  }
  return {};
}

}  // namespace likely::io
