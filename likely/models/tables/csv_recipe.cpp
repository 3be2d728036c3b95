// `likely train csv`: a classifier or regressor for a user's own table.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "likely/core/error.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/text.hpp"
#include "likely/models/recipes.hpp"
#include "likely/models/tables/csv_report.hpp"
#include "likely/models/tables/csv_settings.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::tables {

namespace {

using models::Measured;
using models::Predictions;
using models::Report;
using models::Run;

// One line on a terminal that says how far it is, drawn again and again.
class ProgressLine {
 public:
  ProgressLine(train::Progress wanted, const char* what)
      : shown_(wanted != train::Progress::silent && isatty(STDERR_FILENO) != 0), what_(what) {}
  ~ProgressLine() {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void operator()(std::int64_t epoch, double loss) const {
    if (!shown_) return;
    fmt::print(stderr, "\r\033[K{}: epoch {}, loss on rows not learned from {:.4f}", what_, epoch, loss);
    std::fflush(stderr);
  }

 private:
  bool shown_;
  const char* what_;
};

// What the table was like when it was learned from: held-out rows are only held out if it still is.
struct Origin {
  std::string file;
  std::string target_file;
  std::int64_t rows = 0;
  double target_mean = 0.0;
};

std::filesystem::path origin_path(const std::filesystem::path& folder) { return folder / "table.json"; }

Origin origin_of(const Run& run, const Rows& rows) {
  std::filesystem::path target_file = read_options(run).target_file;
  if (!target_file.empty()) target_file = std::filesystem::absolute(target_file).lexically_normal();
  return {run.data.string(), target_file.string(), rows.size(), mean(rows.y.to(DType::f64)).item()};
}

void write_origin(const Run& run, const Rows& rows) {
  const Origin origin = origin_of(run, rows);
  const nlohmann::ordered_json json{{"file", origin.file},
                                    {"target_file", origin.target_file},
                                    {"rows", origin.rows},
                                    {"target_mean", origin.target_mean}};
  io::write_file(origin_path(run.out), json.dump(2) + "\n");
}

Origin read_origin(const Run& run) {
  const std::filesystem::path path = origin_path(run.out);
  const auto json = nlohmann::json::parse(io::read_text(path), nullptr, false);
  if (!json.is_object()) refuse("csv", path.string() + " does not say what was learned from");
  return {json.value("file", ""), json.value("target_file", ""), json.value("rows", std::int64_t{0}),
          json.value("target_mean", 0.0)};
}

// The rows to judge by: those held out, or all rows of another table, with the targets that were learned
// from. Where nothing was held out, all rows are good enough to draw, but not to judge by.
struct Judged {
  Rows rows;
  Tensor train;
};

Judged rows_to_judge_by(const Run& run, const TableModel& model, bool for_drawing) {
  const Origin origin = read_origin(run);
  if (run.data.string() != origin.file) {
    const ReadOptions options = read_options(run);
    Rows rows = read_rows(run.data, model.schema,
                          {.hints = options.hints, .missing = options.missing, .target = true});
    return {rows, rows.y};
  }
  ReadOptions options = read_options(run);
  options.target_file = origin.target_file;
  const Rows rows = read_table(options);
  const Origin now = origin_of(run, rows);
  if (now.rows != origin.rows || now.target_mean != origin.target_mean) {
    refuse("csv", origin.file +
                      " has changed since the model was fitted: which rows were held out is not known "
                      "any more");
  }
  Halves halves = hold_out(rows, run.settings.number("holdout"), run.seed);
  if (!halves.held_out && for_drawing) return {halves.train, halves.train.y};
  if (!halves.held_out) {
    refuse("csv", "the model learned from all rows of " + origin.file + ": give others with --data");
  }
  return {std::move(*halves.held_out), halves.train.y};
}

std::string description(const Rows& rows, const Halves& halves, const FittedModel& fitted) {
  const Schema& schema = rows.schema;
  std::string text;
  for (const std::string& notice : rows.notices) text += notice + "\n";
  const std::string target = schema.target.empty() ? "the target" : fmt::format("\"{}\"", schema.target);
  text +=
      fmt::format("{} rows, {} inputs; {} is {}\n", rows.size(), schema.inputs.size(), target,
                  schema.classifies() ? fmt::format("one of {} classes", schema.classes.size()) : "a number");
  text += fmt::format("{} rows to learn from, {} held out\n", halves.train.size(),
                      halves.held_out ? halves.held_out->size() : 0);
  const double w = fitted.model.weight.item();
  text += fmt::format("inner {}: linear {:.4g}, network {:.4g}, blend {:.4g} with {:.0f} % network\n\n",
                      schema.classifies() ? "log-loss" : "error", fitted.losses.linear, fitted.losses.network,
                      fitted.losses.blend, 100 * w);
  return text;
}

// A quarter of a small table is a coarse measure: one row more or less is right. All rows are a finer one.
std::int64_t folds_wanted(const Run& run, const Rows& rows) {
  constexpr std::int64_t kFewRows = 1000;
  constexpr std::int64_t kEnoughToFold = 50;
  const std::int64_t wanted = run.settings.whole("folds");
  if (wanted >= 0) return wanted;
  return rows.size() < kFewRows && rows.size() >= kEnoughToFold ? 5 : 0;
}

void append(std::vector<Measured>& to, const std::vector<Measured>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Report train_csv(const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  const Rows rows = read_table(read_options(run));
  const Halves halves = hold_out(rows, run.settings.number("holdout"), run.seed);
  const ModelOptions options = model_options(run);
  Report report;
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::optional<FittedModel> fitted;
  {
    const ProgressLine progress(run.progress, "fitting");
    fitted = fit_rows(halves.train, options, run.seed, [&](auto... n) { progress(n...); });
  }
  if (!fitted) {
    report.stopped = train::Stopped::interrupted;
    report.seconds = seconds();
    return report;
  }
  report.text = description(rows, halves, *fitted);
  if (halves.held_out) {
    const Scores scores = score(fitted->model, *halves.held_out, halves.train.y);
    append(report.figures, figures_of(scores, "test"));
    report.text += text_of(scores, rows.schema, halves.held_out->size(), "held out");
  }
  if (const std::int64_t folds = folds_wanted(run, rows); folds > 0) {
    const ProgressLine progress(run.progress, "folds");
    const auto judged = cross_validate(rows, folds, options, run.seed, [&](auto... n) { progress(n...); });
    if (!judged) {
      report.stopped = train::Stopped::interrupted;
      report.seconds = seconds();
      return report;
    }
    std::vector<Measured> figures = figures_of(judged->all, "fold");
    figures.resize(3);
    const bool classifies = rows.schema.classifies();
    figures.push_back({.name = classifies ? "worst fold accuracy" : "worst fold R2",
                       .value = *std::min_element(judged->each.begin(), judged->each.end()),
                       .percent = classifies});
    append(report.figures, figures);
    report.text += '\n';
    report.text += text_of(judged->all, rows.schema, rows.size(), fmt::format("{} folds", folds));
  }
  // The figure to choose settings by: no row that was held out has a part in it.
  report.figures.push_back(
      {.name = rows.schema.classifies() ? "inner log-loss" : "inner error", .value = fitted->losses.blend});
  fitted->model.save(run.out);
  write_origin(run, rows);
  models::Album album(run.out);
  draw(fitted->model, halves.held_out ? *halves.held_out : halves.train, album);
  report.pictures = album.pictures();
  report.seconds = seconds();
  return report;
}

Report evaluate_csv(const Run& run) {
  const TableModel model = TableModel::load(run.out);
  const Judged judged = rows_to_judge_by(run, model, false);
  const Scores scores = score(model, judged.rows, judged.train);
  Report report{.figures = figures_of(scores, "test")};
  for (const std::string& notice : judged.rows.notices) report.text += notice + "\n";
  report.text += text_of(scores, model.schema, judged.rows.size(), "model");
  return report;
}

Predictions predict_csv(const Run& run, const std::filesystem::path& file) {
  const TableModel model = TableModel::load(run.out);
  const ReadOptions options = read_options(run);
  const Rows rows = read_rows(file, model.schema, {.hints = {.separator = options.hints.separator}});
  const Tensor said = model.predict(rows.x);
  if (!model.schema.classifies()) return {{"prediction", said}};
  Predictions columns{{"prediction", argmax(said, 1), model.schema.classes}, {"probability", max(said, 1)}};
  for (std::size_t k = 0; k < model.schema.classes.size(); ++k)
    columns.push_back(
        {fmt::format("p_{}", model.schema.classes[k]), select(said, 1, static_cast<std::int64_t>(k))});
  return columns;
}

std::vector<std::filesystem::path> plot_csv(const Run& run) {
  const TableModel model = TableModel::load(run.out);
  models::Album album(run.out);
  draw(model, rows_to_judge_by(run, model, true).rows, album);
  return album.pictures();
}

}  // namespace

}  // namespace likely::tables

namespace likely::models {

Recipe csv_recipe() {
  return {.name = "csv",
          .chapter = "5, 8, 9",
          .summary = "Your own table: a classifier or regressor, by what the target is",
          .data = "a table of yours: --in FILE",
          .data_help = "Your table: CSV or text with tabs, blanks or semicolons, plain or gzip",
          .seconds = 5,
          .settings = tables::csv_settings(),
          .needs_data = true,
          .train = tables::train_csv,
          .evaluate = tables::evaluate_csv,
          .predict = tables::predict_csv,
          .plot = tables::plot_csv};
}

}  // namespace likely::models
