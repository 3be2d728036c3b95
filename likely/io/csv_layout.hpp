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
  std::optional<char> separator{};  // else what guess_separator says
  std::optional<bool> header{};     // else whether the first line looks unlike those below it
  std::int64_t skip = 0;            // lines before the table
  bool may_skip = true;             // whether whoever asks can say so
};

struct CsvLayout {
  char separator = ',';
  bool header = false;
  std::int64_t skip = 0;
  // Of a first line "rows,columns,name,name...", as scikit-learn's files have it, where it agrees with what
  // follows: such a line is skipped, the last column holds class numbers, and these are the classes' names.
  std::vector<std::string> classes{};
  // Where it is doubtful whether the first line has names: what was decided, and why.
  std::string note{};
  // Where the first line names the separator (separator_line): that it does.
  std::string separator_note{};

  CsvOptions options() const { return {.separator = separator, .skip = skip, .header = header}; }
};

// A first line such as "sep=;", by which spreadsheets tell each other what separates the fields below it.
struct SeparatorLine {
  char separator = ',';
  std::int64_t line = 0;  // the table begins on the next
  std::string note{};     // what is to be told of it
};
std::optional<SeparatorLine> separator_line(const std::filesystem::path& path, std::int64_t skip = 0);

// What the first line says (separator_line); else a tab, ';', '|', ',' or ' ', whichever cuts most of the
// first lines of a file into the same number of fields; ',' where there is no file. `skip`: lines before the
// table.
char guess_separator(const std::filesystem::path& path, std::int64_t skip = 0);

// Looks at the first lines of a file, plain or gzip. The first line has names if none of its fields is a
// number and either a column below holds numbers, or no field of it comes again below. A line with whole
// numbers in it, all different, has names, too, if one of its words stands above a column of numbers and
// fewer than half of its numbers come again below them, or if its numbers count up (three or more by one,
// four or more by equal steps, or two years or more) and those of no other line do; what is decided then is
// in `note`. A line that names the separator is skipped. Refuses a file without lines, and one that begins
// with lines of one field, of a comment, or of a title (one field is filled at most, and all below it have
// names), before those of a table: they are to be skipped.
CsvLayout guess_csv_layout(const std::filesystem::path& path, const CsvHints& hints = {});

// The last of these refusals alone, for readers of their own. The separator is that of `hints`, or a comma.
void refuse_lines_above(const std::string& reader, const std::filesystem::path& path, const CsvHints& hints);

}  // namespace likely::io
