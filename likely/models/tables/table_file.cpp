#include "likely/models/tables/table_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "likely/core/error.hpp"
#include "likely/models/tables/table_parts.hpp"

namespace likely::tables {

namespace {

using Kind = io::CsvColumn::Kind;

constexpr std::size_t kMostWords = 100;
constexpr std::size_t kMostNumberedClasses = 20;
constexpr std::size_t kRowsPerNumberedClass = 5;
constexpr std::size_t kRowsToCount = 10;  // fewer numbers in sequence are no sign of an identifier

// A column by its name, its number from 0 on or from -1 backwards, or "last".
std::size_t find_column(const std::string& file, const io::Table& table, const std::string& wanted) {
  const std::vector<io::CsvColumn>& columns = table.columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name == wanted) return i;
  }
  const auto count = static_cast<std::int64_t>(columns.size());
  std::int64_t number = count;
  if (wanted == "last") number = count - 1;
  const char* end = wanted.data() + wanted.size();
  const auto [stop, error] = std::from_chars(wanted.data(), end, number);
  if (error == std::errc() && stop == end && number < 0) number += count;
  if (number >= 0 && number < count) return static_cast<std::size_t>(number);
  std::string known;
  for (const io::CsvColumn& column : columns) known += (known.empty() ? "" : ", ") + column.name;
  refuse_table(file, fmt::format("there is no column \"{}\"; it has {}", wanted, known));
}

bool counts_rows(const std::vector<double>& values) {
  if (values.size() < kRowsToCount) return false;
  for (std::size_t row = 1; row < values.size(); ++row) {
    if (!(values[row] == values[row - 1] + 1)) return false;
  }
  return true;
}

struct Target {
  std::vector<double> values;  // classes or numbers; NaN: missing
  std::vector<std::string> classes{};
};

// Whole numbers as classes, which are named by their digits.
Target numbered_classes(const std::vector<double>& values) {
  const auto present = [](double value) { return !std::isnan(value); };
  std::set<double> different;
  std::copy_if(values.begin(), values.end(), std::inserter(different, different.end()), present);
  Target target{.values = values};
  std::map<double, double> places;
  for (const double value : different) {
    places.emplace(value, static_cast<double>(target.classes.size()));
    target.classes.push_back(fmt::format("{}", value));
  }
  for (double& value : target.values) {
    if (present(value)) value = places.at(value);
  }
  return target;
}

Target decide_task(const std::string& file, const io::CsvColumn& column, std::vector<double> values,
                   const std::vector<std::string>& named, Task task) {
  std::set<double> different;
  bool whole = true;
  std::size_t rows = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    ++rows;
    whole = whole && value == std::floor(value) && std::abs(value) < 1e15;
    if (different.size() <= kMostWords * kMostWords) different.insert(value);
  }
  if (rows == 0) refuse_table(file, fmt::format("the target \"{}\" is missing in every row", column.name));
  if (different.size() == 1) {
    const std::string value = column.kind == Kind::category
                                  ? column.categories[static_cast<std::size_t>(*different.begin())]
                                  : fmt::format("{}", *different.begin());
    refuse_table(
        file, fmt::format("the target \"{}\" is always {}: there is nothing to learn", column.name, value));
  }
  if (column.kind == Kind::category) {
    if (task == Task::regress) {
      refuse_table(file, fmt::format("the target \"{}\" holds words such as \"{}\" (line {}): numbers cannot "
                                     "be predicted from it",
                                     column.name, column.first_word, column.first_word_line));
    }
    if (column.categories.size() * 2 > rows) {
      refuse_table(file,
                   fmt::format("the target \"{}\" has {} different words in {} rows: too few rows a class "
                               "to learn from",
                               column.name, column.categories.size(), rows));
    }
    return {std::move(values), column.categories};
  }
  if (!named.empty() && task != Task::regress) return {std::move(values), named};
  const bool few =
      different.size() <= kMostNumberedClasses && different.size() * kRowsPerNumberedClass <= rows;
  if (task == Task::classify && (!whole || different.size() * 2 > rows)) {
    refuse_table(
        file, fmt::format("the target \"{}\" does not hold classes: it has {} different numbers in {} rows",
                          column.name, different.size(), rows));
  }
  if (task == Task::classify || (task == Task::automatic && whole && few)) return numbered_classes(values);
  return {std::move(values)};
}

// A column kept as an input, or the reason why not.
std::string reason_to_leave_out(const io::CsvColumn& column, const std::vector<double>& values) {
  if (column.kind == Kind::category) {
    const std::size_t different = column.categories.size();
    if (different > kMostWords || (different > 2 * kRowsToCount && 2 * different > values.size())) {
      return fmt::format("it has {} different words", different);
    }
  }
  if (column.kind == Kind::whole && counts_rows(values)) return "it counts the rows";
  return {};
}

}  // namespace

Rows read_table(const ReadOptions& options) {
  const std::string file = options.file.string();
  const io::CsvLayout layout = io::guess_csv_layout(options.file, options.hints);
  const io::Table table = read_keeping(options.file, layout, {});
  const std::size_t count = table.columns().size();

  Rows rows;
  rows.schema.nameless_columns = layout.header ? 0 : static_cast<std::int64_t>(count);
  Target target;
  std::set<std::size_t> passed_over;
  if (options.target_file.empty()) {
    const std::size_t place = find_column(file, table, options.target);
    const bool last = place + 1 == count;
    passed_over.insert(place);
    rows.schema.target = table.columns()[place].name;
    target = decide_task(file, table.columns()[place], values_of(file, table, place),
                         last ? layout.classes : std::vector<std::string>(), options.task);
  } else {
    const std::string other = options.target_file.string();
    const io::Table apart = read_keeping(options.target_file, io::guess_csv_layout(options.target_file), {});
    if (apart.rows() != table.rows()) {
      refuse_table(
          other, fmt::format("there are {} targets for the {} rows of {}", apart.rows(), table.rows(), file));
    }
    const std::size_t place = find_column(other, apart, options.target);
    target = decide_task(other, apart.columns()[place], values_of(other, apart, place), {}, options.task);
  }
  rows.schema.classes = target.classes;
  for (const std::string& name : options.ignore) passed_over.insert(find_column(file, table, name));

  std::vector<std::vector<double>> columns;
  for (std::size_t i = 0; i < count; ++i) {
    if (passed_over.contains(i)) continue;
    const io::CsvColumn& column = table.columns()[i];
    std::vector<double> values = values_of(file, table, i);
    const std::string reason = reason_to_leave_out(column, values);
    if (!reason.empty()) {
      rows.notices.push_back(fmt::format("column \"{}\" left out: {}", column.name, reason));
      continue;
    }
    const bool words = column.kind == Kind::category;
    rows.schema.inputs.push_back({.name = column.name,
                                  .holds_words = words,
                                  .words = words ? column.categories : std::vector<std::string>()});
    columns.push_back(std::move(values));
  }
  if (columns.empty()) refuse_table(file, "no column is left to predict the target from");
  finish_rows(rows, file, columns, &target.values, options.missing);
  return rows;
}

}  // namespace likely::tables
