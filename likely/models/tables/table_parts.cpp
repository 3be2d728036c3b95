#include "likely/models/tables/table_parts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "likely/core/create.hpp"

namespace likely::tables {

void refuse_table(const std::string& file, const std::string& message) {
  refuse("csv", file + ": " + message);
}

io::Table read_keeping(const std::filesystem::path& file, const io::CsvLayout& layout,
                       const std::vector<std::string>& categories) {
  io::CsvOptions options = layout.options();
  options.missing = io::Missing::keep;
  options.categories = categories;
  io::Table table = io::read_csv(file, options);
  if (table.rows() == 0) refuse_table(file.string(), "there are no rows");
  return table;
}

std::vector<double> values_of(const std::string& file, const io::Table& table, std::size_t place) {
  const io::CsvColumn& column = table.columns()[place];
  std::vector<double> values = table[column.name].to_vector<double>();
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (column.kind == io::CsvColumn::Kind::category && values[row] < 0)
      values[row] = std::numeric_limits<double>::quiet_NaN();
    if (std::isinf(values[row])) {
      refuse_table(file,
                   fmt::format("column \"{}\": the value in row {} is not finite", column.name, row + 1));
    }
  }
  return values;
}

void finish_rows(Rows& rows, const std::string& file, const std::vector<std::vector<double>>& columns,
                 const std::vector<double>* target, Missing missing) {
  const std::size_t count = columns.front().size();
  std::vector<double> x;
  std::vector<double> y;
  std::int64_t without_target = 0;
  std::int64_t incomplete = 0;
  for (std::size_t row = 0; row < count; ++row) {
    if (target != nullptr && std::isnan((*target)[row])) {
      ++without_target;
      continue;
    }
    std::int64_t absent = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!std::isnan(columns[i][row])) continue;
      ++absent;
      if (missing == Missing::refuse) {
        refuse_table(file, fmt::format("column \"{}\": the value in row {} is missing",
                                       rows.schema.inputs[i].name, row + 1));
      }
    }
    if (absent > 0 && missing == Missing::drop) {
      ++incomplete;
      continue;
    }
    rows.missing += absent;
    for (const std::vector<double>& column : columns) x.push_back(column[row]);
    if (target != nullptr) y.push_back((*target)[row]);
    rows.numbers.push_back(static_cast<std::int64_t>(row));
  }
  rows.missing -= rows.unknown;  // those are counted apart
  rows.dropped = without_target + incomplete;
  const auto kept = static_cast<std::int64_t>(rows.numbers.size());
  if (kept == 0) refuse_table(file, "every row has missing values: there is nothing left");
  rows.x = tensor(x, {kept, static_cast<std::int64_t>(columns.size())});
  if (target != nullptr) rows.y = rows.schema.classifies() ? tensor(y).to(DType::i64) : tensor(y);
  if (without_target > 0) {
    rows.notices.push_back(
        fmt::format("{} row{} without a target left out", without_target, without_target == 1 ? "" : "s"));
  }
  if (incomplete > 0) {
    rows.notices.push_back(
        fmt::format("{} row{} with missing values left out", incomplete, incomplete == 1 ? "" : "s"));
  }
  if (rows.missing > 0) {
    rows.notices.push_back(
        fmt::format("{} missing value{} filled in: by means, and words by none of the words", rows.missing,
                    rows.missing == 1 ? "" : "s"));
  }
  if (rows.unknown > 0) {
    rows.notices.push_back(
        fmt::format("{} word{} that the model does not know", rows.unknown, rows.unknown == 1 ? "" : "s"));
  }
}

}  // namespace likely::tables
