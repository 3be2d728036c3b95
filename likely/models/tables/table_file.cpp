#include "likely/models/tables/table_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "likely/core/error.hpp"
#include "likely/core/whole_number.hpp"
#include "likely/models/tables/digit_names.hpp"
#include "likely/models/tables/doubts.hpp"
#include "likely/models/tables/table_parts.hpp"
#include "likely/models/tables/target.hpp"

namespace likely::tables {

namespace {

using Kind = io::CsvColumn::Kind;

constexpr std::size_t kMostWords = 100;
constexpr std::size_t kRowsToCount = 10;  // fewer numbers in sequence are no sign of an identifier
constexpr std::int64_t kManyRareClasses = 10;
constexpr std::int64_t kMostRowsAsWords = 1'000'000;  // more could not be read as words

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

// What is to be told about the columns of a table as it is.
void add_notes(const io::Table& table, const io::CsvLayout& layout, std::vector<std::string>& notices) {
  for (const std::string& note : {layout.separator_note, layout.note}) {
    if (!note.empty()) notices.push_back(note);
  }
  notices.insert(notices.end(), table.notes().begin(), table.notes().end());
}

// Whether so many different words are too many for a column of so many rows.
bool are_too_many(std::size_t different, std::size_t rows) {
  return different > kMostWords || (different > 2 * kRowsToCount && 2 * different > rows);
}

// A column kept as an input, or the reason why not.
std::string reason_to_leave_out(const io::CsvColumn& column, const std::vector<double>& values) {
  if (std::all_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) {
    return column.missing_word.empty()
               ? "it is empty in every row"
               : fmt::format("it is missing in every row (\"{}\" in line {} stands for a missing value)",
                             column.missing_word, column.missing_word_line);
  }
  if (column.kind == Kind::category && are_too_many(column.categories.size(), values.size()))
    return fmt::format("it has {} different words", column.categories.size());
  if (column.kind == Kind::whole && counts_rows(values)) return "it counts the rows";
  return {};
}

// The value that a column has in every row, as the file may write it; nothing where it changes. Numbers that
// are missing would be filled in with it; a word that is missing is another value.
std::optional<std::string> only_value(const io::CsvColumn& column, const std::vector<double>& values) {
  std::optional<double> only;
  for (const double value : values) {
    if (std::isnan(value) && column.kind != Kind::category) continue;
    if (std::isnan(value) || value != only.value_or(value)) return std::nullopt;
    only = value;
  }
  if (!only) return std::nullopt;
  if (column.kind == Kind::category)
    return fmt::format("\"{}\"", column.categories[static_cast<std::size_t>(*only)]);
  return fmt::format("{}", *only);
}

// Columns that never change, of which a table may have hundreds.
class Constants {
 public:
  void add(const std::string& column, const std::string& value) {
    if (count_++ > 0) return;
    first_ = fmt::format("\"{}\"", column);
    value_ = value;
  }
  void note(std::vector<std::string>& notices) const {
    if (count_ == 1) notices.push_back(fmt::format("column {} left out: it is always {}", first_, value_));
    if (count_ > 1)
      notices.push_back(fmt::format("{} columns left out that never change, the first {}, which is always {}",
                                    count_, first_, value_));
  }

 private:
  std::int64_t count_ = 0;
  std::string first_, value_;
};

// A file with the columns of digits that are read as words, because numbers would make different ones the
// same.
struct Source {
  std::filesystem::path path;
  io::CsvLayout layout;
  io::Table table;
  CancelTest cancelled{};
  std::vector<std::string> digit_names{};

