#include "likely/models/tables/table_parts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "likely/core/create.hpp"

namespace likely::tables {

namespace {

// What an exception says ends at the first \0, which a field may hold.
std::string without_ends(const std::string& text) {
  std::string shown;
  for (const char c : text) shown += c == '\0' ? std::string("\\x00") : std::string(1, c);
  return shown;
}

}  // namespace

void refuse_table(const std::string& file, const std::string& message) {
  refuse("csv", file + ": " + without_ends(message));
}

std::string explained(const std::string& message, const std::vector<std::string>& notices) {
  std::string reasons;
  for (const std::string& notice : notices) reasons += (reasons.empty() ? "" : "; ") + without_ends(notice);
  return reasons.empty() ? message : fmt::format("{} ({})", message, reasons);
}

io::Table read_keeping(const std::filesystem::path& file, const io::CsvLayout& layout,
                       const std::vector<std::string>& categories, const CancelTest& cancelled) {
  io::CsvOptions options = layout.options();
  options.missing = io::Missing::keep;
  options.categories = categories;
  options.cancelled = cancelled;
  io::Table table = io::read_csv(file, options);
  if (table.rows() == 0) refuse_table(file.string(), "there are no rows below the names of the columns");
  return table;
}

std::vector<double> values_of(const std::string& file, const io::Table& table, std::size_t place) {
  const io::CsvColumn& column = table.columns()[place];
  std::vector<double> values = table[column.name].to_vector<double>();
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (column.kind == io::CsvColumn::Kind::category && values[row] < 0)
      values[row] = std::numeric_limits<double>::quiet_NaN();
    if (std::isinf(values[row])) {
      refuse_table(file, fmt::format("line {}, column \"{}\": the number is not finite",
                                     table.line(static_cast<std::int64_t>(row)), column.name));
    }
  }
  return values;
}

namespace {

// How many there are, and where the first is.
struct Found {
  std::int64_t count = 0;
  std::int64_t line = 0;
  std::string where{};  // the first: `"Bremen" in line 3, column "city"`

  void add(std::int64_t at, const std::string& column, const std::string& word = {}) {
    if (count++ > 0) return;
    line = at;
    where = fmt::format("{}in line {}{}", word.empty() ? "" : fmt::format("\"{}\" ", word), at,
                        column.empty() ? "" : fmt::format(", column \"{}\"", column));
  }
};

// "1 row", "3 rows".
std::string several(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// The word of a field.
std::string word_in(const io::Table& table, std::size_t place, std::size_t row) {
  const io::CsvColumn& column = table.columns()[place];
  const auto code = static_cast<std::size_t>(table[column.name].at({static_cast<std::int64_t>(row)}));
  return column.categories.at(code);
}

// Nobody doubts that "NA" is missing; "-" may have been meant.
std::string mark_of_missing(const io::CsvColumn& column) {
  const std::string& word = column.missing_word;
  if (word != "-" && word != "." && word != "?" && word != "None") return {};
  return fmt::format("; \"{}\" in line {}, column \"{}\", stands for a missing value", word,
                     column.missing_word_line, column.name);
}

}  // namespace

void finish_rows(Rows& rows, const std::string& file, const io::Table& table, const TableValues& values,
                 Missing missing) {
  const std::vector<std::vector<double>>& columns = values.inputs;
  const bool has_target = !values.target.empty();
  const std::size_t count = columns.front().size();
  std::vector<double> x;
  std::vector<double> y;
  Found without_target, incomplete, filled, unknown;
  std::string mark;  // of what may be more than a missing value
  for (std::size_t row = 0; row < count; ++row) {
    const std::int64_t line = table.line(static_cast<std::int64_t>(row));
    if (has_target && std::isnan(values.target[row])) {
      without_target.add(line, {});
      continue;
    }
    std::vector<std::size_t> absent;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (std::isnan(columns[i][row]) ||
          (rows.schema.inputs[i].holds_words && columns[i][row] == kUnknownWord))
        absent.push_back(i);
    }
    if (!absent.empty() && missing == Missing::drop) {
      incomplete.add(line, {});
      continue;
    }
    for (const std::size_t i : absent) {
      const std::string& name = rows.schema.inputs[i].name;
      const bool is_missing = std::isnan(columns[i][row]);
      const std::string word = is_missing ? "" : word_in(table, values.places[i], row);
      if (missing == Missing::refuse) {
        refuse_table(file, fmt::format("line {}, column \"{}\": {}", line, name,
                                       is_missing ? "the value is missing"
                                                  : fmt::format("the model does not know \"{}\"", word)));
      }
      (is_missing ? filled : unknown).add(line, name, word);
      if (is_missing && mark.empty()) mark = mark_of_missing(table.columns()[values.places[i]]);
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool known = !rows.schema.inputs[i].holds_words || columns[i][row] != kUnknownWord;
      x.push_back(known ? columns[i][row] : std::numeric_limits<double>::quiet_NaN());
    }
    if (has_target) y.push_back(values.target[row]);
    rows.numbers.push_back(static_cast<std::int64_t>(row));
    rows.lines.push_back(line);
  }
  rows.missing = filled.count;
  rows.unknown = unknown.count;
  rows.dropped = without_target.count + incomplete.count;
  const auto kept = static_cast<std::int64_t>(rows.numbers.size());
  if (kept == 0)
    refuse_table(file, explained("every row has missing values: there is nothing left", rows.notices));
  rows.x = tensor(x, {kept, static_cast<std::int64_t>(columns.size())});
  if (has_target) rows.y = rows.schema.classifies() ? tensor(y).to(DType::i64) : tensor(y);
  if (without_target.count > 0) {
    const io::CsvColumn* target = values.target_column;
    const bool word = target != nullptr && !target->missing_word.empty();
    rows.notices.push_back(fmt::format("{} without a target left out, the first {}{}",
                                       several(without_target.count, "row"), without_target.where,
                                       word ? fmt::format(" (\"{}\" in line {} stands for a missing value)",
                                                          target->missing_word, target->missing_word_line)
                                            : ""));
  }
  if (incomplete.count > 0) {
    rows.notices.push_back(fmt::format("{} with missing values left out, the first {}",
                                       several(incomplete.count, "row"), incomplete.where));
  }
  if (filled.count > 0) {
    rows.notices.push_back(
        fmt::format("{} filled in, the first {}: by means, and words by none of the words{}",
                    several(filled.count, "missing value"), filled.where, mark));
  }
  if (unknown.count > 0) {
    rows.notices.push_back(
        fmt::format("{} that the model does not know, the first {}: taken for none of its words",
                    several(unknown.count, "word"), unknown.where));
  }
}

}  // namespace likely::tables
