// Columns of digits that are names: 007 is not 7. Internal to tables/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "likely/io/csv.hpp"
#include "likely/io/csv_layout.hpp"

namespace likely::tables {

// Whether numbers would lose what the file says: zeros in front, or more digits than a number keeps.
bool may_be_names(const io::CsvColumn& column);

// The words of such a column, in which all fields are digits; none where they are not.
std::vector<std::string> digits_in(const std::filesystem::path& file, const io::CsvLayout& layout,
                                   const std::string& column);

// The first two of these sorted words that are the same number; nothing where all are different.
std::vector<std::string> same_numbers(const std::vector<std::string>& words);

}  // namespace likely::tables
