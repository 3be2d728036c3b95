// CSV and its relatives: tables of text, plain or packed with gzip.
//
//   const io::Table iris = io::read_csv("iris.csv");
//   const data::Dataset flowers = iris.dataset("species");
//
// Fields may be quoted (RFC 4180: doubled quotes, line ends inside). A column holds whole numbers, numbers or
// categories, whichever is the first that all its fields fit. Where the separator is no comma, numbers may
// have decimal commas, if all of their column that have a fraction do. Fields that are no UTF-8 are read as
// Windows-1252. An empty column that is only there because every line ends in a separator is none. Every
// refusal names the file, the line and the column; Table::notes() says what was decided.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/core/tensor.hpp"
#include "likely/data/dataset.hpp"
#include "likely/io/missing_words.hpp"

namespace likely::io {

// What becomes of a field that is missing.
enum class Missing : std::uint8_t {
  refuse,    // name it and stop
  keep,      // NaN in columns of numbers (whole ones, too), -1 in columns of categories
  drop_row,  // leave the row out
};

struct CsvOptions {
  char separator =
      ',';  // '\t' for TSV; ' ' for runs of blanks, of which those at the ends of a line do not count
  char quote = '"';
  std::int64_t skip = 0;  // lines before the table, such as a title
  bool header = true;     // the first line has the names; else they are "0", "1", ...
  Missing missing = Missing::refuse;
  std::vector<std::string> missing_words = usual_missing_words();  // besides empty fields
  std::vector<std::string> categories{};  // columns that hold names even where they look like numbers
  CancelTest cancelled{};                 // asked at each line
};

struct CsvColumn {
  enum class Kind : std::uint8_t { whole, number, category };

  std::string name;
  Kind kind = Kind::whole;
  std::vector<std::string> categories{};  // sorted; a value is the place of its word here
  bool decimal_comma = false;             // numbers are written as 3,5
  std::string first_word{};               // the first field that is no number,
  std::int64_t first_word_line = 0;       // and where
  std::int64_t words = 0;                 // fields that are no numbers,
  std::int64_t numbers = 0;               // and that are
  std::string missing_word{};             // the first that stands for a missing value without being empty,
  std::int64_t missing_word_line = 0;     // and where
  std::string leading_zero{};             // the first whole number with a 0 in front, as numbers of people
                                          // or places have: "007"
  std::string many_digits{};              // the first of more than 15 digits, which f64 does not keep

  // Whether it holds words only because of a few fields among numbers: one, or a tenth of all.
  bool has_strays() const;
};

class Table {
 public:
  std::int64_t rows() const { return rows_; }
  const std::vector<CsvColumn>& columns() const { return columns_; }
  // What a column is. Refuses a name that is not there, and says which are.
  const CsvColumn& column(const std::string& name) const;
  // Its values: i64 for whole numbers and categories, f64 for numbers.
  const Tensor& operator[](const std::string& name) const;
  // The line of the file on which a row starts; 0 for rows that were not read in order (csv_dataset).
  std::int64_t line(std::int64_t row) const { return lines_.at(static_cast<std::size_t>(row)); }
  // What was decided about the file and might be wrong, a sentence each: letters that are no UTF-8, decimal
  // commas, points that may separate thousands, single words among numbers, numbers with something more
  // ("5.0%") that are words, and numbers such as -999 that may stand for a missing value.
  const std::vector<std::string>& notes() const { return notes_; }

  // Columns of numbers side by side, (rows, names). Refuses a column of words, naming the first one.
  Tensor matrix(const std::vector<std::string>& names, DType dtype = DType::f32) const;
  // x: the columns named, or all but the target, as f32. y: the target, i64 for whole numbers and categories,
  // f32 for numbers.
  data::Dataset dataset(const std::string& target, const std::vector<std::string>& inputs = {}) const;

 private:
  friend class TableBuilder;
  std::size_t find(const std::string& name) const;

  std::string file_;
  std::int64_t rows_ = 0;
  std::vector<CsvColumn> columns_;
  std::vector<Tensor> values_;
  std::vector<std::int64_t> lines_;
  std::vector<std::string> notes_;
};

// The whole of a file.
Table read_csv(const std::filesystem::path& path, const CsvOptions& options = {});

}  // namespace likely::io
