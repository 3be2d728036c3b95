// What reading a table to learn from and reading further rows have in common. Internal to tables/.
#pragma once

#include <string>
#include <vector>

#include "likely/io/csv.hpp"
#include "likely/models/tables/table_file.hpp"

namespace likely::tables {

// "[csv] mine.csv: message".
[[noreturn]] void refuse_table(const std::string& file, const std::string& message);
// With what was decided before, which may be the reason: "message (decision; decision)".
std::string explained(const std::string& message, const std::vector<std::string>& notices);

// The file with what is missing kept; `categories` are columns that hold words even where they look like
// numbers. Refuses one without rows below the names.
io::Table read_keeping(const std::filesystem::path& file, const io::CsvLayout& layout,
                       const std::vector<std::string>& categories, const CancelTest& cancelled = nullptr);

// The values of a column: NaN where they are missing, places of words for words. Refuses infinite ones.
std::vector<double> values_of(const std::string& file, const io::Table& table, std::size_t place);

// Stands for a word that the schema does not have.
inline constexpr double kUnknownWord = -1.0;

// The inputs of a table, a column each, and its target.
struct TableValues {
  std::vector<std::vector<double>> inputs{};
  std::vector<std::size_t> places{};     // of the inputs among the columns of the table
  std::vector<double> target{};          // none, where it is not wanted
  const io::CsvColumn* target_column{};  // where it is
};

// Takes away rows that cannot be used, and makes tensors of the inputs and of the target.
void finish_rows(Rows& rows, const std::string& file, const io::Table& table, const TableValues& values,
                 Missing missing);

}  // namespace likely::tables
