#include "likely/models/softmax/calibration_study.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "likely/core/error.hpp"
#include "likely/data/stratify.hpp"
#include "likely/io/csv_writer.hpp"
#include "likely/io/json.hpp"
#include "likely/io/model_file.hpp"
#include "likely/models/softmax/score_columns.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/rng.hpp"
#include "likely/ops/softmax.hpp"

namespace likely::confidence {

namespace {

using io::Json;

constexpr std::int64_t kRowsABin = 20;
constexpr std::int64_t kRowsANumber = 10;
constexpr std::int64_t kFewestRowsShown = 5;  // the share of right ones among fewer rows says nothing

std::string class_name(const runs::HeldOutLogits& rows, std::int64_t k) {
  const auto place = static_cast<std::size_t>(k);
  return place < rows.classes.size() ? rows.classes[place] : std::to_string(k);
}

void check_study(const runs::HeldOutLogits& rows, const StudyOptions& options) {
  check_scores("calibrate", rows.logits, rows.labels);
  if (options.scalers.empty()) refuse("calibrate", "at least one scaler is needed");
  std::set<std::string> seen;
  for (const std::string& kind : options.scalers) {
    if (kind != "temperature" && kind != "vector" && kind != "matrix")
      refuse("calibrate",
             fmt::format("there is no scaler \"{}\"; there are temperature, vector and matrix", kind));
    if (!seen.insert(kind).second) refuse("calibrate", fmt::format("scaler \"{}\" is there twice", kind));
  }
  if (options.folds < 2 || options.folds > rows.logits.dim(0))
    refuse("calibrate",
           fmt::format("folds must be from 2 to the {} rows, got {}", rows.logits.dim(0), options.folds));
}

// A scaler of this kind, fitted to rows and applied to others.
Tensor corrected(const std::string& kind, const Tensor& logits, const Tensor& labels, const Tensor& others,
                 const ScalingOptions& options) {
  if (kind == "temperature") return fit_temperature(logits, labels).scaler(others);
  if (kind == "vector") return fit_vector(logits, labels, options).scaler(others);
  return fit_matrix(logits, labels, options).scaler(others);
}

Tensor cross_fitted(const std::string& kind, const runs::HeldOutLogits& rows,
                    const std::vector<std::vector<std::int64_t>>& folds, const StudyOptions& options) {
  const auto classes = static_cast<std::size_t>(rows.logits.dim(1));
  std::vector<double> all(static_cast<std::size_t>(rows.logits.size()));
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    give_up_if(options.measure.cancelled);
    std::vector<std::int64_t> others;
    for (std::size_t i = 0; i < folds.size(); ++i) {
      if (i != fold) others.insert(others.end(), folds[i].begin(), folds[i].end());
    }
    std::sort(others.begin(), others.end());
    const auto pick = [](const Tensor& x, const std::vector<std::int64_t>& which) {
      return index_select(x, 0, tensor(which, {std::ssize(which)}));
    };
    const std::vector<double> found = corrected(kind, pick(rows.logits, others), pick(rows.labels, others),
                                                pick(rows.logits, folds[fold]), options.scaling)
                                          .to_vector<double>();
    for (std::size_t i = 0; i < folds[fold].size(); ++i)
      std::copy_n(
          found.begin() + static_cast<std::ptrdiff_t>(i * classes), classes,
          all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(folds[fold][i]) * classes));
  }
  return tensor(all, rows.logits.shape());
}

void fit_to_all(CalibrationStudy& study, ScalerStudy& scaler, const ScalingOptions& options) {
  const Tensor &logits = study.rows.logits, &labels = study.rows.labels;
  if (scaler.kind == "temperature") {
    const TemperatureFit fit = fit_temperature(logits, labels);
    study.temperature = fit.scaler;
    scaler.temperature = fit.scaler.temperature();
    scaler.temperature_error = scaler.temperature * fit.standard_error;
    if (!fit.note.empty()) scaler.notes.push_back(fit.note);
  } else if (scaler.kind == "vector") {
    auto fit = fit_vector(logits, labels, options);
    study.vector = std::move(fit.scaler);
    scaler.notes = std::move(fit.notes);
  } else {
    auto fit = fit_matrix(logits, labels, options);
    study.matrix = std::move(fit.scaler);
    scaler.notes = std::move(fit.notes);
  }
}

