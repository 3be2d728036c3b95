// What a model was fitted to, as JSON.
#include <algorithm>
#include <optional>

#include "likely/core/error.hpp"
#include "likely/io/json.hpp"
#include "likely/models/tables/table_file.hpp"

namespace likely::tables {

namespace {

using Json = io::SortedJson;

// The first that is there twice. Letters that are no UTF-8 all look the same in JSON: those do not count.
std::optional<std::string> repeated(std::vector<std::string> names) {
  std::erase_if(names, [](const std::string& name) { return name.find("\uFFFD") != std::string::npos; });
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  return twice == names.end() ? std::nullopt : std::optional(*twice);
}

// A schema that contradicts itself describes no table.
void check(const Schema& schema, const std::string& file) {
  const auto refuse_schema = [&](const std::string& why) { refuse("csv", file + ": " + why); };
  if (schema.inputs.empty()) refuse_schema("there are no inputs");
  std::vector<std::string> names = schema.input_names();
  if (!schema.target.empty()) names.push_back(schema.target);
  if (const auto twice = repeated(names)) refuse_schema("the column \"" + *twice + "\" is there twice");
  for (const Column& column : schema.inputs) {
    if (column.holds_words && !std::is_sorted(column.words.begin(), column.words.end()))
      refuse_schema("the words of column \"" + column.name + "\" are not sorted");
  }
  if (schema.classes.size() == 1) refuse_schema("there is only one class, \"" + schema.classes[0] + "\"");
  if (const auto twice = repeated(schema.classes))
    refuse_schema("the class \"" + *twice + "\" is there twice");
  const std::int64_t nameless = schema.nameless_columns;
  if (nameless != 0 && nameless < static_cast<std::int64_t>(schema.inputs.size())) {
    refuse_schema("nameless_columns is " + std::to_string(nameless) + ", there are " +
                  std::to_string(schema.inputs.size()) + " inputs");
  }
}

}  // namespace

std::vector<std::string> Schema::input_names() const {
  std::vector<std::string> names;
  for (const Column& column : inputs) names.push_back(column.name);
  return names;
}

std::string Schema::text() const {
  Json columns = Json::array();
  for (const Column& column : inputs) {
    Json entry{{"name", column.name}};
    if (column.holds_words) entry["words"] = column.words;
    columns.push_back(std::move(entry));
  }
  const Json all{
      {"inputs", columns}, {"target", target}, {"classes", classes}, {"nameless_columns", nameless_columns}};
  return io::json_text(all, 2) + "\n";
}

Schema Schema::parse(const std::string& text, const std::string& file) {
  try {
    const Json all = io::json_or_none<Json>(text);
    Schema schema;
    for (const Json& entry : all.at("inputs")) {
      Column column{.name = entry.at("name").get<std::string>()};
      column.holds_words = entry.contains("words");
      if (column.holds_words) column.words = entry.at("words").get<std::vector<std::string>>();
      schema.inputs.push_back(std::move(column));
    }
    schema.target = all.at("target").get<std::string>();
    schema.classes = all.at("classes").get<std::vector<std::string>>();
    const Json& nameless = all.at("nameless_columns");
    if (!nameless.is_number_integer())
      refuse("csv", file + ": nameless_columns is " + io::json_text(nameless));
    schema.nameless_columns = nameless.get<std::int64_t>();
    check(schema, file);
    return schema;
  } catch (const Json::exception&) {
    refuse("csv", file + " does not describe the columns of a table");
  }
}

}  // namespace likely::tables
