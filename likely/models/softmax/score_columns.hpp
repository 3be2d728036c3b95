// Which columns of a table are those of the classes. Internal to models/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "likely/io/csv.hpp"

namespace likely::confidence::detail {

[[noreturn]] void refuse_scores(const std::filesystem::path& path, const std::string& why);

// "p_cat", "logit_cat" and "z_cat" are of the class "cat".
std::string without_prefix(const std::string& name);

// The first ten names, and how many more there are.
std::string listed(const std::vector<std::string>& names);

// How far the sum of each row is from `whole`; rows with a number outside 0 .. whole are infinitely far.
std::vector<double> distances_from_law(const std::vector<double>& numbers, std::size_t classes, double whole);
// What rounding may do to the sum of so many numbers, in parts of the whole.
double rounding(std::size_t classes);

struct ScoreColumns {
  std::vector<std::string> names{};
  std::vector<std::string> notes{};
};
// The rules are those of read_scores. `words`: the labels that occur.
ScoreColumns score_columns(const std::filesystem::path& path, const io::Table& table,
                           const std::string& label, const std::vector<std::string>& words,
                           const std::vector<std::string>& wanted);

}  // namespace likely::confidence::detail
