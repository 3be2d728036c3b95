#include "likely/models/softmax/score_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "likely/core/create.hpp"
#include "likely/core/dtype.hpp"
#include "likely/core/error.hpp"
#include "likely/io/csv.hpp"
#include "likely/io/csv_layout.hpp"
#include "likely/io/csv_records.hpp"
#include "likely/io/decimal_comma.hpp"
#include "likely/io/npy.hpp"
#include "likely/io/parse_number.hpp"
#include "likely/io/path_kind.hpp"
#include "likely/models/softmax/score_columns.hpp"

namespace likely::confidence {

namespace {

namespace fs = std::filesystem;

constexpr double kLeastProbability = 1e-12;

using detail::distances_from_law;
using detail::listed;
using detail::refuse_scores;
using detail::without_prefix;

// How the rows of a file are named: "line 7" or "row 6".
using NameRow = std::function<std::string(std::size_t)>;

constexpr const char* kSay = "say with `scores` whether they are logits or probabilities";

// The logarithms of rows that are divided by their sums; the notes say how many were 0.
std::vector<double> logs_of(const fs::path& path, std::vector<double> p, std::size_t classes,
                            const NameRow& name, std::vector<std::string>& notes) {
  std::int64_t zeros = 0;
  for (std::size_t begin = 0; begin < p.size(); begin += classes) {
    double sum = 0.0;
    for (std::size_t k = begin; k < begin + classes; ++k) sum += std::max(p[k], 0.0);
    if (!(sum > 0.0)) refuse_scores(path, fmt::format("{}: all probabilities are 0", name(begin / classes)));
    for (std::size_t k = begin; k < begin + classes; ++k) {
      zeros += p[k] <= 0.0 ? 1 : 0;
      p[k] = std::log(std::max(p[k] / sum, kLeastProbability));
    }
  }
  if (zeros > 0) notes.push_back(fmt::format("{} probabilities are 0, and were taken for 1e-12", zeros));
  return p;
}

// What the numbers are, by themselves; "" where nobody can tell, which is refused.
std::string kind_of(const fs::path& path, const std::vector<double>& numbers, std::size_t classes,
                    const NameRow& name) {
  const double near = detail::rounding(classes);
  for (const double whole : {1.0, 100.0}) {
    const std::vector<double> far = distances_from_law(numbers, classes, whole);
    const auto laws = std::count_if(far.begin(), far.end(), [&](double each) { return each <= near; });
    if (laws == std::ssize(far)) return whole == 1.0 ? "probabilities" : "percent";
    const auto other = static_cast<std::size_t>(
        std::find_if(far.begin(), far.end(), [&](double each) { return !(each <= near); }) - far.begin());
    if (2 * laws > std::ssize(far))
      refuse_scores(path,
                    fmt::format("{}: its numbers are not between 0 and {} with a sum of {}, as those of "
                                "{} of {} rows are: {}",
                                name(other), whole, whole, laws, far.size(), kSay));
    if (whole == 1.0 && std::isfinite(*std::max_element(far.begin(), far.end())))
      refuse_scores(path, fmt::format("all numbers lie between 0 and 1, but those of {} do not add up to 1, "
                                      "and may be of one class against the rest: {}",
                                      name(other), kSay));
  }
  return "logits";
}

// Makes logits of the numbers of `scores`, whatever they are, and says what they were taken for.
void take(const fs::path& path, Scores& scores, const Tensor& numbers, const ReadScoresOptions& options,
          const NameRow& name) {
  const std::vector<double> values = numbers.to_vector<double>();
  const auto classes = static_cast<std::size_t>(numbers.dim(1));
  std::string& kind = scores.taken.numbers;
  std::vector<std::string>& notes = scores.rows.notes;
  const bool guessed = options.scores == ScoreKind::guess;
  if (guessed) {
    kind = kind_of(path, values, classes, name);
  } else {
    kind = options.scores == ScoreKind::logits ? "logits" : "probabilities";
  }
  scores.rows.logits = numbers.to(DType::f64);
  if (kind == "logits") return;
  if (!guessed) {
    const auto below = std::find_if(values.begin(), values.end(), [](double p) { return p < -1e-5; });
    if (below != values.end())
      refuse_scores(path,
                    fmt::format("{}: {} is no probability",
                                name(static_cast<std::size_t>(below - values.begin()) / classes), *below));
  } else {
    const double whole = kind == "percent" ? 100.0 : 1.0;
    const std::vector<double> far = distances_from_law(values, classes, whole);
    const auto worst = std::max_element(far.begin(), far.end());
    notes.push_back(fmt::format(
        "the numbers of every row add up to {}{}: they were taken for {} (`scores` says what they are)",
        whole,
        *worst < 1e-9 ? ""
                      : fmt::format(" but for {:.2g}, most in {}", whole * *worst,
                                    name(static_cast<std::size_t>(worst - far.begin()))),
        kind == "percent" ? "percent" : "probabilities"));
  }
  scores.rows.logits = tensor(logs_of(path, values, classes, name, notes), numbers.shape());
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

// The labels of each row, as they would be called in a column's name: whole numbers without a fraction.
std::vector<std::string> label_words(const fs::path& path, const io::Table& table, const std::string& name) {
  const io::CsvColumn& column = table.column(name);
  std::vector<std::string> words;
  if (column.kind == io::CsvColumn::Kind::category) {
    for (const auto place : table[name].to_vector<std::int64_t>())
      words.push_back(column.categories[static_cast<std::size_t>(place)]);
    return words;
  }
  for (const double value : table[name].to_vector<double>()) {
    if (value != std::floor(value) || std::abs(value) > 1e15)
      refuse_scores(path, fmt::format("column \"{}\" holds numbers that are not whole, no classes", name));
    words.push_back(std::to_string(static_cast<std::int64_t>(value)));
  }
  return words;
}

// "z1", "z2", "z3": the numbers behind what all begin with; nothing where these are no such names.
std::vector<std::string> numbers_in(const std::vector<std::string>& names) {
  std::vector<std::string> numbers;
  std::string stem;
  for (const std::string& name : names) {
    const std::size_t last = name.find_last_not_of("0123456789");
    const std::size_t begin = last == std::string::npos ? 0 : last + 1;
    if (begin == 0 || begin == name.size() || name.size() - begin > 15) return {};
    if (!numbers.empty() && name.substr(0, begin) != stem) return {};
    stem = name.substr(0, begin);
    numbers.push_back(std::to_string(std::stoll(name.substr(begin))));
  }
  return numbers;
}

// The class of each row.
Tensor labels_of(const fs::path& path, const io::Table& table, const std::string& label, Scores& scores) {
  const std::vector<std::string>& classes = scores.rows.classes;
  const std::vector<std::string> words = label_words(path, table, label);
  const auto places_of = [&](const std::vector<std::string>& names) {
    std::map<std::string, std::int64_t> places;
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (!places.emplace(names[k], k).second)
        refuse_scores(path, fmt::format("two columns are for the class \"{}\"", names[k]));
    }
    return places;
  };
  const auto all_in = [&](const std::map<std::string, std::int64_t>& places) {
    return !places.empty() &&
           std::all_of(words.begin(), words.end(), [&](const auto& word) { return places.contains(word); });
  };
  std::map<std::string, std::int64_t> places = places_of(classes);
  scores.taken.labels = "names";
  const bool are_words = table.column(label).kind == io::CsvColumn::Kind::category;
  if (!are_words && !all_in(places)) {
    places = places_of(numbers_in(classes));
    scores.taken.labels = "numbers in the names";
  }
  if (!are_words && !all_in(places)) {
    places.clear();
    for (std::size_t k = 0; k < classes.size(); ++k) places.emplace(std::to_string(k), k);
    scores.taken.labels = "places, from 0";
  }
  std::vector<std::int64_t> labels;
  for (std::size_t row = 0; row < words.size(); ++row) {
    auto found = places.find(words[row]);
    if (are_words && found == places.end()) found = places.find(without_prefix(words[row]));
    if (found == places.end())
      refuse_scores(
          path,
          fmt::format("line {}: the label \"{}\" is neither the name of a column nor a number from 0 to {}; "
                      "the columns are {}",
                      table.line(static_cast<std::int64_t>(row)), words[row], classes.size() - 1,
                      listed(scores.taken.columns)));
    labels.push_back(found->second);
  }
  if (scores.taken.labels == "places, from 0" && std::find(labels.begin(), labels.end(), 0) == labels.end())
    scores.rows.notes.emplace_back(
        "no row has the label 0: the labels were taken for the places of columns, counted from 0, not from "
        "1");
  return tensor(labels, {table.rows()});
}

// Refuses a file whose first line is a row: its fields are numbers, but for those of labels.
void refuse_without_names(const fs::path& path, const io::CsvLayout& layout,
                          const ReadScoresOptions& options) {
  io::CsvRecords records("read_scores", path, {layout.separator, '"', options.cancelled});
  records.skip_lines(layout.skip);
  if (!records.next()) return;
  std::size_t numbers = 0, broken = 0, words = 0;
  for (const io::CsvField& field : records.fields()) {
    double value = 0.0;
    const bool is_number = io::parse_number(field.text, value) || io::parse_decimal_comma(field.text, value);
    numbers += is_number ? 1 : 0;
    broken += is_number && value != std::floor(value) ? 1 : 0;
    words += is_number ? 0 : 1;
  }
  if (words <= 1 && (words == 0 || broken > 0) && numbers > 0)
    refuse_scores(path, fmt::format("line {}: there is no line of names above the rows, such as "
                                    "label,cat,dog: a column of labels, and one for each class",
                                    records.line()));
}

Scores read_score_table(const fs::path& path, const ReadScoresOptions& options) {
  const io::CsvLayout layout = io::guess_csv_layout(path);
  refuse_without_names(path, layout, options);
  io::CsvOptions reading = layout.options();
  reading.header = true;
  reading.cancelled = options.cancelled;
  const io::Table table = io::read_csv(path, reading);
  if (table.rows() == 0) refuse_scores(path, "there are no rows");
  Scores scores{.rows = {.of = "file"}};
  scores.rows.notes = table.notes();
  if (!layout.separator_note.empty())
    scores.rows.notes.insert(scores.rows.notes.begin(), layout.separator_note);
  const std::string label = label_column(path, table, options.label);
  detail::ScoreColumns columns =
      detail::score_columns(path, table, label, label_words(path, table, label), options.classes);
  const std::vector<std::string>& names = scores.taken.columns = std::move(columns.names);
  scores.rows.notes.insert(scores.rows.notes.end(), columns.notes.begin(), columns.notes.end());
  if (names.size() < 2)
    refuse_scores(
        path,
        fmt::format("a column is needed for each of two classes at least, besides the labels{}{}",
                    columns.notes.empty() ? "" : "; ", columns.notes.empty() ? "" : columns.notes.front()));
  for (const std::string& name : names) scores.rows.classes.push_back(without_prefix(name));
  const Tensor numbers = table.matrix(names, DType::f64);
  const std::vector<double> values = numbers.to_vector<double>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]))
      refuse_scores(path, fmt::format("line {}: the number in column \"{}\" is not finite",
                                      table.line(static_cast<std::int64_t>(i / names.size())),
                                      names[i % names.size()]));
  }
  scores.rows.labels = labels_of(path, table, label, scores);
  take(path, scores, numbers, options,
       [&](std::size_t row) { return fmt::format("line {}", table.line(static_cast<std::int64_t>(row))); });
  return scores;
}