std::vector<std::string> warnings_of(const CalibrationStudy& study, const StudyOptions& options) {
  std::vector<std::string> warnings;
  const std::int64_t rows = study.before.rows, classes = study.before.classes;
  if (rows < kRowsABin * options.measure.bins)
    warnings.push_back(
        fmt::format("{} rows are few for {} bins: even a classifier that is right about itself has errors of "
                    "calibration then",
                    rows, options.measure.bins));
  const std::vector<std::string> absent = names_without_rows(study.rows.labels, options.scaling.class_names);
  if (!absent.empty())
    warnings.push_back(fmt::format("no row has the class{} {}: nothing is known of {}",
                                   absent.size() == 1 ? "" : "es", detail::listed(absent),
                                   absent.size() == 1 ? "its probability" : "their probabilities"));
  if (!study.best)
    warnings.emplace_back(
        "none of the scalers makes the NLL smaller: the best probabilities are those there were");
  const std::int64_t learned_from = rows - rows / options.folds;
  for (const ScalerStudy& scaler : study.scalers) {
    const std::int64_t numbers = scaler.kind == "temperature" ? 1
                                 : scaler.kind == "vector"    ? 2 * classes
                                                              : classes * (classes + 1);
    if (learned_from < kRowsANumber * numbers)
      warnings.push_back(
          fmt::format("{} scaling has {} number{} to learn from {} rows: it may make things worse",
                      scaler.kind, numbers, numbers == 1 ? "" : "s", learned_from));
  }
  return warnings;
}

std::string cell(const Estimate& figure, double unit, int digits) {
  return std::isnan(figure.standard_error) ? fmt::format("{:.{}f}", unit * figure.value, digits)
                                           : fmt::format("{:.{}f} +- {:.{}f}", unit * figure.value, digits,
                                                         unit * figure.standard_error, digits);
}

std::array<std::string, 7> table_line(const std::string& name, const Calibration& figures) {
  return {name,
          cell(figures.ece, 100.0, 2),
          cell(figures.classwise_ece, 100.0, 2),
          cell(figures.mce, 100.0, 1),
          cell(figures.nll, 1.0, 4),
          cell(figures.brier, 1.0, 4),
          cell(figures.accuracy, 100.0, 2)};
}

// Columns are wider where a figure is long, and never touch.
std::string table_text(const CalibrationStudy& study) {
  std::vector<std::array<std::string, 7>> lines{
      {"", "ECE %", "classwise %", "MCE %", "NLL", "Brier", "accuracy %"},
      table_line("before", study.before)};
  for (const ScalerStudy& scaler : study.scalers) lines.push_back(table_line(scaler.kind, scaler.figures));
  std::array<std::size_t, 7> widths{14, 16, 16, 16, 18, 18, 16};
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size() + 2);
  }
  std::string text;
  for (const auto& line : lines) {
    text += fmt::format("{:<{}}", line[0], widths[0]);
    for (std::size_t i = 1; i < line.size(); ++i) text += fmt::format("{:>{}}", line[i], widths[i]);
    text += '\n';
  }
  return text;
}

Json estimate_json(const Estimate& figure) {
  return Json{{"value", io::number_json(figure.value)},
              {"standard_error", io::number_json(figure.standard_error)},
              {"low", io::number_json(figure.low)},
              {"high", io::number_json(figure.high)}};
}

Json figures_json(const Calibration& figures) {
  Json bins = Json::array();
  for (const ReliabilityBin& bin : figures.bins)
    bins.push_back(Json{{"low", bin.low},
                        {"high", bin.high},
                        {"rows", bin.rows},
                        {"confidence", io::number_json(bin.confidence)},
                        {"accuracy", io::number_json(bin.accuracy)}});
  return Json{{"ece", estimate_json(figures.ece)},
              {"classwise_ece", estimate_json(figures.classwise_ece)},
              {"mce", estimate_json(figures.mce)},
              {"nll", estimate_json(figures.nll)},
              {"brier", estimate_json(figures.brier)},
              {"accuracy", estimate_json(figures.accuracy)},
              {"bins", bins}};
}

