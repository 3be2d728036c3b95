#include "likely/models/softmax/score_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "likely/core/create.hpp"
#include "likely/core/dtype.hpp"
#include "likely/core/error.hpp"
#include "likely/io/csv.hpp"
#include "likely/io/csv_layout.hpp"
#include "likely/io/npy.hpp"
#include "likely/io/path_kind.hpp"

namespace likely::confidence {

namespace {

namespace fs = std::filesystem;

constexpr double kLeastProbability = 1e-12;
constexpr double kSumIsOne = 1e-3;

[[noreturn]] void refuse_scores(const fs::path& path, const std::string& why) {
  throw Error(fmt::format("{}: {}", path.string(), why));
}

// The logarithms; the notes say how many were 0.
Tensor logits_of_probabilities(const std::vector<double>& p, const Shape& shape,
                               std::vector<std::string>& notes) {
  std::vector<double> logits;
  std::int64_t zeros = 0;
  for (const double value : p) {
    zeros += value == 0.0 ? 1 : 0;
    logits.push_back(std::log(std::max(value, kLeastProbability)));
  }
  if (zeros > 0) notes.push_back(fmt::format("{} probabilities are 0, and were taken for 1e-12", zeros));
  return tensor(logits, shape);
}

// The first row that is no law; -1 where all are.
std::int64_t first_without_law(const std::vector<double>& p, std::size_t classes) {
  for (std::size_t row = 0; row * classes < p.size(); ++row) {
    double sum = 0.0;
    bool inside = true;
    for (std::size_t k = 0; k < classes; ++k) {
      sum += p[row * classes + k];
      inside = inside && p[row * classes + k] >= 0.0 && p[row * classes + k] <= 1.0;
    }
    if (!inside || std::abs(sum - 1.0) > kSumIsOne) return static_cast<std::int64_t>(row);
  }
  return -1;
}

std::string without_prefix(const std::string& name) {
  for (const char* prefix : {"p_", "logit_", "z_"}) {
    if (name.starts_with(prefix)) return name.substr(std::string_view(prefix).size());
  }
  return name;
}

std::string label_column(const fs::path& path, const io::Table& table, const std::string& wanted) {
  std::vector<std::string> names;
  for (const io::CsvColumn& column : table.columns()) names.push_back(column.name);
  const auto has = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (!wanted.empty()) {
    if (has(wanted)) return wanted;
    refuse_scores(path,
                  fmt::format("there is no column \"{}\"; there are {}", wanted, fmt::join(names, ", ")));
  }
  for (const char* usual : {"label", "class", "target", "true", "y"}) {
    if (has(usual)) return usual;
  }
  refuse_scores(
      path,
      fmt::format("no column is called label, class, target, true or y; say which holds the true class with "
                  "`label`: there are {}",
                  fmt::join(names, ", ")));
}

// The class of each row.
Tensor labels_of(const fs::path& path, const io::Table& table, const std::string& name,
                 const std::vector<std::string>& classes) {
  const io::CsvColumn& column = table.column(name);
  if (column.kind == io::CsvColumn::Kind::number)
    refuse_scores(path, fmt::format("column \"{}\" holds numbers that are not whole, no classes", name));
  std::map<std::string, std::int64_t> places;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    if (!places.emplace(classes[k], k).second)
      refuse_scores(path, fmt::format("two columns are for the class \"{}\"", classes[k]));
  }
  const bool words = column.kind == io::CsvColumn::Kind::category;
  std::vector<std::int64_t> labels;
  const std::vector<std::int64_t> values = table[name].to_vector<std::int64_t>();
  const bool named = words || std::all_of(values.begin(), values.end(), [&](std::int64_t value) {
                       return places.contains(std::to_string(value));
                     });
  for (std::size_t row = 0; row < values.size(); ++row) {
    const std::string word =
        words ? column.categories[static_cast<std::size_t>(values[row])] : std::to_string(values[row]);
    auto found = places.find(word);
    if (words && found == places.end()) found = places.find(without_prefix(word));
    const bool is_place = !named && values[row] >= 0 && values[row] < std::ssize(classes);
    if (named ? found == places.end() : !is_place)
      refuse_scores(
          path,
          fmt::format("line {}: the label \"{}\" is neither the name of a column nor a number from 0 to {}",
                      table.line(static_cast<std::int64_t>(row)), word, classes.size() - 1));
    labels.push_back(named ? found->second : values[row]);
  }
  return tensor(labels, {table.rows()});
}

runs::HeldOutLogits read_score_table(const fs::path& path, const ReadScoresOptions& options) {
  const io::CsvLayout layout = io::guess_csv_layout(path);
  io::CsvOptions reading = layout.options();
  reading.header = true;
  reading.cancelled = options.cancelled;
  const io::Table table = io::read_csv(path, reading);
  if (table.rows() == 0) refuse_scores(path, "there are no rows");
  runs::HeldOutLogits scores{.of = "file"};
  scores.notes = table.notes();
  if (!layout.separator_note.empty()) scores.notes.insert(scores.notes.begin(), layout.separator_note);
  const std::string label = label_column(path, table, options.label);
  std::vector<std::string> names;
  for (const io::CsvColumn& column : table.columns()) {
    if (column.name == label) continue;
    if (column.kind == io::CsvColumn::Kind::category)
      refuse_scores(path, fmt::format("line {}: \"{}\" in column \"{}\" is no number", column.first_word_line,
                                      column.first_word, column.name));
    names.push_back(column.name);
    scores.classes.push_back(without_prefix(column.name));
  }
  if (names.size() < 2)
    refuse_scores(path, "a column is needed for each of two classes at least, besides the labels");
  const Tensor numbers = table.matrix(names, DType::f64);
  const std::vector<double> values = numbers.to_vector<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      refuse_scores(path, fmt::format("line {}: the number in column \"{}\" is not finite",
                                      table.line(static_cast<std::int64_t>(i / names.size())),
                                      names[i % names.size()]));
  }
  scores.labels = labels_of(path, table, label, scores.classes);
  scores.logits = numbers;
  if (first_without_law(values, names.size()) < 0) {
    scores.logits = logits_of_probabilities(values, numbers.shape(), scores.notes);
    scores.notes.emplace_back("the numbers of every row add up to 1: they were taken for probabilities");
  }
  return scores;
}