Scores read_score_arrays(const fs::path& path, ReadScoresOptions options) {
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
  Scores scores{.rows = {.of = "file", .labels = labels}, .taken = {.labels = "places, from 0"}};
  const NameRow name = [](std::size_t row) { return fmt::format("row {}", row); };
  if (probabilities.defined()) {
    if (options.scores == ScoreKind::logits)
      refuse_scores(path, "there is no array logits, which `scores` says there is");
    if (options.scores == ScoreKind::guess && kind_of(path, values, width, name) == "logits") {
      const std::vector<double> far = distances_from_law(values, width, 1.0);
      refuse_scores(path, fmt::format("the probabilities of row {} do not add up to 1",
                                      std::max_element(far.begin(), far.end()) - far.begin()));
    }
  } else if (options.scores == ScoreKind::guess) {
    // The name of the array decides.
    options.scores = ScoreKind::logits;
    const std::vector<double> far = distances_from_law(values, width, 1.0);
    if (*std::max_element(far.begin(), far.end()) <= detail::rounding(width))
      scores.rows.notes.emplace_back(
          "the numbers of every row of the array logits lie between 0 and 1 and add up to 1: if they are "
          "probabilities, say so with `scores`");
  }
  take(path, scores, numbers, options, name);
  return scores;
}

}  // namespace

Scores read_scores(const fs::path& path, const ReadScoresOptions& options) {
  if (!io::path_exists(path)) refuse_scores(path, "there is no such file");
  if (io::is_folder(path)) refuse_scores(path, "this is a folder, a file is needed");
  return path.extension() == ".npz" ? read_score_arrays(path, options) : read_score_table(path, options);
}

}  // namespace likely::confidence