void write_probabilities(const CalibrationStudy& study, const std::filesystem::path& file) {
  std::vector<std::string> names{"label"};
  for (std::int64_t k = 0; k < study.before.classes; ++k) names.push_back("p_" + class_name(study.rows, k));
  io::CsvWriter table(file, names);
  const std::vector<double> p =
      softmax(study.best ? study.scalers[*study.best].logits : study.rows.logits, 1).to_vector<double>();
  std::size_t place = 0;
  for (const auto label : study.rows.labels.to_vector<std::int64_t>()) {
    table.text(class_name(study.rows, label));
    for (std::int64_t k = 0; k < study.before.classes; ++k) table.number(p[place++]);
    table.end_row();
  }
  table.commit();
}

}  // namespace

CalibrationStudy study_calibration(const runs::HeldOutLogits& rows, const StudyOptions& chosen) {
  check_study(rows, chosen);
  StudyOptions options = chosen;
  if (!options.scaling.cancelled) options.scaling.cancelled = options.measure.cancelled;
  for (std::int64_t k = 0; k < rows.logits.dim(1); ++k)
    options.scaling.class_names.push_back(class_name(rows, k));
  CalibrationStudy study{.rows = rows, .folds = options.folds, .taken = options.taken};
  study.rows.logits = rows.logits.to(DType::f64);
  study.before = measure_calibration(study.rows.logits, rows.labels, options.measure);
  const auto folds = data::stratified_parts(rows.labels, options.folds, Rng(options.seed));
  for (const std::string& kind : options.scalers) {
    ScalerStudy scaler{.kind = kind, .logits = cross_fitted(kind, study.rows, folds, options)};
    scaler.figures = measure_calibration(scaler.logits, rows.labels, options.measure);
    fit_to_all(study, scaler, options.scaling);
    study.scalers.push_back(std::move(scaler));
    const double least = study.best ? study.scalers[*study.best].figures.nll.value : study.before.nll.value;
    if (study.scalers.back().figures.nll.value < least) study.best = study.scalers.size() - 1;
  }
  study.warnings = warnings_of(study, options);
  return study;
}

std::string line_of(const Calibration& figures) {
  return fmt::format("ECE {} %, NLL {}, Brier {}", cell(figures.ece, 100.0, 2), cell(figures.nll, 1.0, 4),
                     cell(figures.brier, 1.0, 4));
}

std::vector<runs::Measured> figures_of(const Calibration& figures, const std::string& rows) {
  const auto lower = [&](const char* name, const Estimate& figure) {
    return runs::Measured{
        .name = rows + " " + name, .better = runs::Better::lower, .value = figure.value, .percent = false};
  };
  return {lower("ECE", figures.ece), lower("NLL", figures.nll), lower("Brier", figures.brier)};
}

namespace {

std::string name_of_best(const CalibrationStudy& study) {
  return study.best ? study.scalers[*study.best].kind : "none";
}

}  // namespace

std::string text_of(const CalibrationStudy& study) {
  std::string text = fmt::format(
      "{} rows, {} classes; each row is judged by scalers that were fitted to the other {} of {} folds\n",
      study.before.rows, study.before.classes, study.folds - 1, study.folds);
  text += fmt::format("taken for {}", study.taken.numbers);
  if (!study.taken.columns.empty())
    text += fmt::format(": the columns {}", detail::listed(study.taken.columns));
  if (!study.taken.labels.empty()) text += fmt::format("; labels are {}", study.taken.labels);
  text += '\n' + table_text(study);
  for (const ScalerStudy& scaler : study.scalers) {
    if (scaler.kind == "temperature")
      text +=
          std::isnan(scaler.temperature_error)
              ? fmt::format("temperature: {:.4g}\n", scaler.temperature)
              : fmt::format("temperature: {:.4g} +- {:.2g}\n", scaler.temperature, scaler.temperature_error);
  }
  text += fmt::format("best by NLL: {}\n", name_of_best(study));
  for (const ScalerStudy& scaler : study.scalers) {
    for (const std::string& note : scaler.notes) text += fmt::format("{}: {}\n", scaler.kind, note);
  }
  return text;
}