runs::HeldOutLogits read_score_arrays(const fs::path& path) {
  const io::NamedTensors arrays = io::load_npz(path);
  const auto found = [&](const std::string& name) {
    for (const auto& [each, tensor] : arrays.tensors) {
      if (each == name) return tensor;
    }
    return Tensor();
  };
  const Tensor labels = found("labels"), logits = found("logits"), probabilities = found("probabilities");
  if (!labels.defined() || logits.defined() == probabilities.defined())
    refuse_scores(path, "the arrays labels and logits are needed, or labels and probabilities");
  const Tensor& numbers = logits.defined() ? logits : probabilities;
  if (numbers.rank() != 2 || numbers.dim(0) < 1 || numbers.dim(1) < 2 || !is_floating(numbers.dtype()))
    refuse_scores(path, fmt::format("{} must be (rows, classes) with two classes at least, is {} {}",
                                    logits.defined() ? "logits" : "probabilities", numbers.shape().string(),
                                    name_of(numbers.dtype())));
  if (labels.rank() != 1 || labels.dim(0) != numbers.dim(0) || labels.dtype() != DType::i64)
    refuse_scores(path, fmt::format("labels must be ({},) whole numbers, is {} {}", numbers.dim(0),
                                    labels.shape().string(), name_of(labels.dtype())));
  const std::vector<std::int64_t> classes = labels.to_vector<std::int64_t>();
  const std::vector<double> values = numbers.to_vector<double>();
  const auto width = static_cast<std::size_t>(numbers.dim(1));
  for (std::size_t row = 0; row < classes.size(); ++row) {
    if (classes[row] < 0 || classes[row] >= numbers.dim(1))
      refuse_scores(path,
                    fmt::format("row {} has the label {}, there are {} classes", row, classes[row], width));
    for (std::size_t k = 0; k < width; ++k) {
      if (!std::isfinite(values[row * width + k]))
        refuse_scores(path, fmt::format("row {} holds a number that is not finite", row));
    }
  }
  runs::HeldOutLogits scores{.of = "file", .logits = numbers.to(DType::f64), .labels = labels};
  if (probabilities.defined()) {
    const std::int64_t wrong = first_without_law(values, width);
    if (wrong >= 0) refuse_scores(path, fmt::format("the probabilities of row {} do not add up to 1", wrong));
    scores.logits = logits_of_probabilities(values, numbers.shape(), scores.notes);
  }
  return scores;
}

}  // namespace

runs::HeldOutLogits read_scores(const fs::path& path, const ReadScoresOptions& options) {
  if (!io::path_exists(path)) refuse_scores(path, "there is no such file");
  if (io::is_folder(path)) refuse_scores(path, "this is a folder, a file is needed");
  return path.extension() == ".npz" ? read_score_arrays(path) : read_score_table(path, options);
}

}  // namespace likely::confidence
