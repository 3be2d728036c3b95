// What the target of a table is: classes or numbers. Internal to tables/.
#pragma once

#include <string>
#include <vector>

#include "likely/io/csv.hpp"
#include "likely/models/tables/table_file.hpp"

namespace likely::tables {

struct Target {
  std::vector<double> values;  // classes or numbers; NaN: missing
  std::vector<std::string> classes{};
};

// Whether so many different whole numbers are classes of so many rows.
bool are_few(std::size_t different, std::size_t rows);

// Classes or numbers, by what the column holds, its values (NaN: missing), names of classes that the file
// gives, and what is asked for. Refuses what can be neither, with the notices so far.
Target decide_task(const std::string& file, const io::CsvColumn& column, std::vector<double> values,
                   const std::vector<std::string>& named, Task task, const std::vector<std::string>& notices);

}  // namespace likely::tables
