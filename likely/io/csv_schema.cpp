#include "likely/io/csv_schema.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "likely/core/create.hpp"
#include "likely/io/parse_number.hpp"

namespace likely::io {

namespace {

using Kind = CsvColumn::Kind;

// Free text is not a category.
constexpr std::size_t kMostCategories = 1'000'000;

std::string in_quotes(std::string_view text) { return std::string(1, '"').append(text) + '"'; }

}  // namespace

Kind kind_of_field(std::string_view text) {
  std::int64_t whole = 0;
  double number = 0.0;
  if (parse_number(text, whole)) return Kind::whole;
  return parse_number(text, number) ? Kind::number : Kind::category;
}

CsvSchema::CsvSchema(const std::string& reader, const std::filesystem::path& path, const CsvOptions& options,
                     CsvIndex* index)
    : options_(options),
      file_(path.string()),
      missing_words_(options.missing_words.begin(), options.missing_words.end()) {
  for (const std::string& word : missing_words_) {
    longest_missing_word_ = std::max(longest_missing_word_, word.size());
  }
  if (options.skip < 0) {
    refuse(reader, "a number of lines to skip is expected, got " + std::to_string(options.skip));
  }
  CsvRecords records(reader, path, dialect());
  records.skip_lines(options.skip);
  name_columns(records);
  learn_kinds(records, index);
  const bool words = std::any_of(columns_.begin(), columns_.end(),
                                 [](const CsvColumn& column) { return column.kind == Kind::category; });
  codes_.resize(columns_.size());
  if (!words) return;
  CsvRecords again(reader, path, dialect());
  skip_header(again, options_);
  learn_words(again);
}

void CsvSchema::name_columns(CsvRecords& records) {
  if (!options_.header) return;
  if (!records.next()) records.refuse("a line with the names of the columns is expected");
  std::set<std::string> names;
  for (const CsvField& field : records.fields()) {
    columns_.push_back({.name = std::string(field.text)});
    if (!names.insert(columns_.back().name).second) {
      records.refuse("two columns are named " + in_quotes(field.text));
    }
  }
  for (const std::string& name : options_.categories) {
    if (!names.contains(name)) records.refuse("there is no column " + in_quotes(name));
  }
}

void CsvSchema::learn_kinds(CsvRecords& records, CsvIndex* index) {
  while (records.next()) {
    const std::vector<CsvField>& fields = records.fields();
    if (columns_.empty()) {
      for (std::size_t i = 0; i < fields.size(); ++i) columns_.push_back({.name = std::to_string(i)});
    }
    if (fields.size() != columns_.size()) {
      records.refuse(std::to_string(fields.size()) + " fields, " + std::to_string(columns_.size()) +
                     " columns are expected");
    }
    if (options_.missing == Missing::drop_row && has_missing(fields)) continue;
    for (std::size_t i = 0; i < fields.size(); ++i) look_at(records, i, fields[i].text);
    if (index == nullptr) continue;
    index->offsets.push_back(records.offset());
    index->lengths.push_back(static_cast<std::uint32_t>(records.record().size()));
  }
  for (CsvColumn& column : columns_) {
    if (std::find(options_.categories.begin(), options_.categories.end(), column.name) !=
        options_.categories.end()) {
      column.kind = Kind::category;
    }
  }
}

void CsvSchema::look_at(const CsvRecords& records, std::size_t i, std::string_view text) {
  CsvColumn& column = columns_[i];
  if (is_missing(text)) {
    if (options_.missing == Missing::refuse) {
      records.refuse("column " + in_quotes(column.name) + ": the value is missing");
    }
    column.kind = std::max(column.kind, Kind::number);  // NaN is none of the whole numbers
    return;
  }
  if (column.kind == Kind::category) return;
  column.kind = std::max(column.kind, kind_of_field(text));
  if (column.kind != Kind::category) return;
  column.first_word = std::string(text);
  column.first_word_line = records.line();
}

void CsvSchema::learn_words(CsvRecords& records) {
  std::vector<std::set<std::string, std::less<>>> words(columns_.size());
  while (records.next()) {
    const std::vector<CsvField>& fields = records.fields();
    if (fields.size() != columns_.size()) records.refuse("the file has changed while it was read");
    if (options_.missing == Missing::drop_row && has_missing(fields)) continue;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::string_view text = fields[i].text;
      if (columns_[i].kind != Kind::category || is_missing(text) || words[i].contains(text)) continue;
      words[i].emplace(text);
      if (words[i].size() > kMostCategories) {
        records.refuse("column " + in_quotes(columns_[i].name) + " has more than " +
                       std::to_string(kMostCategories) + " different words");
      }
    }
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].categories.assign(words[i].begin(), words[i].end());
    for (const std::string& word : columns_[i].categories) {
      codes_[i].emplace(word, static_cast<std::int64_t>(codes_[i].size()));
    }
  }
}

bool CsvSchema::has_missing(const std::vector<CsvField>& fields) const {
  return std::any_of(fields.begin(), fields.end(), [&](const CsvField& f) { return is_missing(f.text); });
}

std::int64_t CsvSchema::code(std::size_t column, std::string_view word) const {
  const auto found = codes_[column].find(std::string(word));
  return found == codes_[column].end() ? -1 : found->second;
}

TableBuilder::TableBuilder(const CsvSchema& schema)
    : schema_(schema), whole_(schema.columns().size()), numbers_(schema.columns().size()) {
  table_.file_ = schema.file();
  table_.columns_ = schema.columns();
}

void TableBuilder::add(const std::vector<CsvField>& fields) {
  if (fields.size() != whole_.size()) refuse("CSV", schema_.file() + " has changed while it was read");
  if (schema_.options().missing == Missing::drop_row && schema_.has_missing(fields)) return;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view text = fields[i].text;
    const bool missing = schema_.is_missing(text);
    bool fits = true;
    if (table_.columns_[i].kind == Kind::number) {
      double value = std::numeric_limits<double>::quiet_NaN();
      fits = missing || parse_number(text, value);
      numbers_[i].push_back(value);
    } else if (table_.columns_[i].kind == Kind::whole) {
      std::int64_t value = 0;
      fits = parse_number(text, value);
      whole_[i].push_back(value);
    } else {
      whole_[i].push_back(missing ? -1 : schema_.code(i, text));
    }
    if (!fits) refuse("CSV", schema_.file() + " has changed while it was read");
  }
  ++table_.rows_;
}

Table TableBuilder::finish() {
  for (std::size_t i = 0; i < whole_.size(); ++i) {
    const bool numbers = table_.columns_[i].kind == Kind::number;
    table_.values_.push_back(numbers ? tensor(numbers_[i]) : tensor(whole_[i]));
  }
  return std::move(table_);
}

}  // namespace likely::io
