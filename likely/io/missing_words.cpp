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
  const auto* found = std::find(kCodes.begin(), kCodes.end(), number);
  if (found == kCodes.end()) {
    lowest_ = std::min(lowest_, number);
    return;
  }
  const auto k = static_cast<std::size_t>(found - kCodes.begin());
  if (counts_[k]++ == 0 || line < lines_[k]) lines_[k] = line;
}

std::string MissingCodes::note() const {
  for (std::size_t k = kCodes.size(); k-- > 0;) {
    if (counts_[k] == 0) continue;
    double others = lowest_;
    for (std::size_t j = 0; j < k; ++j) {
      if (counts_[j] > 0) others = std::min(others, kCodes[j]);
    }
    // Of several codes the lowest is told.
    if (std::isinf(others) || !(others > kCodes[k] / 10.0)) return {};
    return std::to_string(static_cast<std::int64_t>(kCodes[k])) + " (" +
           (counts_[k] == 1 ? "once, in line " : std::to_string(counts_[k]) + " times, first in line ") +
           std::to_string(lines_[k]) + ") may stand for a missing value: it is read as a number";
  }
  return {};
}

}  // namespace likely::io
