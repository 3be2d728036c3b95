// How a table of text is laid out, guessed from its lines: what users' files do not say.
//
//   const io::CsvLayout layout = io::guess_csv_layout("mine.csv");
//   const io::Table table = io::read_csv("mine.csv", layout.options());
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "likely/io/csv.hpp"

namespace likely::io {

// What is known already, and not to be guessed.
struct CsvHints {
  std::optional<char>
      separator{};               // else a tab, ';', ',' or ' ', whichever cuts the lines into equal numbers
  std::optional<bool> header{};  // else whether the first line looks unlike those below it
  std::int64_t skip = 0;         // lines before the table
};

struct CsvLayout {
  char separator = ',';
  bool header = false;
  std::int64_t skip = 0;
  // Of a first line "rows,columns,name,name...", as scikit-learn's files have it, where it agrees with what
  // follows: such a line is skipped, the last column holds class numbers, and these are the classes' names.
  std::vector<std::string> classes{};

  CsvOptions options() const { return {.separator = separator, .skip = skip, .header = header}; }
};

// Looks at the first lines of a file, plain or gzip. The first line is a header if none of its fields is a
// number and either a column below holds numbers, or no field of it comes again below. Refuses a file without
// lines.
CsvLayout guess_csv_layout(const std::filesystem::path& path, const CsvHints& hints = {});

}  // namespace likely::io
