#include "tests/support/law_table.hpp"

#include <cctype>
#include <charconv>
#include <fstream>
#include <sstream>

#include "likely/core/error.hpp"

namespace likely::testing {

std::vector<LawSection> law_table() {
  const std::string path = "tests/reference/data/laws.txt";
  std::ifstream file(path);
  if (!file) refuse("reference", "cannot read " + path);
  std::vector<LawSection> sections;
  for (std::string line; std::getline(file, line);) {
    if (file.eof()) refuse("reference", path + " is cut off in its last line");
    std::istringstream words(line);
    if (std::isupper(static_cast<unsigned char>(line[0])) != 0) {
      LawSection& section = sections.emplace_back();
      words >> section.law >> section.function;
      continue;
    }
    std::vector<double> numbers;
    for (std::string word; words >> word;) {
      const char* const end = word.data() + word.size();
      if (std::from_chars(word.data(), end, numbers.emplace_back()).ptr != end)
        refuse("reference", path + ": " + word + " is no number");
    }
    if (sections.empty() || numbers.size() < 4) refuse("reference", path + ": no row: " + line);
    LawRow& row = sections.back().rows.emplace_back();
    row.inputs.assign(numbers.begin(), numbers.end() - 3);
    row.value = numbers[numbers.size() - 3];
    row.sensitivity32 = numbers[numbers.size() - 2];
    row.sensitivity64 = numbers.back();
    if (row.inputs.size() != sections.back().rows.front().inputs.size())
      refuse("reference", path + ": a row of another length: " + line);
  }
  return sections;
}

}  // namespace likely::testing