  std::string file() const { return path.string(); }
  const io::CsvColumn& column(std::size_t place) const { return table.columns()[place]; }
  void read_as_words(const std::string& name) {
    digit_names.push_back(name);
    table = read_keeping(path, layout, digit_names, cancelled);
  }
};

// The targets of a column. Classes of digits are called as the file calls them.
Target read_target(Source& source, std::size_t place, const std::vector<std::string>& named, Task task,
                   const std::vector<std::string>& notices) {
  const io::CsvColumn& column = source.column(place);
  const std::int64_t rows = source.table.rows();
  if (named.empty() && task != Task::regress && may_be_names(column) && rows <= kMostRowsAsWords) {
    const std::size_t different = digits_in(source.path, source.layout, column.name).size();
    const auto present = static_cast<std::size_t>(column.numbers);
    if (different > 1 && (task == Task::classify ? different * 2 <= present : are_few(different, present)))
      source.read_as_words(std::string(column.name));
  }
  return decide_task(source.file(), source.column(place), values_of(source.file(), source.table, place),
                     named, task, notices);
}

// An input of digits, of which different ones are the same number: words, if they are few.
void decide_digits(Source& source, std::size_t place, std::vector<std::string>& notices) {
  const io::CsvColumn& column = source.column(place);
  if (!may_be_names(column) || source.table.rows() > kMostRowsAsWords) return;
  const std::string name = column.name;
  const std::vector<std::string> words = digits_in(source.path, source.layout, name);
  const std::vector<std::string> same = same_numbers(words);
  if (same.empty()) return;
  const bool numbers = are_too_many(words.size(), static_cast<std::size_t>(source.table.rows()));
  notices.push_back(numbers
                        ? fmt::format("column \"{}\": \"{}\" and \"{}\" are read as the same number", name,
                                      same[0], same[1])
                        : fmt::format("column \"{}\" is read as words: \"{}\" and \"{}\" would be the same "
                                      "number",
                                      name, same[0], same[1]));
  if (!numbers) source.read_as_words(name);
}

// Classes that are hard to learn or to tell apart.
void doubt_classes(Rows& rows) {
  if (!rows.schema.classifies()) return;
  const std::string what =
      rows.schema.target.empty() ? "the target" : fmt::format("the target \"{}\"", rows.schema.target);
  const std::string doubt = doubt_of_words(what, rows.schema.classes);
  if (!doubt.empty()) rows.notices.push_back(doubt);
  const std::vector<std::int64_t> labels = rows.y.to_vector<std::int64_t>();
  std::vector<std::int64_t> counts(rows.schema.classes.size(), 0);
  for (const std::int64_t label : labels) ++counts[static_cast<std::size_t>(label)];
  const std::int64_t lonely = std::count(counts.begin(), counts.end(), 1);
  const std::int64_t rare = lonely + std::count(counts.begin(), counts.end(), 2);
  const auto first_of = [&](std::int64_t most) {
    return std::find_if(labels.begin(), labels.end(),
                        [&](std::int64_t label) { return counts[static_cast<std::size_t>(label)] <= most; });
  };
  // Names or numbers of people and things, perhaps.
  if (rare >= kManyRareClasses && 2 * rare > static_cast<std::int64_t>(counts.size())) {
    const auto first = first_of(2);
    rows.notices.push_back(fmt::format(
        "{}: {} of {} classes have one or two rows, the first \"{}\" in line {}: too few to learn them from",
        what, rare, counts.size(), rows.schema.classes[static_cast<std::size_t>(*first)],
        rows.lines[static_cast<std::size_t>(first - labels.begin())]));
    return;
  }
  if (lonely == 0) return;
  const auto first = first_of(1);
  rows.notices.push_back(
      fmt::format("{}: {} of a single row, {}\"{}\" in line {}: who learns from it cannot be judged by it",
                  what, lonely == 1 ? "a class" : fmt::format("{} classes", lonely),
                  lonely == 1 ? "" : "the first ", rows.schema.classes[static_cast<std::size_t>(*first)],
                  rows.lines[static_cast<std::size_t>(first - labels.begin())]));
}

void add_if_any(std::vector<std::string>& notices, const std::string& notice) {
  if (!notice.empty()) notices.push_back(notice);
}

// What is to be told of numbers that are to be predicted.
void doubt_target(const Source& source, std::size_t place, const Target& target,
                  std::vector<std::string>& notices) {
  if (!target.classes.empty()) return;
  const io::CsvColumn& column = source.column(place);
  if (column.kind == Kind::whole && counts_rows(target.values)) {
    notices.push_back(
        fmt::format("the target \"{}\" counts the rows, which says nothing about them: `target = NAME` "
                    "chooses another column",
                    column.name));
  }
  add_if_any(notices, doubt_of_numbers(column.name, target.values, source.table));
}

}  // namespace

Rows read_table(const ReadOptions& options) {
  const std::string file = options.file.string();
  Source source{.path = options.file,
                .layout = io::guess_csv_layout(options.file, options.hints),
                .table = {},
                .cancelled = options.cancelled};
  source.table = read_keeping(options.file, source.layout, {}, options.cancelled);
  const std::size_t count = source.table.columns().size();
  if (!source.layout.header && source.table.rows() == 1) {
    refuse_table(file, fmt::format("there is only line {}: names of columns and rows below them are expected",
                                   source.table.line(0)));
  }

  Rows rows;
  add_notes(source.table, source.layout, rows.notices);
  TableValues values;
  rows.schema.nameless_columns = source.layout.header ? 0 : static_cast<std::int64_t>(count);
  Target target;
  std::set<std::size_t> passed_over;
  std::optional<std::size_t> target_place;
  if (options.target_file.empty()) {
    const std::size_t place = find_column(file, source.table, options.target);
    const bool last = place + 1 == count;
    passed_over.insert(place);
    target_place = place;
    target = read_target(source, place, last ? source.layout.classes : std::vector<std::string>(),
                         options.task, rows.notices);
    rows.schema.target = source.column(place).name;
    doubt_target(source, place, target, rows.notices);
  } else {
    const std::string other = options.target_file.string();
    Source apart{
        .path = options.target_file, .layout = io::guess_csv_layout(options.target_file), .table = {}};
    apart.table = read_keeping(apart.path, apart.layout, {}, options.cancelled);
    std::vector<std::string> notes;
    add_notes(apart.table, {.separator_note = apart.layout.separator_note}, notes);
    if (apart.table.rows() != source.table.rows()) {
      refuse_table(other, fmt::format("there are {} targets for the {} rows of {}", apart.table.rows(),
                                      source.table.rows(), file));
    }
    const std::size_t place = find_column(other, apart.table, options.target);
    target = read_target(apart, place, {}, options.task, notes);
    doubt_target(apart, place, target, notes);
    for (const std::string& note : notes) rows.notices.push_back(fmt::format("{}: {}", other, note));
  }
  rows.schema.classes = target.classes;
  for (const std::string& name : options.ignore) passed_over.insert(find_column(file, source.table, name));

  Constants constants;
  for (std::size_t i = 0; i < count; ++i) {
    if (passed_over.contains(i)) continue;
    decide_digits(source, i, rows.notices);
    const io::CsvColumn& column = source.column(i);
    std::vector<double> numbers = values_of(file, source.table, i);
    const std::string reason = reason_to_leave_out(column, numbers);
    if (!reason.empty()) {
      rows.notices.push_back(fmt::format("column \"{}\" left out: {}", column.name, reason));
      continue;
    }
    if (const std::optional<std::string> value = only_value(column, numbers)) {
      constants.add(column.name, *value);
      continue;
    }
    const bool words = column.kind == Kind::category;
    add_if_any(rows.notices,
               words ? doubt_of_words(fmt::format("column \"{}\"", column.name), column.categories)
                     : doubt_of_numbers(column.name, numbers, source.table));
    rows.schema.inputs.push_back({.name = column.name,
                                  .holds_words = words,
                                  .words = words ? column.categories : std::vector<std::string>()});
    values.inputs.push_back(std::move(numbers));
    values.places.push_back(i);
  }
  constants.note(rows.notices);
  if (values.inputs.empty())
    refuse_table(file, explained("no column is left to predict the target from", rows.notices));
  values.target = std::move(target.values);
  if (target_place) values.target_column = &source.column(*target_place);
  finish_rows(rows, file, source.table, values, options.missing);
  doubt_classes(rows);
  return rows;
}

}  // namespace likely::tables
