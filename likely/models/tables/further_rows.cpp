// Further rows for a model that was fitted to others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "likely/models/tables/digit_names.hpp"
#include "likely/models/tables/table_parts.hpp"

namespace likely::tables {

namespace {

using Kind = io::CsvColumn::Kind;

// Where the schema's columns are in another table.
struct Places {
  std::vector<std::size_t> inputs;
  std::optional<std::size_t> target{};
};

Places places_of(const std::string& file, const io::Table& table, const Schema& schema) {
  Places places;
  const std::vector<io::CsvColumn>& columns = table.columns();
  const auto count = static_cast<std::int64_t>(columns.size());
  if (schema.nameless_columns > 0 && count != schema.nameless_columns) {
    if (count != static_cast<std::int64_t>(schema.inputs.size())) {
      refuse_table(file, fmt::format("{} columns are needed, or the {} inputs alone; it has {}",
                                     schema.nameless_columns, schema.inputs.size(), count));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) places.inputs.push_back(i);
    return places;
  }
  std::string lacking;
  std::string known;
  for (const io::CsvColumn& column : columns) known += (known.empty() ? "" : ", ") + column.name;
  const auto find = [&](const std::string& name) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].name == name) return i;
    }
    return std::nullopt;
  };
  for (const Column& input : schema.inputs) {
    const std::optional<std::size_t> place = find(input.name);
    if (place) places.inputs.push_back(*place);
    if (!place) lacking += fmt::format("{}\"{}\"", lacking.empty() ? "" : ", ", input.name);
  }
  if (!lacking.empty()) {
    // Earlier runs kept such names without the letters that were no UTF-8.
    const bool broken = lacking.find("\uFFFD") != std::string::npos;
    refuse_table(
        file,
        fmt::format("the model needs {}; there {} only {}{}", lacking, columns.size() == 1 ? "is" : "are",
                    known, broken ? "; it lost letters of names when it was made: train it again" : ""));
  }
  if (!schema.target.empty()) places.target = find(schema.target);
  return places;
}

void check_numbers(const std::string& file, const io::CsvColumn& column) {
  if (column.kind != Kind::category) return;
  refuse_table(file, fmt::format("line {}, column \"{}\": \"{}\" is not a number", column.first_word_line,
                                 column.name, column.first_word));
}

// The values of an input, with its words numbered as the schema does.
std::vector<double> input_values(const std::string& file, const io::Table& table, std::size_t place,
                                 const Column& input) {
  const io::CsvColumn& column = table.columns()[place];
  std::vector<double> values = values_of(file, table, place);
  if (!input.holds_words) {
    check_numbers(file, column);
    return values;
  }
  for (double& value : values) {
    if (std::isnan(value)) continue;
    const std::string& word = column.categories[static_cast<std::size_t>(value)];
    const auto found = std::lower_bound(input.words.begin(), input.words.end(), word);
    const bool known = found != input.words.end() && *found == word;
    value = known ? static_cast<double>(found - input.words.begin()) : kUnknownWord;
  }
  return values;
}

// The class that a value of the target's column means.
std::string class_name(const io::CsvColumn& column, double value, const io::CsvLayout& layout,
                       const Schema& schema) {
  if (column.kind == Kind::category) return column.categories[static_cast<std::size_t>(value)];
  std::string digits = fmt::format("{}", value);
  const auto& known = schema.classes;
  if (std::find(known.begin(), known.end(), digits) != known.end()) return digits;
  // Class numbers of a file that names its classes in its first line, or that such a file was split into.
  const std::vector<std::string>& names = layout.classes.empty() ? known : layout.classes;
  const bool is_place = value >= 0 && value < static_cast<double>(names.size()) && value == std::floor(value);
  return schema.nameless_columns > 0 && is_place ? names[static_cast<std::size_t>(value)] : digits;
}

std::vector<double> target_values(const std::string& file, const io::Table& table, std::size_t place,
                                  const io::CsvLayout& layout, const Schema& schema) {
  const io::CsvColumn& column = table.columns()[place];
  std::vector<double> values = values_of(file, table, place);
  if (!schema.classifies()) {
    check_numbers(file, column);
    return values;
  }
  for (double& value : values) {
    if (std::isnan(value)) continue;
    const std::string word = class_name(column, value, layout, schema);
    const auto found = std::find(schema.classes.begin(), schema.classes.end(), word);
    if (found == schema.classes.end()) {
      refuse_table(file, fmt::format("the target \"{}\" has the class \"{}\", which the model does not know",
                                     column.name, word));
    }
    value = static_cast<double>(found - schema.classes.begin());
  }
  return values;
}

}  // namespace

Rows read_rows(const std::filesystem::path& path, const Schema& schema, const RowOptions& options) {
  const std::string file = path.string();
  io::CsvHints hints = options.hints;
  if (!hints.header && schema.nameless_columns == 0) hints.header = true;
  io::CsvLayout layout = io::guess_csv_layout(path, hints);
  if (schema.nameless_columns > 0) layout.header = hints.header.value_or(false);
  const io::Table plain = read_keeping(path, layout, {}, options.cancelled);
  const Places places = places_of(file, plain, schema);
  if (options.target && !places.target) {
    refuse_table(file, schema.target.empty() ? std::string("the targets were in a file of their own")
                                             : fmt::format("there is no target \"{}\"", schema.target));
  }
  // Numbers in a column that held words are words here, too.
  std::vector<std::string> categories;
  for (std::size_t i = 0; i < schema.inputs.size(); ++i) {
    if (schema.inputs[i].holds_words) categories.push_back(plain.columns()[places.inputs[i]].name);
  }
  // So are digits that name classes, where numbers would not keep them.
  if (options.target && schema.classifies() && may_be_names(plain.columns()[*places.target]))
    categories.push_back(plain.columns()[*places.target].name);
  const io::Table table =
      categories.empty() ? plain : read_keeping(path, layout, categories, options.cancelled);

  Rows rows{.schema = schema};
  if (!layout.separator_note.empty()) rows.notices.push_back(layout.separator_note);
  rows.notices.insert(rows.notices.end(), table.notes().begin(), table.notes().end());
  TableValues values{.places = places.inputs};
  for (std::size_t i = 0; i < schema.inputs.size(); ++i)
    values.inputs.push_back(input_values(file, table, places.inputs[i], schema.inputs[i]));
  if (options.target) {
    values.target = target_values(file, table, *places.target, layout, schema);
    values.target_column = &table.columns()[*places.target];
  }
  finish_rows(rows, file, table, values, options.missing);
  return rows;
}

}  // namespace likely::tables
