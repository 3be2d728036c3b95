// What reading a table to learn from and reading further rows have in common. Internal to tables/.
#pragma once

#include <string>
#include <vector>

#include "likely/io/csv.hpp"
#include "likely/models/tables/table_file.hpp"

namespace likely::tables {

// "[csv] mine.csv: message".
[[noreturn]] void refuse_table(const std::string& file, const std::string& message);

// The file with what is missing kept; `categories` are columns that hold words even where they look like
// numbers. Refuses one without rows.
io::Table read_keeping(const std::filesystem::path& file, const io::CsvLayout& layout,
                       const std::vector<std::string>& categories);

// The values of a column: NaN where they are missing, places of words for words. Refuses infinite ones.
std::vector<double> values_of(const std::string& file, const io::Table& table, std::size_t place);

// Takes away rows that cannot be used, and makes tensors of the columns and of the target, if there is one.
void finish_rows(Rows& rows, const std::string& file, const std::vector<std::vector<double>>& columns,
                 const std::vector<double>* target, Missing missing);

}  // namespace likely::tables
