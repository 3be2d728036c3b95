#include "likely/runs/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "likely/runs/short_names.hpp"

namespace likely::runs {

namespace {

// More points than these only blacken a picture.
constexpr std::int64_t kMostPoints = 1500;

struct Interval {
  double low, high;
};

// A little more than the numbers cover.
Interval around(const Tensor& x, double margin) {
  const double low = min(x).item();
  const double high = max(x).item();
  const double more = high > low ? margin * high - margin * low : std::max(1.0, margin * std::fabs(high));
  constexpr double kMost = std::numeric_limits<double>::max();
  return {std::max(low - more, -kMost), std::min(high + more, kMost)};
}

data::Batch some_rows(const data::Dataset& rows) { return rows.range(0, std::min(rows.size(), kMostPoints)); }

Tensor flat(const Tensor& x) { return reshape(x, {x.size()}); }

// Where something holds, the number; else NaN, which is not drawn.
Tensor only_where(const Tensor& condition, const Tensor& x) {
  return where(condition, x.to(DType::f64), std::nan(""));
}

// How large the part of class 1 is in each of twenty pieces of an interval.
void draw_shares(const data::Batch& rows, double low, double high, plot::Figure& figure) {
  constexpr std::size_t kPieces = 20;
  std::vector<double> ones(kPieces);
  std::vector<double> all(kPieces);
  std::vector<double> middle(kPieces);
  const std::vector<double> x = rows.x.to_vector<double>();
  const std::vector<double> y = rows.y.to_vector<double>();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto piece = std::min(kPieces - 1, static_cast<std::size_t>((x[i] - low) / (high - low) * kPieces));
    ones[piece] += y[i];
    all[piece] += 1.0;
  }
  for (std::size_t piece = 0; piece < kPieces; ++piece) {
    middle[piece] = low + (high - low) * (static_cast<double>(piece) + 0.5) / kPieces;
    ones[piece] = all[piece] > 0.0 ? ones[piece] / all[piece] : std::nan("");
  }
  figure.points(tensor(middle), tensor(ones), {.label = "share of 1", .color = "#009e73", .width = 4.0});
}

// The classes that most rows have, in their order: more than these have no room for their names.
std::vector<std::int64_t> most_frequent(const Tensor& confusion) {
  constexpr std::size_t kMostClasses = 40;
  const std::vector<double> rows = sum(confusion, 1).to_vector<double>();
  std::vector<std::int64_t> classes(rows.size());
  std::iota(classes.begin(), classes.end(), std::int64_t{0});
  if (classes.size() <= kMostClasses) return classes;
  std::stable_sort(classes.begin(), classes.end(), [&](std::int64_t a, std::int64_t b) {
    return rows[static_cast<std::size_t>(a)] > rows[static_cast<std::size_t>(b)];
  });
  classes.resize(kMostClasses);
  std::sort(classes.begin(), classes.end());
  return classes;
}

}  // namespace

void draw_curves(const std::vector<train::EpochReport>& history, PictureFolder& pictures) {
  if (history.size() < 2) return;
  std::vector<double> epochs;
  std::vector<double> training;
  for (const train::EpochReport& report : history) {
    epochs.push_back(static_cast<double>(report.epoch));
    training.push_back(report.loss);
  }
  const auto measured = [&](const std::string& name) {
    std::vector<double> values;
    for (const train::EpochReport& report : history) values.push_back(report[name]);
    return tensor(values);
  };
  const std::string label = std::string(name_of(history[0].measured_on));
  // A curve may end in any corner.
  plot::Figure loss({.title = "Loss", .x_label = "epoch", .y_label = "loss", .legend = "outside"});
  loss.line(tensor(epochs), tensor(training), {.label = "training"});
  for (const auto& [name, value] : history[0].measured) {
    if (name != "loss") continue;
    loss.line(tensor(epochs), measured(name), {.label = label});
  }
  pictures.add("loss", loss);
  for (const auto& [name, value] : history[0].measured) {
    if (name == "loss") continue;
    std::string title = name;
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    plot::Figure figure({.title = title, .x_label = "epoch", .y_label = name, .legend = "outside"});
    figure.line(tensor(epochs), measured(name), {.label = label});
    pictures.add(name, figure);
  }
}

Tensor confusion_matrix(const Tensor& predicted, const Tensor& labels, std::int64_t classes) {
  if (!(predicted.shape() == labels.shape()))
    refuse("confusion_matrix",
           "predictions " + predicted.shape().string() + " do not fit labels " + labels.shape().string());
  std::vector<std::int64_t> counts(static_cast<std::size_t>(classes * classes));
  const Tensor said = predicted.to(DType::i64).contiguous();
  const Tensor truth = labels.to(DType::i64).contiguous();
  for (std::int64_t i = 0; i < truth.size(); ++i) {
    const std::int64_t row = truth.data<std::int64_t>()[i];
    const std::int64_t column = said.data<std::int64_t>()[i];
    if (std::min(row, column) < 0 || std::max(row, column) >= classes)
      refuse("confusion_matrix", fmt::format("class {} in row {} is not in [0, {})",
                                             row < 0 || row >= classes ? row : column, i, classes));
    ++counts[static_cast<std::size_t>(row * classes + column)];
  }
  return tensor(counts, {classes, classes});
}

