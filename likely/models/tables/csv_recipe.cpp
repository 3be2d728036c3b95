// `likely train csv`: a classifier or regressor for a user's own table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/checksum.hpp"
#include "likely/io/folder_claim.hpp"
#include "likely/io/json.hpp"
#include "likely/io/path_kind.hpp"
#include "likely/io/text.hpp"
#include "likely/models/recipes.hpp"
#include "likely/models/tables/csv_report.hpp"
#include "likely/models/tables/csv_settings.hpp"
#include "likely/models/tables/table_parts.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::tables {

namespace {

using runs::Measured;
using runs::Predicted;
using runs::Predictions;
using runs::Report;
using runs::Run;

// Tells how far a committee is, and that it is done.
class CommitteeProgress {
 public:
  CommitteeProgress(const train::EventSink& events, const char* what) : events_(events), what_(what) {}
  void epoch(std::int64_t number, double loss) const {
    if (events_)
      events_(train::event::Stage{.of = what_,
                                  .doing = fmt::format("epoch {}", number),
                                  .numbers = {{"loss on rows not learned from", loss}}});
  }
  void end() const {
    if (events_) events_(train::event::Stage{.of = what_, .doing = "fitted", .done = 1.0});
  }

 private:
  const train::EventSink& events_;
  const char* what_;
};

// What the table was like when it was learned from: held-out rows are only held out if it still is.
struct Origin {
  std::string file;
  std::string target_file;
  std::int64_t rows = 0;
  double target_mean = 0.0;
  std::string contents{};  // a checksum of all that was read; older versions did not write it

