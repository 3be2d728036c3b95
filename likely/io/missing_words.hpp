// What stands for a missing value in tables of others: one list for all readers.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace likely::io {

// Besides empty fields: NA, N/A, n/a, #N/A, <NA>, NaN, nan, NULL, null, None, "-", "." and "?". In a column
// that also holds "+", "-" is a word.
const std::vector<std::string>& usual_missing_words();

// Whether a field is empty or one of them.
bool is_usually_missing(std::string_view text);

// Looks for a number by which others mark what is missing, among numbers that are nothing like it: -99, -999
// or -9999, where all others lie above a tenth of it; 99, 999 or 9999, where there are ten others or more and
// each is less than a tenth of it, and 9, where each is less than a quarter, whatever their signs. It is a
// number all the same: somebody should be told.
class MissingCodes {
 public:
  void add(double number, std::int64_t line);
  // "-999 (12 times, first in line 3) may stand for a missing value: it is read as a number"; else nothing.
  std::string note() const;

 private:
  // "-999 (once, in line 3) ...".
  std::string note_of(std::size_t code) const;
  // The lowest of all other numbers, and the furthest from 0.
  double lowest_beside(std::size_t code) const;
  double largest_beside(std::size_t code) const;

  static constexpr std::array<double, 7> kCodes{-99.0, -999.0, -9999.0, 9.0, 99.0, 999.0, 9999.0};
  static constexpr std::size_t kNegative = 3;  // so many of them
  std::array<std::int64_t, 7> counts_{}, lines_{};
  std::int64_t all_ = 0;
  double lowest_ = std::numeric_limits<double>::infinity();  // of those that are no codes
  double largest_ = 0.0;
};

}  // namespace likely::io
