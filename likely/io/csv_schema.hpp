// What the columns of a CSV file hold, and rows made into a table by that. Internal to io/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "likely/io/csv.hpp"
#include "likely/io/csv_records.hpp"

namespace likely::io {

// What a field that is not missing could be.
CsvColumn::Kind kind_of_field(std::string_view text);

// Where the rows of a file lie.
struct CsvIndex {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> lengths;
};

class CsvSchema {
 public:
  // Reads the file once, and once more if there are categories. Fills `index`, if there is one, with the rows
  // that are kept.
  CsvSchema(const std::string& reader, const std::filesystem::path& path, const CsvOptions& options,
            CsvIndex* index = nullptr);

  const CsvOptions& options() const { return options_; }
  CsvDialect dialect() const { return {options_.separator, options_.quote}; }
  const std::string& file() const { return file_; }
  const std::vector<CsvColumn>& columns() const { return columns_; }
  bool is_missing(std::string_view text) const {
    return text.empty() ||
           (text.size() <= longest_missing_word_ && missing_words_.contains(std::string(text)));
  }
  bool has_missing(const std::vector<CsvField>& fields) const;
  // The place of a word among the categories of a column; -1 for none.
  std::int64_t code(std::size_t column, std::string_view word) const;
  // Passes over what comes before the rows.
  static void skip_header(CsvRecords& records, const CsvOptions& options) {
    records.skip_lines(options.skip);
    if (options.header) records.next();
  }

 private:
  void name_columns(CsvRecords& records);
  void learn_kinds(CsvRecords& records, CsvIndex* index);
  void learn_words(CsvRecords& records);
  void look_at(const CsvRecords& records, std::size_t column, std::string_view text);

  CsvOptions options_;
  std::string file_;
  std::unordered_set<std::string> missing_words_;
  std::size_t longest_missing_word_ = 0;  // most fields are longer, and need not be looked up
  std::vector<CsvColumn> columns_;
  std::vector<std::unordered_map<std::string, std::int64_t>> codes_;
};

// Rows of a file whose schema is known, collected into a table.
class TableBuilder {
 public:
  explicit TableBuilder(const CsvSchema& schema);
  // Rows with missing fields are left out where the options say so.
  void add(const std::vector<CsvField>& fields);
  std::int64_t rows() const { return table_.rows_; }
  Table finish();

 private:
  const CsvSchema& schema_;
  Table table_;
  std::vector<std::vector<std::int64_t>> whole_;
  std::vector<std::vector<double>> numbers_;
};

}  // namespace likely::io
