#include "likely/models/tables/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "likely/models/tables/table_parts.hpp"

namespace likely::tables {

namespace {

using Kind = io::CsvColumn::Kind;

constexpr std::size_t kMostNumberedClasses = 20;
constexpr std::size_t kRowsPerNumberedClass = 5;
constexpr std::size_t kMostCounted = 10'000;  // different targets; more are many all the same

// Whole numbers as classes, which are named by their digits.
Target numbered_classes(const std::vector<double>& values) {
  const auto present = [](double value) { return !std::isnan(value); };
  std::set<double> different;
  std::copy_if(values.begin(), values.end(), std::inserter(different, different.end()), present);
  Target target{.values = values};
  std::map<double, double> places;
  for (const double value : different) {
    places.emplace(value, static_cast<double>(target.classes.size()));
    target.classes.push_back(fmt::format("{}", value));
  }
  for (double& value : target.values) {
    if (present(value)) value = places.at(value);
  }
  return target;
}

}  // namespace

bool are_few(std::size_t different, std::size_t rows) {
  return different <= kMostNumberedClasses && different * kRowsPerNumberedClass <= rows;
}

Target decide_task(const std::string& file, const io::CsvColumn& column, std::vector<double> values,
                   const std::vector<std::string>& named, Task task,
                   const std::vector<std::string>& notices) {
  const auto refuse_target = [&](const std::string& message) {
    refuse_table(file, explained(message, notices));
  };
  std::set<double> different;
  bool whole = true;
  std::size_t rows = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    ++rows;
    whole = whole && value == std::floor(value) && std::abs(value) < 1e15;
    if (different.size() <= kMostCounted) different.insert(value);
  }
  if (rows == 0) refuse_target(fmt::format("the target \"{}\" is missing in every row", column.name));
  if (values.size() == 1) refuse_table(file, "there is only one row: nothing can be learned from it");
  if (different.size() == 1) {
    const std::string value = column.kind == Kind::category
                                  ? column.categories[static_cast<std::size_t>(*different.begin())]
                                  : fmt::format("{}", *different.begin());
    refuse_target(fmt::format(
        "the target \"{}\" is always {}{}: there is nothing to learn", column.name, value,
        column.missing_word.empty() ? ""
                                    : fmt::format(" (\"{}\" in line {} stands for a missing value)",
                                                  column.missing_word, column.missing_word_line)));
  }
  if (column.kind == Kind::category) {
    const bool few_rows_a_class = column.categories.size() * 2 > rows;
    if (column.has_strays() && (task == Task::regress || few_rows_a_class)) {
      refuse_table(file, fmt::format("line {}, the target \"{}\": \"{}\" is not a number, as {} of its {} "
                                     "fields are",
                                     column.first_word_line, column.name, column.first_word, column.numbers,
                                     column.numbers + column.words));
    }
    if (task == Task::regress) {
      refuse_target(
          fmt::format("the target \"{}\" holds words such as \"{}\" (line {}): numbers cannot "
                      "be predicted from it",
                      column.name, column.first_word, column.first_word_line));
    }
    if (few_rows_a_class) {
      refuse_target(
          fmt::format("the target \"{}\" has {} different words in {} rows: too few rows a class "
                      "to learn from",
                      column.name, column.categories.size(), rows));
    }
    return {std::move(values), column.categories};
  }
  if (!named.empty() && task != Task::regress) return {std::move(values), named};
  const bool few = are_few(different.size(), rows);
  if (task == Task::classify && (!whole || different.size() * 2 > rows)) {
    refuse_target(
        fmt::format("the target \"{}\" does not hold classes: it has {} different numbers in {} rows",
                    column.name, different.size(), rows));
  }
  if (task == Task::classify || (task == Task::automatic && whole && few)) return numbered_classes(values);
  return {std::move(values)};
}

}  // namespace likely::tables
