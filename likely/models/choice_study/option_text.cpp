#include "likely/models/choice_study/option_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"
#include "likely/io/parse_number.hpp"
#include "likely/models/choice/model.hpp"

namespace likely::choice {

double number_of(const std::string& text, const std::string& whole) {
  double x = 0.0;
  if (!io::parse_number(text, x) || !std::isfinite(x))
    throw Error(fmt::format("{}: \"{}\" is not a number", whole, text));
  return x;
}

std::vector<double> numbers_of(const std::string& list, const std::string& whole) {
  std::vector<double> numbers;
  for (const std::string& part : split_parts(list)) numbers.push_back(number_of(part, whole));
  return numbers;
}

std::string aligned(std::vector<std::vector<std::string>> rows) {
  std::vector<std::size_t> widths;
  for (auto& row : rows) {
    for (std::string& cell : row) cell = printable_line(cell);
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i == 0 ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("  {:>{}}", row[i], widths[i]);
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    text += '\n';
  }
  return text;
}

}  // namespace likely::choice
