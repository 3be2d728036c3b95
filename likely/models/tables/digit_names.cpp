#include "likely/models/tables/digit_names.hpp"

#include <algorithm>
#include <map>

#include "likely/io/parse_number.hpp"
#include "likely/models/tables/table_parts.hpp"

namespace likely::tables {

namespace {

bool is_digits(const std::string& word) {
  const auto first = word.begin() + (word.starts_with('-') ? 1 : 0);
  return first != word.end() && std::all_of(first, word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool may_be_names(const io::CsvColumn& column) {
  return column.kind != io::CsvColumn::Kind::category &&
         (!column.leading_zero.empty() || !column.many_digits.empty());
}

std::vector<std::string> digits_in(const std::filesystem::path& file, const io::CsvLayout& layout,
                                   const std::string& column) {
  std::vector<std::string> words = read_keeping(file, layout, {column}).column(column).categories;
  if (!std::all_of(words.begin(), words.end(), is_digits)) return {};
  return words;
}

std::vector<std::string> same_numbers(const std::vector<std::string>& words) {
  std::map<double, std::string> known;
  for (const std::string& word : words) {
    double value = 0.0;
    io::parse_number(word, value);
    const auto [place, is_new] = known.emplace(value, word);
    if (!is_new) return {place->second, word};
  }
  return {};
}

}  // namespace likely::tables