  bool is_same_table(const Origin& now) const {
    return now.rows == rows && now.target_mean == target_mean &&
           (contents.empty() || now.contents == contents);
  }
};

std::filesystem::path origin_path(const std::filesystem::path& folder) { return folder / "table.json"; }

std::string contents_of(const Rows& rows) {
  std::uint32_t checksum = io::checksum_of(rows.schema.text());
  for (const Tensor& numbers : {rows.x.contiguous(), rows.y.to(DType::f64).contiguous()}) {
    checksum = io::checksum_of(numbers.data<double>(),
                               static_cast<std::size_t>(numbers.size()) * sizeof(double), checksum);
  }
  return fmt::format("{:08x}", checksum);
}

Origin origin_of(const Run& run, const Rows& rows) {
  std::filesystem::path target_file = read_options(run).target_file;
  if (!target_file.empty()) target_file = std::filesystem::absolute(target_file).lexically_normal();
  const Tensor y = rows.y.to(DType::f64);
  double target_mean = mean(y).item();
  if (!std::isfinite(target_mean)) target_mean = sum(y / static_cast<double>(y.size())).item();
  return {run.data.string(), target_file.string(), rows.size(), target_mean, contents_of(rows)};
}

void write_origin(const Run& run, const Rows& rows) {
  const Origin origin = origin_of(run, rows);
  const io::Json json{{"file", origin.file},
                      {"target_file", origin.target_file},
                      {"rows", origin.rows},
                      {"target_mean", origin.target_mean},
                      {"contents", origin.contents}};
  io::write_file(origin_path(run.out), io::sealed_json(io::json_text(json, 2) + "\n"));
}

Origin read_origin(const Run& run) {
  const std::filesystem::path path = origin_path(run.out);
  const auto json = io::json_or_none<io::SortedJson>(io::read_sealed("csv", path));
  try {
    return {json.at("file").get<std::string>(), json.at("target_file").get<std::string>(),
            json.at("rows").get<std::int64_t>(), json.at("target_mean").get<double>(),
            json.value("contents", std::string())};
  } catch (const io::SortedJson::exception&) {
    refuse("csv", path.string() + " does not say what was learned from");
  }
}

// Whoever goes on would learn from other rows without a word. Older versions wrote down what the table was
// like at the end: what they did not finish goes on.
void check_origin(const Run& run, const Rows& rows) {
  if (!io::path_exists(origin_path(run.out))) return;
  const Origin origin = read_origin(run);
  if (origin.is_same_table(origin_of(run, rows))) return;
  refuse("csv", fmt::format("{}{} has changed since the run was begun: train anew, in another folder",
                            origin.file, origin.target_file.empty() ? "" : " or " + origin.target_file));
}

Rows read_own_table(const Run& run, const Origin& origin) {
  ReadOptions options = read_options(run);
  options.target_file = origin.target_file;
  options.cancelled = train::detail::interrupt_arrived;
  return read_table(options);
}

// The table that was learned from, as it was then, wherever it is now; nothing, if this is another one.
std::optional<Rows> read_again(const Run& run) {
  const Origin origin = read_origin(run);
  if (run.data.string() == origin.file) {
    Rows rows = read_own_table(run, origin);
    if (origin.is_same_table(origin_of(run, rows))) return rows;
    refuse("csv", origin.file +
                      " has changed since the model was fitted: which rows were held out is not known "
                      "any more");
  }
  try {
    Rows rows = read_own_table(run, origin);
    if (origin.is_same_table(origin_of(run, rows))) return rows;
  } catch (const Error& error) {
    if (error.fault() == Fault::memory) throw;
    // It may be enough to judge by, though not to learn from.
  }
  return std::nullopt;
}

std::optional<std::vector<Judged>> fit_folds_showing(const Run& run, const Rows& rows, std::int64_t folds) {
  const CommitteeProgress progress(run.events, "folds");
  auto judged =
      fit_folds(rows, folds, model_options(run), run.seed, [&](auto... n) { progress.epoch(n...); });
  progress.end();
  return judged;
}

// Models with rows that they have not seen, the targets that were learned from, and what to call them.
struct Judgement {
  std::vector<Judged> judged;
  Tensor train;
  std::string of;
};

// The run's own model with the rows that were held out, or with all rows of another table; where every row
// was held out once, the folds again. Where nothing was held out, all rows are good enough to draw, but not
// to judge by.
Judgement judge_again(const Run& run, bool for_drawing) {
  TableModel model = TableModel::load(run.out);
  const std::optional<Rows> own = read_again(run);
  if (!own) {
    const ReadOptions options = read_options(run);
    Rows rows = read_rows(run.data, model.schema,
                          {.hints = options.hints,
                           .missing = options.missing,
                           .target = true,
                           .cancelled = train::detail::interrupt_arrived});
    rows.notices.push_back(fmt::format(
        "judged by all {} rows of {}; if the model learned from some of them, it looks better than it is",
        rows.size(), run.data.string()));
    const std::string drawn_in = model.drawn_in(rows);
    if (!drawn_in.empty()) rows.notices.push_back(drawn_in);
    return Judgement{.judged = {{std::move(model), rows}}, .train = rows.y, .of = "model"};
  }
  const Rows& rows = *own;
  const Judging judging = judging_of(run, rows.size());
  Halves halves = hold_out(rows, judging.holdout, run.seed);
  if (halves.held_out)
    return Judgement{{{std::move(model), std::move(*halves.held_out)}}, halves.train.y, "held out"};
  if (judging.folds > 0) {
    auto folds = fit_folds_showing(run, rows, judging.folds);
    if (!folds) throw Cancelled();
    return Judgement{std::move(*folds), rows.y, fmt::format("{} folds", judging.folds)};
  }
  if (for_drawing) return Judgement{{{std::move(model), rows}}, rows.y, "model"};
  refuse("csv", "the model learned from all rows of " + run.data.string() + ": give others with `data`");
}

std::string description(const Rows& rows, const Halves& halves, const Judging& judging) {
  const Schema& schema = rows.schema;
  std::string text;
  const std::string target =
      schema.target.empty() ? "the target" : fmt::format("\"{}\"", printable_line(schema.target));
  text +=
      fmt::format("{} rows, {} input{}; {} is {}\n", rows.size(), schema.inputs.size(),
                  schema.inputs.size() == 1 ? "" : "s", target,
                  schema.classifies() ? fmt::format("one of {} classes", schema.classes.size()) : "a number");
  if (halves.held_out) {
    text += fmt::format("{} rows to learn from, {} held out\n", halves.train.size(), halves.held_out->size());
  } else {
    text += "the model learns from all rows\n";
  }
  if (judging.folds > 0)
    text += fmt::format("{} folds: every row is judged once, by a model that learned from the other folds\n",
                        judging.folds);
  return text;
}

std::string inner_losses_text(const FittedModel& fitted) {
  return fmt::format("inner {}: linear {:.4g}, network {:.4g}, blend {:.4g} with {:.0f} % network\n\n",
                     fitted.model.schema.classifies() ? "log-loss" : "error", fitted.losses.linear,
                     fitted.losses.network, fitted.losses.blend, 100 * fitted.model.weight.item());
}

// Adds what the rows say to figures and text. `name` stands before the figures' names.
void judge(const Judgement& judgement, const std::string& name, Report& report) {
  const Scores all = score(judgement.judged, judgement.train);
  for (const Measured& figure : figures_of(all, name)) {
    const bool there = std::any_of(report.figures.begin(), report.figures.end(),
                                   [&](const Measured& other) { return other.name == figure.name; });
    if (!there) report.figures.push_back(figure);
  }
  const Schema& schema = judgement.judged.front().model.schema;
  std::int64_t rows = 0;
  for (const Judged& part : judgement.judged) rows += part.rows.size();
  if (judgement.judged.size() > 1) {
    double worst = std::numeric_limits<double>::infinity();
    for (const Judged& fold : judgement.judged)
      worst = std::min(worst, main_figure(score({fold}, judgement.train)));
    if (std::isfinite(worst))  // not defined where all targets of each fold are the same
      report.figures.push_back({.name = schema.classifies() ? "worst fold accuracy" : "worst fold R2",
                                .better = runs::Better::higher,
                                .value = worst,
                                .percent = schema.classifies()});
  }
  report.text += text_of(all, schema, rows, judgement.of);
}

// What the model will need on the disk: two copies while one replaces the other, and room for tables and
// pictures. Known before anything is learned, so that nothing is learned in vain.
std::int64_t bytes_of(const Schema& schema, const ModelOptions& options) {
  constexpr std::int64_t kRest = 1'000'000;
  constexpr std::int64_t kMostMembers = 10;
  std::int64_t features = 0;
  for (const Column& column : schema.inputs)
    features += column.holds_words ? static_cast<std::int64_t>(column.words.size()) : 1;
  const std::int64_t outputs = schema.classifies() ? static_cast<std::int64_t>(schema.classes.size()) : 1;
  std::int64_t parameters = (features + 1) * outputs;
  std::int64_t inputs = features;
  for (const std::int64_t width : options.hidden) {
    parameters += (inputs + 1) * width;
    inputs = width;
  }
  parameters += (inputs + 1) * outputs;
  const std::int64_t members = options.members > 0 ? std::min(options.members, kMostMembers) : kMostMembers;
  const std::int64_t model = members * parameters * static_cast<std::int64_t>(sizeof(float)) +
                             4 * features * static_cast<std::int64_t>(sizeof(double));
  return 2 * model + kRest;
}

Report train_on_table(const Run& run) {
  ReadOptions options = read_options(run);
  options.cancelled = train::detail::interrupt_arrived;
  const Rows rows = read_table(options);
  io::detail::check_room(run.out, run.out, bytes_of(rows.schema, model_options(run)),
                         "the model and its pictures need");
  if (run.resume) check_origin(run, rows);
  const Judging judging = judging_of(run, rows.size());
  // What was decided about the table may be why nothing can be learned from it.
  const auto explaining = [&](const auto& learn) {
    try {
      return learn();
    } catch (const Error& error) {
      throw Error(explained(error.what(), rows.notices), error.fault());
    }
  };
  const Halves halves = explaining([&] {
    if (rows.size() < kFewestRows) {
      refuse_table(run.data.string(), fmt::format("at least {} rows are needed to learn from, there are {}",
                                                  kFewestRows, rows.size()));
    }
    return hold_out(rows, judging.holdout, run.seed);
  });
  Report report;
  const auto interrupted = [&] {
    report.stopped = train::Stopped::interrupted;
    return report;
  };
  write_origin(run, rows);
  const CommitteeProgress progress(run.events, "fitting");
  const std::optional<FittedModel> fitted = explaining([&] {
    return fit_rows(halves.train, model_options(run), run.seed, [&](auto... n) { progress.epoch(n...); });
  });
  progress.end();
  if (!fitted) return interrupted();
  report.notes = rows.notices;
  report.text = description(rows, halves, judging) + inner_losses_text(*fitted);
  std::vector<Judged> drawn{{fitted->model, halves.train}};
  if (halves.held_out) {
    drawn = {{fitted->model, *halves.held_out}};
    judge({drawn, halves.train.y, "held out"}, "test", report);
  }
  if (judging.folds > 0) {
    auto folds = fit_folds_showing(run, rows, judging.folds);
    if (!folds) return interrupted();
    if (halves.held_out) report.text += '\n';
    judge({*folds, rows.y, fmt::format("{} folds", judging.folds)}, halves.held_out ? "fold" : "test",
          report);
    if (!halves.held_out) drawn = std::move(*folds);
  }
  // The figure to choose settings by: rows that are held out have no part in it, and where folds judge, each
  // row is predicted by members that did not learn from it.
  report.figures.push_back({.name = rows.schema.classifies() ? "inner log-loss" : "inner error",
                            .better = runs::Better::lower,
                            .value = fitted->losses.blend});
  // The model last: by it the run is known to be whole.
  fitted->model.save(run.out);
  report.draw = [drawn = std::move(drawn)](runs::PictureFolder& pictures) { draw(drawn, pictures); };
  return report;
}

Report train_csv(const Run& run) {
  try {
    return train_on_table(run);
  } catch (const Cancelled&) {  // while the table was read
    return {.stopped = train::Stopped::interrupted};
  }
}

Report evaluate_csv(const Run& run) {
  Report report;
  const Judgement judgement = judge_again(run, false);
  report.notes = judgement.judged.front().rows.notices;
  judge(judgement, "test", report);
  const Schema& schema = judgement.judged.front().model.schema;
  if (schema.classifies()) {
    // No probability of a table's model is 0 but by rounding.
    const Tensor p = predictions(judgement.judged).to(DType::f64);
    report.held_out = runs::HeldOutLogits{.of = "test",
                                          .logits = log(maximum(p, 1e-30)),
                                          .labels = targets(judgement.judged),
                                          .classes = schema.classes};
  }
  return report;
}

Predicted predict_csv(const Run& run, const std::filesystem::path& file) {
  const TableModel model = TableModel::load(run.out);
  const ReadOptions options = read_options(run);
  Rows rows = read_rows(file, model.schema, {.hints = {.separator = options.hints.separator}});
  const std::string drawn_in = model.drawn_in(rows);
  if (!drawn_in.empty()) rows.notices.push_back(drawn_in);
  const Tensor said = model.predict(rows.x);
  if (!model.schema.classifies()) return {{{"prediction", said}}, rows.notices};
  Predictions columns{{"prediction", argmax(said, 1), model.schema.classes}, {"probability", max(said, 1)}};
  for (std::size_t k = 0; k < model.schema.classes.size(); ++k)
    columns.push_back(
        {fmt::format("p_{}", model.schema.classes[k]), select(said, 1, static_cast<std::int64_t>(k))});
  return {std::move(columns), rows.notices};
}

std::vector<std::filesystem::path> plot_csv(const Run& run) {
  const Judgement judgement = judge_again(run, true);
  runs::PictureFolder pictures(run.out);
  draw(judgement.judged, pictures);
  return pictures.all_pictures();
}

}  // namespace

}  // namespace likely::tables

namespace likely::models {

using namespace runs;

Recipe csv_recipe() {
  return {.name = "csv",
          .chapter = "5, 8, 9",
          .summary = "Your own table: a classifier or regressor, by what the target is",
          .data = "a table of yours",
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
