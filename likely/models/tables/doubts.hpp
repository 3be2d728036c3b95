// What in a table may be a mistake: it is read as it is, and somebody should be told. Internal to tables/.
#pragma once

#include <string>
#include <vector>

#include "likely/io/csv.hpp"

namespace likely::tables {

// Of numbers that are far from all others of their column (number_range.hpp), with the line of the first.
// NaN: missing.
std::string doubt_of_numbers(const std::string& column, const std::vector<double>& values,
                             const io::Table& table);

// Of words that are the same but for capital letters (A to Z). `what` they are: `column "city"`.
std::string doubt_of_words(const std::string& what, const std::vector<std::string>& words);

}  // namespace likely::tables