std::string json_of(const CalibrationStudy& study) {
  Json scalers = Json::object();
  for (const ScalerStudy& scaler : study.scalers) {
    Json one = figures_json(scaler.figures);
    if (scaler.kind == "temperature") {
      one["temperature"] = io::number_json(scaler.temperature);
      one["temperature_error"] = io::number_json(scaler.temperature_error);
    }
    one["notes"] = scaler.notes;
    scalers[scaler.kind] = one;
  }
  const Json taken{
      {"numbers", study.taken.numbers}, {"columns", study.taken.columns}, {"labels", study.taken.labels}};
  const Json json{{"taken", taken},
                  {"rows", study.before.rows},
                  {"classes", study.before.classes},
                  {"folds", study.folds},
                  {"before", figures_json(study.before)},
                  {"scalers", scalers},
                  {"best", name_of_best(study)},
                  {"notes", study.rows.notes},
                  {"warnings", study.warnings}};
  return io::json_text(json);
}

plot::Figure reliability_figure(const std::vector<Reliability>& series) {
  plot::Figure figure({.title = "Reliability: how often it is right when it is so sure",
                       .x_label = "confidence (bins of five rows or more; points: their share)",
                       .y_label = "accuracy",
                       .x_range = {{0.0, 1.0}},
                       .y_range = {{0.0, 1.0}},
                       .legend = "top left"});
  const Tensor ends = tensor(std::vector<double>{0.0, 1.0}, {2});
  figure.line(ends, ends, {.label = "as sure as right", .color = "#808080", .width = 1.0, .dashed = true});
  int turn = 0;
  for (const Reliability& one : series) {
    std::vector<double> x, y, shares;
    for (const ReliabilityBin& bin : one.figures.bins) {
      if (bin.rows < kFewestRowsShown) continue;
      x.push_back(bin.confidence);
      y.push_back(bin.accuracy);
      shares.push_back(static_cast<double>(bin.rows) / static_cast<double>(one.figures.rows));
    }
    if (x.empty()) continue;
    const Shape shape{std::ssize(x)};
    figure.line(
        tensor(x, shape), tensor(y, shape),
        {.label = fmt::format("{}: ECE {:.1f} %", one.name, 100.0 * one.figures.ece.value), .turn = turn});
    // A bin of few rows is a small point: little is known of it.
    for (std::size_t i = 0; i < x.size(); ++i)
      figure.points(tensor({x[i]}, DType::f64), tensor({y[i]}, DType::f64),
                    {.turn = turn, .width = 1.0 + 4.0 * std::sqrt(shares[i])});
    ++turn;
  }
  return figure;
}

runs::Drawn write_study(const CalibrationStudy& study, const std::filesystem::path& folder,
                        const StudyFiles& files) {
  const auto about = [](const char* kind) { return std::map<std::string, std::string>{{"scaler", kind}}; };
  if (study.temperature)
    io::save(folder / "temperature.safetensors", *study.temperature, about("temperature"));
  if (study.vector) io::save(folder / "vector.safetensors", *study.vector, about("vector"));
  if (study.matrix) io::save(folder / "matrix.safetensors", *study.matrix, about("matrix"));
  write_probabilities(study, folder / "probabilities.csv");
  if (!files.figures) return {};
  runs::PictureFolder album(folder);
  std::vector<Reliability> series{{"before", study.before}};
  if (study.best) series.push_back({name_of_best(study), study.scalers[*study.best].figures});
  album.attempt("picture \"reliability\"",
                [&] { album.add("reliability", reliability_figure(series), 640, 520); });
  runs::Drawn drawn = album.drawn();
  for (auto& picture : drawn.pictures) picture = std::filesystem::relative(picture, folder);
  return drawn;
}

}  // namespace likely::confidence
