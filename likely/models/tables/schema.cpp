// What a model was fitted to, as JSON.
#include <nlohmann/json.hpp>

#include "likely/core/error.hpp"
#include "likely/models/tables/table_file.hpp"

namespace likely::tables {

std::vector<std::string> Schema::input_names() const {
  std::vector<std::string> names;
  for (const Column& column : inputs) names.push_back(column.name);
  return names;
}

std::string Schema::text() const {
  nlohmann::json columns = nlohmann::json::array();
  for (const Column& column : inputs) {
    nlohmann::json entry{{"name", column.name}};
    if (column.holds_words) entry["words"] = column.words;
    columns.push_back(std::move(entry));
  }
  const nlohmann::json all{
      {"inputs", columns}, {"target", target}, {"classes", classes}, {"nameless_columns", nameless_columns}};
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Schema Schema::parse(const std::string& text, const std::string& file) {
  try {
    const nlohmann::json all = nlohmann::json::parse(text);
    Schema schema;
    for (const nlohmann::json& entry : all.at("inputs")) {
      Column column{.name = entry.at("name").get<std::string>()};
      column.holds_words = entry.contains("words");
      if (column.holds_words) column.words = entry.at("words").get<std::vector<std::string>>();
      schema.inputs.push_back(std::move(column));
    }
    schema.target = all.at("target").get<std::string>();
    schema.classes = all.at("classes").get<std::vector<std::string>>();
    schema.nameless_columns = all.at("nameless_columns").get<std::int64_t>();
    return schema;
  } catch (const nlohmann::json::exception&) {
    refuse("csv", file + " does not describe the columns of a table");
  }
}

}  // namespace likely::tables
