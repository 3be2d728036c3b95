#include "likely/models/tables/table_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "likely/core/error.hpp"
#include "likely/core/whole_number.hpp"
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
  std::int64_t number = wanted == "last" ? -1 : whole_number<std::int64_t>(wanted).value_or(count);
  if (number < 0) number += count;
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
  if (values.size() == 1) refuse_table(file, "there is only one row: nothing can be learned from it");
  if (different.size() == 1) {
    const std::string value = column.kind == Kind::category
                                  ? column.categories[static_cast<std::size_t>(*different.begin())]
                                  : fmt::format("{}", *different.begin());
    refuse_table(
        file, fmt::format("the target \"{}\" is always {}{}: there is nothing to learn", column.name, value,
                          column.missing_word.empty()
                              ? ""
                              : fmt::format(" (\"{}\" in line {} stands for a missing value)",
                                            column.missing_word, column.missing_word_line)));
  }
  if (column.kind == Kind::category) {
    const bool few_rows_a_class = column.categories.size() * 2 > rows;
    if (column.has_strays() && (task == Task::regress || few_rows_a_class)) {
      refuse_table(file, fmt::format("line {}, the target \"{}\": \"{}\" is not a number, as {} of its {} "
                                     "fields are",
                                     column.first_word_line, column.name, column.first_word, column.numbers,
                                     column.numbers + column.words));
    }
    if (task == Task::regress) {
      refuse_table(file, fmt::format("the target \"{}\" holds words such as \"{}\" (line {}): numbers cannot "
                                     "be predicted from it",
                                     column.name, column.first_word, column.first_word_line));
    }
    if (few_rows_a_class) {
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

// What is to be told about the columns of a table as it is.
void add_notes(const io::Table& table, const io::CsvLayout& layout, std::vector<std::string>& notices) {
  if (!layout.note.empty()) notices.push_back(layout.note);
  notices.insert(notices.end(), table.notes().begin(), table.notes().end());
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

namespace {

// The targets of a column. Classes whose numbers have a 0 in front are called as the file calls them: for
// this the table is read again.
Target read_target(const std::filesystem::path& path, const io::CsvLayout& layout, io::Table& table,
                   std::size_t place, const std::vector<std::string>& named, const ReadOptions& options) {
  const std::string file = path.string();
  const std::string name = table.columns()[place].name;
  Target target =
      decide_task(file, table.columns()[place], values_of(file, table, place), named, options.task);
  if (target.classes.empty() || !named.empty() || table.columns()[place].leading_zero.empty()) return target;
  table = read_keeping(path, layout, {name}, options.cancelled);
  return {values_of(file, table, place), table.columns()[place].categories};
}

}  // namespace

Rows read_table(const ReadOptions& options) {
  const std::string file = options.file.string();
  const io::CsvLayout layout = io::guess_csv_layout(options.file, options.hints);
  io::Table table = read_keeping(options.file, layout, {}, options.cancelled);
  const std::size_t count = table.columns().size();
  if (!layout.header && table.rows() == 1) {
    refuse_table(file, fmt::format("there is only line {}: names of columns and rows below them are expected",
                                   table.line(0)));
  }

  Rows rows;
  add_notes(table, layout, rows.notices);
  TableValues values;
  rows.schema.nameless_columns = layout.header ? 0 : static_cast<std::int64_t>(count);
  Target target;
  std::set<std::size_t> passed_over;
  if (options.target_file.empty()) {
    const std::size_t place = find_column(file, table, options.target);
    const bool last = place + 1 == count;
    passed_over.insert(place);
    target = read_target(options.file, layout, table, place,
                         last ? layout.classes : std::vector<std::string>(), options);
    values.target_column = &table.columns()[place];
    rows.schema.target = table.columns()[place].name;
  } else {
    const std::string other = options.target_file.string();
    const io::CsvLayout of_targets = io::guess_csv_layout(options.target_file);
    io::Table apart = read_keeping(options.target_file, of_targets, {}, options.cancelled);
    std::vector<std::string> notes;
    add_notes(apart, {}, notes);
    for (const std::string& note : notes) rows.notices.push_back(fmt::format("{}: {}", other, note));
    if (apart.rows() != table.rows()) {
      refuse_table(
          other, fmt::format("there are {} targets for the {} rows of {}", apart.rows(), table.rows(), file));
    }
    const std::size_t place = find_column(other, apart, options.target);
    target = read_target(options.target_file, of_targets, apart, place, {}, options);
  }
  rows.schema.classes = target.classes;
  for (const std::string& name : options.ignore) passed_over.insert(find_column(file, table, name));

  for (std::size_t i = 0; i < count; ++i) {
    if (passed_over.contains(i)) continue;
    const io::CsvColumn& column = table.columns()[i];
    std::vector<double> numbers = values_of(file, table, i);
    const std::string reason = reason_to_leave_out(column, numbers);
    if (!reason.empty()) {
      rows.notices.push_back(fmt::format("column \"{}\" left out: {}", column.name, reason));
      continue;
    }
    const bool words = column.kind == Kind::category;
    rows.schema.inputs.push_back({.name = column.name,
                                  .holds_words = words,
                                  .words = words ? column.categories : std::vector<std::string>()});
    values.inputs.push_back(std::move(numbers));
    values.places.push_back(i);
  }
  if (values.inputs.empty()) refuse_table(file, "no column is left to predict the target from");
  values.target = std::move(target.values);
  finish_rows(rows, file, table, values, options.missing);
  return rows;
}

}  // namespace likely::tables
