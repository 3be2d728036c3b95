// Tables as users have them: CSV and its relatives, read into inputs and a target, with what was decided on
// the way.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/core/tensor.hpp"
#include "likely/io/csv_layout.hpp"

namespace likely::tables {

// What a target is to a model. `automatic` classifies words, and whole numbers of which there are at most 20
// different ones, each for five rows on average; else it regresses.
enum class Task : std::uint8_t { automatic, classify, regress };

// What becomes of inputs that are missing. Rows without a target are always left out.
enum class Missing : std::uint8_t {
  impute,  // keep the row; the model takes the mean of the column (of words: none of them)
  drop,    // leave the row out
  refuse,  // name the first and stop
};

struct ReadOptions {
  std::filesystem::path file{};
  std::string target = "last";          // a column's name, its number from 0, from -1 backwards, or "last"
  std::filesystem::path target_file{};  // where the target is kept apart, row by row
  std::vector<std::string> ignore{};    // columns (as above) that are no inputs
  io::CsvHints hints{};                 // of `file`; the other file is always guessed
  Missing missing = Missing::impute;
  Task task = Task::automatic;
  CancelTest cancelled{};  // asked at each line
};

// One input. Words are sorted; a column of numbers has none.
struct Column {
  std::string name;
  bool holds_words = false;
  std::vector<std::string> words{};
};

// What a model was fitted to, and what it asks of other tables.
struct Schema {
  std::vector<Column> inputs{};
  std::string target{};                // the column's name; empty where it came from a file of its own
  std::vector<std::string> classes{};  // sorted; none: a number is predicted
  std::int64_t nameless_columns = 0;   // of a file without a header; 0: columns are found by their names

  bool classifies() const { return !classes.empty(); }
  std::vector<std::string> input_names() const;

  // As JSON, and back. Refuses text that is none.
  std::string text() const;
  static Schema parse(const std::string& text, const std::string& file);
};

struct Rows {
  Schema schema;
  // (rows, inputs) f64: numbers, or the places of words in Column::words; NaN: missing or unknown.
  Tensor x{};
  Tensor y{};                           // (rows,): i64 classes or f64 numbers; empty where there is no target
  std::vector<std::int64_t> numbers{};  // which row of the file each is, from 0
  std::vector<std::int64_t> lines{};    // on which line of the file each starts
  std::int64_t missing = 0;             // inputs that were
  std::int64_t unknown = 0;             // words that the schema does not have
  std::int64_t dropped = 0;             // rows that were left out
  std::vector<std::string> notices{};   // what was decided, one sentence each

  std::int64_t size() const { return x.dim(0); }
};

// Reads a table to learn from. Columns of words become categories; those with more than 100 different words,
// or a different one for more than half of the rows, and those that count the rows or never change are left
// out, with a notice; so is what the readers of tables decide (io/csv.hpp, io/csv_layout.hpp). Refuses,
// naming file, line and column: no such column, less than two rows, a target that never changes, words where
// numbers are needed, numbers that are not finite.
Rows read_table(const ReadOptions& options);

struct RowOptions {
  io::CsvHints hints{};
  Missing missing = Missing::impute;
  bool target = false;     // whether it is wanted: if not, its column need not be there
  CancelTest cancelled{};  // asked at each line
};

// Reads further rows for a model. Columns are found by name, whatever their order and whatever else there is;
// in files without a header by place, with the target's column or without it. Refuses what does not fit,
// naming file and column, and classes that the model does not know.
Rows read_rows(const std::filesystem::path& file, const Schema& schema, const RowOptions& options = {});

}  // namespace likely::tables
