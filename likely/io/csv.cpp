#include "likely/io/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/io/csv_schema.hpp"
#include "likely/ops/join.hpp"

namespace likely::io {

namespace {

// A column whose numbers f32 cannot hold would be lost without a word.
void check_kept(const char* caller, const std::string& file, const std::string& column, const Tensor& wide,
                const Tensor& narrow) {
  const std::vector<double> before = wide.to_vector<double>();
  const std::vector<double> after = narrow.to_vector<double>();
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!std::isinf(after[i]) || std::isinf(before[i])) continue;
    refuse(caller,
           fmt::format("{}, column \"{}\": {} is too large for f32: ask for f64", file, column, before[i]));
  }
}

}  // namespace

bool CsvColumn::has_strays() const {
  constexpr std::int64_t kFew = 10;
  return kind == Kind::category && numbers > words && words > 0 &&
         words <= std::max<std::int64_t>(1, (numbers + words) / kFew);
}

std::size_t Table::find(const std::string& name) const {
  std::string known;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].name == name) return i;
    known += (i == 0 ? "" : ", ") + columns_[i].name;
  }
  refuse("Table", file_ + " has no column \"" + name + "\", only " + known);
}

const CsvColumn& Table::column(const std::string& name) const { return columns_[find(name)]; }
const Tensor& Table::operator[](const std::string& name) const { return values_[find(name)]; }

Tensor Table::matrix(const std::vector<std::string>& names, DType dtype) const {
  if (names.empty()) refuse("Table::matrix", "at least one column is needed");
  std::vector<Tensor> chosen;
  for (const std::string& name : names) {
    const CsvColumn& described = column(name);
    if (described.kind == CsvColumn::Kind::category) {
      refuse("Table::matrix",
             file_ +
                 (described.first_word.empty() ? std::string()
                                               : ", line " + std::to_string(described.first_word_line)) +
                 ", column \"" + name + "\": " +
                 (described.first_word.empty() ? "it holds categories"
                                               : "\"" + described.first_word + "\" is not a number"));
    }
    chosen.push_back((*this)[name].to(dtype));
    if (dtype == DType::f32) check_kept("Table::matrix", file_, name, (*this)[name], chosen.back());
  }
  return stack(chosen, 1);
}

data::Dataset Table::dataset(const std::string& target, const std::vector<std::string>& inputs) const {
  const Tensor& y = (*this)[target];
  std::vector<std::string> names = inputs;
  if (names.empty()) {
    for (const CsvColumn& described : columns_) {
      if (described.name != target) names.push_back(described.name);
    }
    if (names.empty()) refuse("Table::dataset", file_ + " has no column but the target \"" + target + "\"");
  }
  if (y.dtype() == DType::i64) return {matrix(names), y};
  const Tensor narrow = y.to(DType::f32);
  check_kept("Table::dataset", file_, target, y, narrow);
  return {matrix(names), narrow};
}

Table read_csv(const std::filesystem::path& path, const CsvOptions& options) {
  const CsvSchema schema("read_csv", path, options);
  TableBuilder table(schema);
  CsvRecords records("read_csv", path, schema.dialect());
  CsvSchema::skip_header(records, options);
  while (records.next()) table.add(records.fields(), records.line());
  return table.finish();
}

}  // namespace likely::io
