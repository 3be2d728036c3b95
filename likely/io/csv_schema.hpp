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

// What a field that is not missing could be, without decimal commas.
CsvColumn::Kind kind_of_field(std::string_view text);

// Where the rows of a file lie.
struct CsvIndex {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> lengths;
};

class CsvSchema {
 public:
  // Reads the file once, again if what it took for granted turns out to be wrong, and once more if there are
  // categories. Fills `index`, if there is one, with the rows that are kept.
  CsvSchema(const std::string& reader, const std::filesystem::path& path, const CsvOptions& options,
            CsvIndex* index = nullptr);

  const CsvOptions& options() const { return options_; }
  CsvDialect dialect() const { return {options_.separator, options_.quote, options_.cancelled}; }
  const std::string& file() const { return file_; }
  const std::vector<CsvColumn>& columns() const { return columns_; }
  // Of a record: one more than there are columns where every line ends in a separator.
  std::size_t fields() const { return columns_.size() + (ends_in_separator_ ? 1 : 0); }
  const std::vector<std::string>& notes() const { return notes_; }
  bool is_missing(std::size_t column, std::string_view text) const {
    if (text.empty()) return true;
    if (text.size() > longest_missing_word_ || !missing_words_.contains(std::string(text))) return false;
    return text != "-" || !signs_[column];
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
  // What was seen of a column.
  struct Seen {
    bool plus = false, minus = false;
    std::int64_t commas = 0, points = 0;  // numbers with a decimal comma or point
    std::string first_comma{};
    std::int64_t first_comma_line = 0;
    std::int64_t thousands = 0;  // numbers with one point, and three digits behind it
    std::string first_thousand{};
    std::int64_t first_thousand_line = 0;
    std::int64_t with_more = 0;           // words that are a number and something more: "5.0%"
    std::int64_t missing_minus_line = 0;  // of a "-" that is to be refused unless there is a "+"
    MissingCodes codes{};
  };

  void name_columns(CsvRecords& records);
  void add_columns(const std::vector<CsvField>& names, bool numbered);
  bool learn_kinds(CsvRecords& records, CsvIndex* index);
  void learn_words(CsvRecords& records);
  void look_at(const CsvRecords& records, std::size_t column, std::string_view text);
  void decide(std::size_t column);
  void note_thousands();
  void note_codes();
  bool found_signs();
  void refuse_minus(const CsvRecords& records) const;

  CsvOptions options_;
  std::string file_;
  std::unordered_set<std::string> missing_words_;
  std::size_t longest_missing_word_ = 0;  // most fields are longer, and need not be looked up
  std::vector<CsvColumn> columns_;
  std::vector<Seen> seen_;
  std::vector<bool>
      signs_;  // columns that hold "+", in which "-" is a word; kept from one reading to the next
  bool last_may_be_none_ = true;    // the column behind a last separator
  bool ends_in_separator_ = false;  // every line does
  std::vector<std::string> notes_;
  std::vector<std::unordered_map<std::string, std::int64_t>> codes_;
};

// Rows of a file whose schema is known, collected into a table.
class TableBuilder {
 public:
  explicit TableBuilder(const CsvSchema& schema);
  // Rows with missing fields are left out where the options say so.
  void add(const std::vector<CsvField>& fields, std::int64_t line);
  std::int64_t rows() const { return table_.rows_; }
  Table finish();

 private:
  const CsvSchema& schema_;
  Table table_;
  std::vector<std::vector<std::int64_t>> whole_;
  std::vector<std::vector<double>> numbers_;
};

}  // namespace likely::io
