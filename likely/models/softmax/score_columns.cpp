#include "likely/models/softmax/score_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>

#include "likely/core/dtype.hpp"
#include "likely/core/error.hpp"

namespace likely::confidence::detail {

namespace {

namespace fs = std::filesystem;

constexpr std::array kPrefixes{"p_", "logit_", "z_"};
// 32-bit probabilities may lie so far outside.
constexpr double kSlack = 1e-5;

bool is_about_the_row(const std::string& name) {
  static constexpr std::array kNames{
      "",       "id",         "idx",     "index",     "row",        "rowid",       "row_id", "rownum",
      "line",   "n",          "no",      "nr",        "number",     "fold",        "seed",   "split",
      "epoch",  "step",       "subject", "sample",    "pred",       "file",        "image",  "name",
      "time",   "prediction", "date",    "predicted", "confidence", "probability", "prob",   "loss",
      "weight", "rank",       "key",     "timestamp", "correct"};
  std::string small;
  for (const char c : name) small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small.starts_with("unnamed:") || small.ends_with("_id") ||
         std::find(kNames.begin(), kNames.end(), small) != kNames.end();
}

// Whether a column of whole numbers goes up by one from each row to the next.
bool counts(const io::Table& table, const io::CsvColumn& column) {
  if (column.kind != io::CsvColumn::Kind::whole || table.rows() < 3) return false;
  const std::vector<std::int64_t> values = table[column.name].to_vector<std::int64_t>();
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] != values[i - 1] + 1) return false;
  }
  return true;
}

bool are_laws(const io::Table& table, const std::vector<std::string>& names) {
  const std::vector<double> numbers = table.matrix(names, DType::f64).to_vector<double>();
  for (const double whole : {1.0, 100.0}) {
    const std::vector<double> far = distances_from_law(numbers, names.size(), whole);
    if (*std::max_element(far.begin(), far.end()) <= rounding(names.size())) return true;
  }
  return false;
}

ScoreColumns wanted_columns(const fs::path& path, const io::Table& table, const std::string& label,
                            const std::vector<std::string>& wanted) {
  ScoreColumns found;
  for (const std::string& name : wanted) {
    const io::CsvColumn* match = nullptr;
    for (const io::CsvColumn& column : table.columns()) {
      if (column.name == label) continue;
      if (column.name == name) match = &column;
      if (match == nullptr && without_prefix(column.name) == name) match = &column;
    }
    if (match == nullptr) {
      std::vector<std::string> all;
      for (const io::CsvColumn& column : table.columns()) {
        if (column.name != label) all.push_back(column.name);
      }
      refuse_scores(path, fmt::format("there is no column for the class \"{}\" of `classes`; there are {}",
                                      name, listed(all)));
    }
    found.names.push_back(match->name);
  }
  return found;
}

}  // namespace

void refuse_scores(const fs::path& path, const std::string& why) {
  throw Error(fmt::format("{}: {}", path.string(), why));
}

std::string without_prefix(const std::string& name) {
  for (const char* prefix : kPrefixes) {
    if (name.starts_with(prefix)) return name.substr(std::string_view(prefix).size());
  }
  return name;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 10;
  if (names.size() <= kShown + 1) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kShown, ", "),
                     names.size() - kShown);
}

std::vector<double> distances_from_law(const std::vector<double>& numbers, std::size_t classes,
                                       double whole) {
  std::vector<double> distances;
  for (std::size_t begin = 0; begin < numbers.size(); begin += classes) {
    double sum = 0.0;
    bool inside = true;
    for (std::size_t k = begin; k < begin + classes; ++k) {
      sum += numbers[k] / whole;
      inside = inside && numbers[k] >= -kSlack * whole && numbers[k] <= (1.0 + kSlack) * whole;
    }
    distances.push_back(inside ? std::abs(sum - 1.0) : std::numeric_limits<double>::infinity());
  }
  return distances;
}

double rounding(std::size_t classes) { return std::min(0.25, 0.02 + 0.005 * static_cast<double>(classes)); }

ScoreColumns score_columns(const fs::path& path, const io::Table& table, const std::string& label,
                           const std::vector<std::string>& words, const std::vector<std::string>& wanted) {
  if (!wanted.empty()) return wanted_columns(path, table, label, wanted);
  const std::set<std::string> labels(words.begin(), words.end());
  const auto is_label = [&](const std::string& name) {
    return labels.contains(name) || labels.contains(without_prefix(name));
  };
  ScoreColumns found;
  std::vector<std::string> left_out, prefixes;
  for (const char* prefix : kPrefixes) {
    const auto has = [&](const io::CsvColumn& column) {
      return column.name != label && column.name.starts_with(prefix);
    };
    if (std::count_if(table.columns().begin(), table.columns().end(), has) > 1) prefixes.emplace_back(prefix);
  }
  if (prefixes.size() > 1)
    refuse_scores(path, fmt::format("there are columns with {} in front: say with `classes` which are meant",
                                    fmt::join(prefixes, " and with ")));
  std::vector<std::string> own;  // of the labels that occur
  for (const io::CsvColumn& column : table.columns()) {
    if (column.name == label) continue;
    const bool is_own = is_label(column.name);
    const bool is_words = column.kind == io::CsvColumn::Kind::category && column.numbers == 0;
    const bool is_class =
        !prefixes.empty() ? column.name.starts_with(prefixes.front())
                          : is_own || !(is_words || is_about_the_row(column.name) || counts(table, column));
    (is_class ? found.names : left_out).push_back(column.name);
    if (!is_class) continue;
    if (column.kind == io::CsvColumn::Kind::category)
      refuse_scores(path, fmt::format("line {}: \"{}\" in column \"{}\" is no number", column.first_word_line,
                                      column.first_word, column.name));
    if (is_own) own.push_back(column.name);
  }
  if (prefixes.empty() && own.size() > 1 && own.size() < found.names.size() && are_laws(table, own) &&
      !are_laws(table, found.names)) {
    for (const std::string& name : found.names) {
      if (!is_label(name)) left_out.push_back(name);
    }
    found.names = own;
  }
  if (!left_out.empty())
    found.notes.push_back(fmt::format("left out, as no column{} of classes: {} (`classes` says which are)",
                                      left_out.size() == 1 ? "" : "s", listed(left_out)));
  return found;
}

}  // namespace likely::confidence::detail
