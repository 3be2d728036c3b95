#include "likely/models/tables/csv_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/create.hpp"
#include "likely/core/printable.hpp"
#include "likely/models/tables/importance.hpp"
#include "likely/runs/pictures.hpp"
#include "likely/runs/short_names.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::tables {

namespace {

constexpr std::int64_t kShuffles = 5;
constexpr std::int64_t kMostRows = 1000;  // to be shuffled: more only take longer
constexpr std::size_t kMostTried = 64;    // columns: each costs so many predictions of all rows
constexpr std::size_t kMostColumns = 20;  // in the picture of importances
constexpr std::size_t kLongestColumnName = 24;
constexpr std::size_t kMostClasses = 20;  // in a matrix made of letters
constexpr std::size_t kLongestClassName = 12;

std::string confusion_text(const Tensor& confusion, const std::vector<std::string>& classes) {
  if (classes.size() > kMostClasses) return {};
  std::size_t width = 5;
  std::vector<std::string> whole;
  for (const std::string& name : classes) whole.push_back(printable_line(name));
  const std::vector<std::string> names = runs::short_names(whole, kLongestClassName);
  for (const std::string& name : names) width = std::max(width, name.size());
  std::string text = fmt::format("\ntrue class (down) and what was said:\n{:>{}}", "", width + 2);
  for (const std::string& name : names) text += fmt::format(" {:>{}}", name, width);
  text += "\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("  {:>{}}", names[i], width);
    for (std::size_t j = 0; j < names.size(); ++j) {
      const double count = confusion.at({static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)});
      text += fmt::format(" {:>{}}", count == 0 ? "." : fmt::format("{}", count), width);
    }
    text += "\n";
  }
  return text;
}

std::string line(const std::string& name, const std::string& model, const std::string& plain) {
  return fmt::format("{:<12} {:>12} {:>12}\n", name, model, plain);
}
std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string number(double value) {
  const bool plain = std::abs(value) >= 1000 && std::abs(value) < 1e11;
  return plain ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

// Some of the rows, from all over the table.
std::vector<Judged> thinned(std::vector<Judged> judged) {
  for (auto& [model, rows] : judged) {
    const std::int64_t count = std::min(rows.size(), kMostRows);
    std::vector<std::int64_t> which;
    for (std::int64_t i = 0; i < count; ++i) which.push_back(i * rows.size() / count);
    rows = pick(rows, which);
  }
  return judged;
}

// What is said of columns that are not shown.
std::string column_label(std::size_t shown, std::size_t tried, std::size_t all) {
  if (tried < all)
    return fmt::format("column (the {} most important of {} tried, which have the largest weights of all {})",
                       shown, tried, all);
  return shown < all ? fmt::format("column (the {} most important of {})", shown, all) : "column";
}

void draw_importance(const std::vector<Judged>& judged, runs::PictureFolder& pictures) {
  const std::vector<std::size_t> tried = heaviest_columns(judged, kMostTried);
  std::vector<Importance> all =
      permutation_importance(thinned(judged), tried, kShuffles, Rng(0), train::detail::interrupt_arrived);
  all.resize(std::min(all.size(), kMostColumns));
  std::vector<std::string> columns;
  std::vector<double> values;
  for (const Importance& importance : all) {
    columns.push_back(importance.column);
    values.push_back(importance.value);
  }
  const std::vector<std::string> names = runs::short_names(columns, kLongestColumnName);
  plot::Figure figure(
      {.title = "Importance of columns: what shuffling one costs",
       .x_label = column_label(all.size(), tried.size(), judged.front().model.schema.inputs.size()),
       .y_label = judged.front().model.schema.classifies() ? "rise of the log-loss" : "fall of R2",
       .legend = "none"});
  figure.bars(names, tensor(values));
  pictures.add("importance", figure, 900, 520);
}

}  // namespace

std::vector<runs::Measured> figures_of(const Scores& scores, const std::string& of) {
  if (const auto* classes = std::get_if<ClassScores>(&scores)) {
    return {
        {.name = of + " accuracy",
         .better = runs::Better::higher,
         .value = classes->accuracy,
         .percent = true},
        {.name = of + " macro-F1", .better = runs::Better::higher, .value = classes->macro_f1},
        {.name = of + " log-loss", .better = runs::Better::lower, .value = classes->log_loss},
        {.name = "baseline accuracy",
         .better = runs::Better::higher,
         .value = classes->majority_accuracy,
         .percent = true},
        {.name = "baseline log-loss", .better = runs::Better::lower, .value = classes->majority_log_loss}};
  }
  const auto& numbers = std::get<NumberScores>(scores);
  std::vector<runs::Measured> figures;
  if (!std::isnan(numbers.r2))
    figures.push_back({.name = of + " R2", .better = runs::Better::higher, .value = numbers.r2});
  figures.push_back({.name = of + " RMSE", .better = runs::Better::lower, .value = numbers.rmse});
  figures.push_back({.name = of + " MAE", .better = runs::Better::lower, .value = numbers.mae});
  figures.push_back({.name = "baseline RMSE", .better = runs::Better::lower, .value = numbers.mean_rmse});
  figures.push_back({.name = "baseline MAE", .better = runs::Better::lower, .value = numbers.mean_mae});
  return figures;
}

std::string text_of(const Scores& scores, const Schema& schema, std::int64_t rows, const std::string& of) {
  if (const auto* classes = std::get_if<ClassScores>(&scores)) {
    const auto [low, high] = interval_of_share(classes->accuracy, rows);
    std::string text = line(fmt::format("{} rows", rows), of, "majority");
    text += line("accuracy", percent(classes->accuracy), percent(classes->majority_accuracy));
    text += line("macro-F1", number(classes->macro_f1), "");
    text += line("log-loss", number(classes->log_loss), number(classes->majority_log_loss));
    text += fmt::format("95 % interval of the accuracy: {} to {}\n", percent(low), percent(high));
    return text + confusion_text(classes->confusion, schema.classes);
  }
  const auto& numbers = std::get<NumberScores>(scores);
  return line(fmt::format("{} rows", rows), of, "mean") +
         (std::isnan(numbers.r2)
              ? line("R2", "not defined", rows == 1 ? "(one row)" : "(all targets are the same)")
              : line("R2", number(numbers.r2), number(numbers.mean_r2))) +
         line("RMSE", number(numbers.rmse), number(numbers.mean_rmse)) +
         line("MAE", number(numbers.mae), number(numbers.mean_mae));
}

void draw(const std::vector<Judged>& judged, runs::PictureFolder& pictures) {
  const bool classifies = judged.front().model.schema.classifies();
  pictures.attempt(classifies ? "picture \"confusion\"" : "picture \"predicted\"", [&] {
    const Tensor y = targets(judged);
    if (classifies) {
      const auto scores = std::get<ClassScores>(score(judged, y));
      runs::draw_confusion(scores.confusion, judged.front().model.schema.classes, pictures);
    } else {
      runs::draw_predicted(predictions(judged), y, pictures);
    }
  });
  pictures.attempt("picture \"importance\"", [&] { draw_importance(judged, pictures); });
}

}  // namespace likely::tables
