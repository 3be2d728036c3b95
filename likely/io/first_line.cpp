#include "likely/io/first_line.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "likely/io/csv_schema.hpp"
#include "likely/io/decimal_comma.hpp"
#include "likely/io/missing_words.hpp"

namespace likely::io {

namespace {

using Record = std::vector<std::string>;
using Kind = CsvColumn::Kind;

class Judge {
 public:
  Judge(const std::vector<Record>& records, std::int64_t line, char separator)
      : records_(records),
        first_(records.front()),
        line_("line " + std::to_string(line)),
        separator_(separator) {}

  FirstLine decide() const {
    if (records_.size() < 2) return {};
    const bool numbers =
        std::any_of(first_.begin(), first_.end(), [&](const auto& f) { return is_number(f); });
    if (!numbers && stands_above_numbers()) return {true};
    if (!numbers) {
      if (comes_again()) return {false};
      return {true,
              line_ +
                  " is taken for the names of the columns, as nothing of it comes again below: `header = no` "
                  "if it is a row"};
    }
    const bool above = stands_above_numbers();
    const bool names = whole_and_different();
    if (above && (!names || numbers_come_again())) {
      return {false, line_ +
                         " is taken for a row, though a word in it stands above numbers, as its numbers " +
                         (names ? "come again below" : "are not whole or not all different") +
                         ": `header = yes` if it has the names of the columns"};
    }
    if (!names) return {false};
    if (above) {
      return {
          true,
          line_ +
              " is taken for the names of the columns, as a word in it stands above numbers: `header = no` "
              "if it is a row"};
    }
    if (!comes_again() && counts_up(first_) &&
        std::none_of(records_.begin() + 1, records_.end(), [&](const Record& r) { return counts_up(r); })) {
      return {
          true,
          line_ +
              " is taken for the names of the columns, as its numbers count up and those of no other line "
              "do: `header = no` if it is a row"};
    }
    if (stands_above_fractions()) {
      return {
          false,
          line_ +
              " is taken for a row, though its numbers are whole and those below are not: `header = yes` if "
              "it has the names of the columns"};
    }
    return {false};
  }

 private:
  bool is_number(const std::string& text) const {
    double value = 0.0;
    return !is_usually_missing(text) &&
           (kind_of_field(text) != Kind::category || (separator_ != ',' && parse_decimal_comma(text, value)));
  }
  bool is_word(const std::string& text) const { return !is_usually_missing(text) && !is_number(text); }

  // fits(text) for each field below the one in the first line that is not missing; how many there are.
  template <class Fits>
  std::size_t count_below(std::size_t column, Fits fits, std::size_t& all) const {
    std::size_t count = 0;
    all = 0;
    for (std::size_t row = 1; row < records_.size(); ++row) {
      if (column >= records_[row].size() || is_usually_missing(records_[row][column])) continue;
      ++all;
      count += fits(records_[row][column]) ? 1 : 0;
    }
    return count;
  }

  // A word above a column that holds numbers only.
  bool stands_above_numbers() const {
    for (std::size_t column = 0; column < first_.size(); ++column) {
      if (!is_word(first_[column])) continue;
      std::size_t all = 0;
      const std::size_t numbers = count_below(
          column, [&](const auto& f) { return is_number(f); }, all);
      if (all > 0 && numbers == all) return true;
    }
    return false;
  }

  // Numbers, all above columns of numbers some of which are not whole.
  bool stands_above_fractions() const {
    for (std::size_t column = 0; column < first_.size(); ++column) {
      if (!is_number(first_[column])) return false;
      std::size_t all = 0;
      const auto is_fraction = [&](const auto& f) { return is_number(f) && kind_of_field(f) != Kind::whole; };
      if (count_below(column, is_fraction, all) == 0) return false;
    }
    return true;
  }

  bool comes_again() const {
    for (std::size_t column = 0; column < first_.size(); ++column) {
      std::size_t all = 0;
      const auto same = [&](const auto& f) { return is_word(f) && f == first_[column]; };
      if (count_below(column, same, all) > 0) return true;
    }
    return false;
  }

  // Half of the numbers of the first line, or more, in their columns: as values do.
  bool numbers_come_again() const {
    std::size_t numbers = 0;
    std::size_t again = 0;
    for (std::size_t column = 0; column < first_.size(); ++column) {
      if (!is_number(first_[column])) continue;
      ++numbers;
      std::size_t all = 0;
      again += count_below(
                   column, [&](const auto& f) { return f == first_[column]; }, all) > 0
                   ? 1
                   : 0;
    }
    return 2 * again >= numbers;
  }

  // The numbers of the first line.
  bool whole_and_different() const {
    std::set<std::string> different;
    for (const std::string& field : first_) {
      if (!is_number(field)) continue;
      if (kind_of_field(field) != Kind::whole || !different.insert(field).second) return false;
    }
    return true;
  }

  // The fields of a record where the first line has numbers: each one more than the one before, or, if there
  // are four or more, by the same step; or years, each later than the one before.
  bool counts_up(const Record& record) const {
    std::optional<std::int64_t> last, step;
    std::int64_t count = 0;
    bool years = true;
    bool even = true;
    for (std::size_t column = 0; column < first_.size(); ++column) {
      if (!is_number(first_[column])) continue;
      std::int64_t value = 0;
      if (column >= record.size() || !parse_number(std::string_view(record[column]), value)) return false;
      years = years && value >= 1900 && value <= 2100;
      if (std::int64_t more = 0; last) {
        if (__builtin_sub_overflow(value, *last, &more) || more < 1) return false;
        even = even && more == step.value_or(more);
        step = step.value_or(more);
      }
      last = value;
      ++count;
    }
    return count >= 2 && (years || (even && count >= (*step == 1 ? 3 : 4)));
  }

  const std::vector<Record>& records_;
  const Record& first_;
  std::string line_;
  char separator_;
};

}  // namespace

FirstLine judge_first_line(const std::vector<std::vector<std::string>>& records, std::int64_t line,
                           char separator) {
  return Judge(records, line, separator).decide();
}

}  // namespace likely::io
