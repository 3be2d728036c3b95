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

// Looks for a number by which others mark what is missing, among numbers that are nothing like it. It is a
// number all the same: somebody should be told. The codes are
// - -99, -999 and -9999, where all others lie above a tenth of them;
// - 99, 999 and 9999, where there are ten others or more and each is less than a tenth of it, and 9, where
//   each is less than a quarter, whatever their signs;
// - 9, 99, 999 and 9999, three times or more among at least 20 others, where these are a scale (every whole
//   number from 0 or 1 to two thirds of the code at most, and three of them or more), or where the code is
//   the most frequent number, ten others or more are different and all are below four fifths of it; below
//   nineteen twentieths, where it is twice as frequent as any;
// - -1, three times or more among at least 20 whole numbers from 0 on, of which four or more are different.
// What is frequent is known by the first 2,000 numbers.
class MissingCodes {
 public:
  void add(double number, std::int64_t line);
  // "-999 (12 times, first in line 3) may stand for a missing value: it is read as a number"; else nothing.
  std::string note() const;

 private:
  // The numbers other than a code.
  struct Others {
    std::int64_t count = 0;
    double lowest = 0.0, highest = 0.0;
    double largest = 0.0;       // the furthest from 0
    std::size_t different = 0;  // of the first ones,
    double most = 0.0;          // and the share of the most frequent of these
  };
  // "-999 (once, in line 3) ...".
  std::string note_of(std::size_t code) const;
  Others beside(std::size_t code) const;
  bool is_far_below(std::size_t code) const;
  bool is_far_above(std::size_t code) const;
  bool is_beyond_a_habit(std::size_t code) const;
  bool is_below_counts(std::size_t code) const;

  static constexpr std::array<double, 8> kCodes{-1.0, -99.0, -999.0, -9999.0, 9.0, 99.0, 999.0, 9999.0};
  static constexpr std::size_t kNegative = 4;  // so many of them
  static constexpr std::size_t kFirst = 2000;
  std::array<std::int64_t, 8> counts_{}, lines_{};
  std::int64_t all_ = 0;
  std::vector<double> first_{};
  bool whole_ = true;                                        // those that are no codes are
  double lowest_ = std::numeric_limits<double>::infinity();  // of these
  double highest_ = -std::numeric_limits<double>::infinity();
};

}  // namespace likely::io
