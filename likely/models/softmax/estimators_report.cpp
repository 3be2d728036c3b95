// What a comparison of estimators shows: tables, JSON, files and figures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/create.hpp"
#include "likely/io/csv_writer.hpp"
#include "likely/io/json.hpp"
#include "likely/models/softmax/estimators.hpp"

namespace likely::estimators {

namespace {

namespace fs = std::filesystem;

constexpr int kPanelWidth = 480, kPanelHeight = 400;

std::string number_text(double x) { return fmt::format("{:.4g}", x); }

// One table: the first column left, the others right.
std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    text += fmt::format("{:<{}}", row[0], widths[0]);
    for (std::size_t c = 1; c < row.size(); ++c) text += fmt::format("  {:>{}}", row[c], widths[c]);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string rows_text(const EstimatorStudy& study, const std::string& problem) {
  std::vector<std::vector<std::string>> rows{
      {"", "mean", "standard error", "exact", "variance", "relative", ""}};
  for (const EstimatorRow& row : study.rows) {
    if (row.problem != problem) continue;
    rows.push_back({row.estimator, number_text(row.mean), number_text(row.standard_error),
                    number_text(row.exact), number_text(row.variance), number_text(row.relative),
                    row.unbiased ? "" : "biased"});
  }
  return table_text(rows);
}

// Biased estimators are dashed.
plot::Figure error_figure(const EstimatorStudy& study, const std::string& problem, const std::string& title) {
  plot::Figure figure({.title = title,
                       .x_label = "samples of an estimate",
                       .y_label = "root mean squared error",
                       .log_x = problem == "normal",
                       .log_y = true,
                       .legend = problem == "normal" ? "bottom left" : "outside"});
  for (const ErrorCurve& curve : study.curves) {
    if (curve.problem != problem) continue;
    const bool biased = std::any_of(study.rows.begin(), study.rows.end(), [&](const EstimatorRow& row) {
      return row.problem == problem && row.estimator == curve.estimator && !row.unbiased;
    });
    // With all classes nothing is left but rounding, which would stretch the axis over ten decades.
    std::vector<double> error = curve.error;
    for (double& e : error) e = e < 1e-9 ? std::nan("") : e;
    figure.line(tensor(curve.samples), tensor(error), {.label = curve.estimator, .dashed = biased});
  }
  return figure;
}

plot::Figure spread_figure(const Spread& spread, const std::string& title, std::pair<double, double> range,
                           const std::string& color) {
  plot::Figure figure({.title = title,
                       .x_label = "theta",
                       .y_label = "estimated gradient",
                       .y_range = range,
                       .legend = "bottom right"});
  const std::vector<double> ends = {spread.theta.front(), spread.theta.back()};
  const std::vector<double> exact = {8.0 * ends[0] + 12.0, 8.0 * ends[1] + 12.0};
  figure.points(tensor(spread.theta), tensor(spread.estimate),
                {.label = "estimates", .color = color, .width = 1.2});
  figure.line(tensor(ends), tensor(exact), {.label = "8 theta + 12", .color = "#000000", .width = 1.5});
  return figure;
}

void draw(const EstimatorStudy& study, runs::PictureFolder& album) {
  double most = 0.0;
  for (const Spread& spread : study.spreads) {
    for (const double x : spread.estimate) most = std::max(most, std::abs(x));
  }
  const std::pair range(-1.05 * most, 1.05 * most);
  album.add_panels("spread",
                   {spread_figure(study.spreads[0], "score function (REINFORCE)", range, "#d55e00"),
                    spread_figure(study.spreads[1], "reparameterised", range, "#0072b2")},
                   2, 2 * kPanelWidth, kPanelHeight);
  album.add("samples", error_figure(study, "normal", "d/dtheta E z^2, z normal with mean 2 theta + 3"));
  album.add("classes", error_figure(study, "classes", "d/dtheta E f(z), z one of ten classes"), 860, 480);
  album.add("relaxation", relaxation_figure(study.relaxation));
}

}  // namespace

std::string estimators_text(const EstimatorStudy& study) {
  const EstimatorOptions& options = study.options;
  std::string text = fmt::format(
      "d/dtheta E z^2, z ~ N(2 theta + 3, 1), at theta = {}: {} samples an estimate, {} estimates\n\n",
      options.theta, options.samples, options.repetitions);
  text += rows_text(study, "normal");
  text += fmt::format("\nd/dtheta E f(z), z one of ten classes, at theta = {}: 4 samples an estimate\n\n",
                      options.theta);
  return text + rows_text(study, "classes");
}

std::string estimators_json(const EstimatorStudy& study) {
  io::Json json = io::Json::object();
  json["theta"] = study.options.theta;
  json["samples"] = study.options.samples;
  json["repetitions"] = study.options.repetitions;
  json["seed"] = study.options.seed;
  json["estimators"] = io::Json::array();
  for (const EstimatorRow& row : study.rows) {
    io::Json one = io::Json::object();
    one["problem"] = row.problem;
    one["estimator"] = row.estimator;
    one["unbiased"] = row.unbiased;
    one["samples"] = row.samples;
    one["mean"] = io::number_json(row.mean);
    one["standard_error"] = io::number_json(row.standard_error);
    one["exact"] = io::number_json(row.exact);
    one["variance"] = io::number_json(row.variance);
    one["relative_variance"] = io::number_json(row.relative);
    json["estimators"].push_back(std::move(one));
  }
  return io::json_text(json);
}

runs::Drawn write_estimators(const EstimatorStudy& study, const fs::path& folder, bool figures) {
  io::CsvWriter table(folder / "estimators.csv",
                      {"problem", "estimator", "unbiased", "samples", "repetitions", "mean", "standard_error",
                       "exact", "variance", "relative_variance"});
  for (const EstimatorRow& row : study.rows) {
    table.text(row.problem).text(row.estimator).text(row.unbiased ? "yes" : "no").whole(row.samples);
    table.whole(study.options.repetitions).number(row.mean).number(row.standard_error).number(row.exact);
    table.number(row.variance).number(row.relative).end_row();
  }
  table.commit();
  io::CsvWriter errors(folder / "errors.csv", {"problem", "estimator", "samples", "root_mean_squared_error"});
  for (const ErrorCurve& curve : study.curves) {
    for (std::size_t i = 0; i < curve.samples.size(); ++i)
      errors.text(curve.problem)
          .text(curve.estimator)
          .number(curve.samples[i])
          .number(curve.error[i])
          .end_row();
  }
  errors.commit();
  io::CsvWriter spreads(folder / "spread.csv", {"estimator", "theta", "estimate"});
  for (const Spread& spread : study.spreads) {
    for (std::size_t i = 0; i < spread.theta.size(); ++i)
      spreads.text(spread.estimator).number(spread.theta[i]).number(spread.estimate[i]).end_row();
  }
  spreads.commit();
  io::CsvWriter relaxation(folder / "relaxation.csv",
                           {"temperature", "estimator", "bias", "standard_error", "variance"});
  const auto quality = [&](double temperature, const char* estimator, const GradientQuality& one) {
    relaxation.number(temperature).text(estimator).number(one.bias).number(one.error).number(one.variance);
    relaxation.end_row();
  };
  for (const RelaxationRow& row : study.relaxation.rows) {
    quality(row.temperature, "relaxed", row.relaxed);
    quality(row.temperature, "straight-through", row.straight_through);
  }
  relaxation.commit();
  if (!figures) return {};
  runs::PictureFolder album(folder);
  draw(study, album);
  runs::Drawn drawn = album.drawn();
  for (fs::path& picture : drawn.pictures) picture = picture.lexically_relative(folder);
  return drawn;
}

}  // namespace likely::estimators