void draw_confusion(const Tensor& matrix, const std::vector<std::string>& names, PictureFolder& pictures) {
  constexpr std::size_t kLongestName = 24;
  const std::int64_t all = matrix.dim(0);
  const std::vector<std::int64_t> shown = most_frequent(matrix);
  const auto classes = static_cast<std::int64_t>(shown.size());
  const auto known = static_cast<std::int64_t>(names.size());
  std::vector<std::string> labels;
  for (const std::int64_t k : shown)
    labels.push_back(k < known ? names[static_cast<std::size_t>(k)] : std::to_string(k));
  labels = short_names(labels, kLongestName);
  const std::string title =
      classes < all ? fmt::format("Confusion matrix of the {} most frequent of {} classes", classes, all)
                    : "Confusion matrix";
  plot::Figure figure({.title = title, .x_label = "predicted", .y_label = "true class"});
  figure.image(index_select(index_select(matrix, 0, tensor(shown)), 1, tensor(shown)),
               {.color_bar = false, .values = classes <= 20, .column_labels = labels, .row_labels = labels});
  std::size_t longest = 0;
  for (const std::string& label : labels) longest = std::max(longest, label.size());
  const std::int64_t room = 200 + 40 * classes + 4 * static_cast<std::int64_t>(longest);
  const int side = static_cast<int>(std::clamp<std::int64_t>(room, 400, 1000));
  pictures.add("confusion", figure, side, side);
}

void draw_fit(const Predictor& predict, Objective::Kind kind, const data::Dataset& rows,
              PictureFolder& pictures) {
  const data::Batch seen = some_rows(rows);
  const auto [low, high] = around(seen.x, 0.05);
  const Tensor x = linspace(low, high, 400);
  const Tensor output = predict(reshape(x, {400, 1}));
  const bool binary = kind == Objective::Kind::binary;
  plot::FigureOptions options{.title = "Data and model",
                              .x_label = "x",
                              .y_label = "y",
                              .x_range = {{low, high}},
                              .legend = "outside"};
  if (binary) options.y_range = {-0.05, 1.05};
  plot::Figure figure(options);
  const plot::SeriesOptions data{.label = "data", .color = "#0072b2"};
  if (kind == Objective::Kind::normals) {
    const auto [mean, spread] = mean_and_spread(output);
    figure.band(x, mean - spread * 2.0, mean + spread * 2.0, {.label = "mean +- 2 sd", .color = "#d55e00"});
    figure.points(flat(seen.x), flat(seen.y), data);
    figure.line(x, mean, {.label = "mean", .color = "#d55e00"});
  } else {
    figure.points(flat(seen.x), flat(seen.y), data);
    if (binary) draw_shares(seen, low, high, figure);
    figure.line(x, flat(binary ? sigmoid(output) : output),
                {.label = binary ? "Pr(y = 1)" : "model", .color = "#d55e00"});
  }
  pictures.add("fit", figure);
}

void draw_areas(const Predictor& predict, Objective::Kind kind, const data::Dataset& rows,
                PictureFolder& pictures) {
  constexpr std::int64_t kSide = 200;
  const data::Batch seen = some_rows(rows);
  const Tensor across = select(seen.x, 1, 0);
  const Tensor up = select(seen.x, 1, 1);
  const auto [left, right] = around(across, 0.1);
  const auto [bottom, top] = around(up, 0.1);
  const Tensor grid_x = expand(reshape(linspace(left, right, kSide), {1, kSide}), {kSide, kSide});
  const Tensor grid_y = expand(reshape(linspace(bottom, top, kSide), {kSide, 1}), {kSide, kSide});
  const Tensor output = predict(stack({flat(grid_x), flat(grid_y)}, 1));
  const bool binary = kind == Objective::Kind::binary;
  const Tensor area = binary ? (flat(output) > 0.0).to(DType::i64) : argmax(output, -1);
  plot::Figure figure({.title = "What the model says, and the data",
                       .x_label = "x0",
                       .y_label = "x1",
                       .equal_axes = true,
                       .legend = "outside"});
  figure.image(reshape(area, {kSide, kSide}), {.x_range = {{left, right}},
                                               .y_range = {{bottom, top}},
                                               .palette = "classes",
                                               .first_row_on_top = false,
                                               .color_bar = false});
  const std::int64_t classes = binary ? 2 : output.dim(1);
  for (std::int64_t k = 0; k < classes; ++k) {
    const Tensor mine = flat(seen.y).to(DType::i64) == static_cast<double>(k);
    if (any(mine).item() == 0.0) continue;
    figure.points(only_where(mine, across), up,
                  {.label = fmt::format("class {}", k), .turn = static_cast<int>(k), .width = 1.6});
  }
  pictures.add("areas", figure);
}

void draw_predicted(const Tensor& predicted, const Tensor& truth, PictureFolder& pictures) {
  const std::int64_t count = std::min(predicted.size(), kMostPoints);
  const Tensor said = slice(flat(predicted), 0, {0, count});
  const Tensor real = slice(flat(truth), 0, {0, count});
  const auto [low, high] = around(real.to(DType::f64), 0.02);
  const Tensor ends = linspace(low, high, 2, DType::f64);
  plot::Figure figure(
      {.title = "Predicted and true", .x_label = "true", .y_label = "predicted", .legend = "top left"});
  const std::string rows =
      count < predicted.size() ? fmt::format("{} of {} rows", count, predicted.size()) : "rows";
  figure.points(real, said, {.label = rows, .width = 1.6});
  figure.line(ends, ends, {.label = "all right", .color = "#444444", .dashed = true});
  pictures.add("predicted", figure, 600, 560);
}

}  // namespace likely::runs
