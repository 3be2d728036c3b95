// Hot: every cell of a file of trials.
#include "likely/models/choice/files/number_column.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "likely/io/decimal_comma.hpp"
#include "likely/io/parse_number.hpp"

namespace likely::choice {

NumberColumn::NumberColumn(std::string name, bool may_have_commas)
    : name_(std::move(name)), may_have_commas_(may_have_commas) {}

double NumberColumn::read(const io::CsvRecords& records, std::string_view text) {
  constexpr double kLargest = 1e100;
  double value = 0.0;
  if (io::parse_number(text, value)) {
    if (point_.line == 0 && text.find('.') != text.npos) point_ = {std::string(text), records.line()};
  } else if (may_have_commas_ && io::parse_decimal_comma(text, value)) {
    if (comma_.line == 0) comma_ = {std::string(text), records.line()};
  } else {
    value = std::nan("");
  }
  if (!std::isfinite(value))
    records.refuse(fmt::format("column \"{}\" must hold numbers, got \"{}\"", name_, text));
  if (std::fabs(value) > kLargest)
    records.refuse(
        fmt::format("column \"{}\": {} is too large, at most {} is possible", name_, text, kLargest));
  codes_.add(value, records.line());
  return value;
}

std::vector<std::string> NumberColumn::notes(const io::CsvRecords& records) const {
  if (comma_.line > 0 && point_.line > 0) {
    records.refuse(comma_.line,
                   fmt::format("column \"{}\" has a decimal comma in \"{}\", and a point in \"{}\" "
                               "in line {}",
                               name_, comma_.text, point_.text, point_.line));
  }
  std::vector<std::string> notes;
  if (comma_.line > 0) {
    notes.push_back(fmt::format("column \"{}\": \"{}\" in line {} is read as a number with a decimal comma",
                                name_, comma_.text, comma_.line));
  }
  if (const std::string note = codes_.note(); !note.empty())
    notes.push_back(fmt::format("column \"{}\": {}", name_, note));
  return notes;
}

}  // namespace likely::choice
