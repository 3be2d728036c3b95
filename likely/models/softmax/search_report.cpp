// What searches found, as text, JSON, a table and a figure.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "likely/core/create.hpp"
#include "likely/core/printable.hpp"
#include "likely/io/csv_writer.hpp"
#include "likely/io/json.hpp"
#include "likely/models/softmax/search_experiment.hpp"
#include "likely/plot/figure.hpp"

namespace likely::sequences {

namespace {

std::string filter_text(const TokenFilter& filter) {
  std::string text;
  if (filter.temperature != 1.0) text += fmt::format(", temperature {}", filter.temperature);
  if (filter.top_k > 0) text += fmt::format(", top-k {}", filter.top_k);
  if (filter.top_p < 1.0) text += fmt::format(", top-p {}", filter.top_p);
  return text;
}

std::string plus_minus(double mean, double error) {
  if (std::isnan(mean)) return "-";
  return std::isnan(error) ? fmt::format("{:.5g}", mean) : fmt::format("{:.5g} +- {:.2g}", mean, error);
}

// A series of an estimator at a temperature.
struct Curve {
  std::vector<double> counts, means, lows, highs, errors;
};

Curve curve_of(const CompareStudy& study, double temperature, const std::string& estimator) {
  Curve curve;
  for (const Compared& row : study.rows) {
    if (row.temperature != temperature || row.estimator != estimator) continue;
    curve.counts.push_back(static_cast<double>(row.count));
    curve.means.push_back(row.mean);
    curve.lows.push_back(row.low);
    curve.highs.push_back(row.high);
    curve.errors.push_back(row.rmse);
  }
  return curve;
}

double exact_of(const CompareStudy& study, double temperature) {
  for (const Compared& row : study.rows) {
    if (row.temperature == temperature) return row.exact;
  }
  return std::nan("");
}

void draw_comparison(const CompareStudy& study, runs::PictureFolder& album) {
  std::vector<plot::Figure> panels;
  for (const double temperature : study.request.temperatures) {
    plot::Figure figure({.title = fmt::format("temperature {}: mean and 90 % of runs", temperature),
                         .x_label = "sequences k",
                         .y_label = study.of,
                         .log_x = true,
                         .legend = temperature == study.request.temperatures.back() ? "top right" : "none"});
    int turn = 0;
    for (const char* name : {"with replacement", "unbiased", "normalised"}) {
      const Curve curve = curve_of(study, temperature, name);
      if (std::string(name) != "unbiased")
        figure.band(tensor(curve.counts), tensor(curve.lows), tensor(curve.highs), {.turn = turn});
      figure.line(tensor(curve.counts), tensor(curve.means),
                  {.label = turn == 0 ? "replaced" : name, .turn = turn});
      ++turn;
    }
    const Curve beam = curve_of(study, temperature, "beam");
    figure.line(tensor(beam.counts), tensor(beam.means), {.label = "beam", .turn = turn, .dashed = true});
    figure.horizontal(exact_of(study, temperature), {.label = "exact", .color = "#000000", .width = 1.0});
    panels.push_back(figure);
  }
  for (const double temperature : study.request.temperatures) {
    plot::Figure figure({.title = fmt::format("temperature {}: error", temperature),
                         .x_label = "sequences k",
                         .y_label = "root mean square error",
                         .log_x = true,
                         .log_y = true,
                         .legend = "none"});
    int turn = 0;
    for (const char* name : {"with replacement", "unbiased", "normalised", "beam"}) {
      const Curve curve = curve_of(study, temperature, name);
      std::vector<double> errors = curve.errors;
      for (double& e : errors)
        e = e > 1e-9 ? e : std::nan("");  // nothing is left of it: no place on this axis
      bool any = false;
      for (const double e : errors) any = any || e > 0.0;
      if (any) figure.line(tensor(curve.counts), tensor(errors), {.turn = turn, .dashed = turn == 3});
      ++turn;
    }
    panels.push_back(figure);
  }
  const auto columns = static_cast<int>(study.request.temperatures.size());
  album.add_panels("sequences", panels, columns, 380 * columns, 680);
}

}  // namespace

std::string sequences_text(const SequenceStudy& study) {
  const bool stochastic = study.request.method == SearchMethod::stochastic_beam;
  std::string text =
      fmt::format("{}{}: {} sequence{}\n", name_of(study.request.method), filter_text(study.request.filter),
                  study.sequences.size(), study.sequences.size() == 1 ? "" : "s");
  text += stochastic ? "     log p  perturbed  sequence\n" : "     log p  sequence\n";
  for (std::size_t i = 0; i < study.sequences.size(); ++i) {
    std::string sequence = fmt::format("{}", fmt::join(study.sequences[i], " "));
    text += fmt::format("{:10.4f}", study.log_probabilities[i]);
    if (stochastic) text += fmt::format(" {:10.4f}", study.perturbed[i]);
    text += fmt::format("  {}\n", printable_line(sequence));
  }
  if (stochastic)
    text += std::isinf(study.kappa) ? "kappa: -inf, there are no more\n"
                                    : fmt::format("kappa: {:.4f}\n", study.kappa);
  const bool estimated = stochastic || study.request.method == SearchMethod::ancestral;
  text += stochastic  ? "\nmean of            exact  unbiased               normalised\n"
          : estimated ? "\nmean of            exact  with replacement\n"
                      : "\nmean of            exact\n";
  for (const MeanEstimate& mean : study.means) {
    std::string line = fmt::format("{:<14} {:>9.5g}", printable_line(mean.of), mean.exact);
    if (estimated) line += fmt::format("  {:<21}", plus_minus(mean.mean, mean.error));
    if (stochastic) line += fmt::format("  {}", plus_minus(mean.normalised, mean.normalised_error));
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text;
}

std::string sequences_json(const SequenceStudy& study) {
  const bool stochastic = study.request.method == SearchMethod::stochastic_beam;
  io::Json json = io::Json::object();
  json["method"] = name_of(study.request.method);
  json["count"] = study.sequences.size();
  json["seed"] = study.request.seed;
  io::Json sequences = io::Json::array();
  for (std::size_t i = 0; i < study.sequences.size(); ++i) {
    io::Json one = io::Json::object();
    one["states"] = study.sequences[i];
    one["log_probability"] = study.log_probabilities[i];
    if (stochastic) one["perturbed"] = study.perturbed[i];
    sequences.push_back(one);
  }
  json["sequences"] = sequences;
  if (stochastic) {
    json["complete"] = std::isinf(study.kappa);
    json["kappa"] = study.kappa;
  }
  io::Json means = io::Json::array();
  for (const MeanEstimate& mean : study.means) {
    io::Json one = io::Json::object();
    one["of"] = mean.of;
    one["exact"] = mean.exact;
    one["mean"] = mean.mean;
    one["standard_error"] = mean.error;
    one["normalised"] = mean.normalised;
    one["normalised_standard_error"] = mean.normalised_error;
    means.push_back(one);
  }
  json["means"] = means;
  return io::json_text(json);
}

std::string compare_text(const CompareStudy& study) {
  std::string text = fmt::format("{} of sequences, {} runs\n", study.of, study.request.runs);
  text += "temperature     k  estimator             exact       mean  root mean square error\n";
  for (const Compared& row : study.rows)
    text += fmt::format("{:>11} {:>5}  {:<16} {:>10.5g} {:>10.5g}  {:.3g}\n", row.temperature, row.count,
                        row.estimator, row.exact, row.mean, row.rmse);
  return text;
}

std::string compare_json(const CompareStudy& study) {
  io::Json json = io::Json::object();
  json["of"] = study.of;
  json["runs"] = study.request.runs;
  json["seed"] = study.request.search.seed;
  io::Json rows = io::Json::array();
  for (const Compared& row : study.rows) {
    io::Json one = io::Json::object();
    one["temperature"] = row.temperature;
    one["k"] = row.count;
    one["estimator"] = row.estimator;
    one["exact"] = row.exact;
    one["mean"] = row.mean;
    one["low"] = row.low;
    one["high"] = row.high;
    one["rmse"] = row.rmse;
    rows.push_back(one);
  }
  json["rows"] = rows;
  return io::json_text(json);
}

runs::Drawn write_comparison(const CompareStudy& study, const std::filesystem::path& folder, bool figures) {
  io::CsvWriter table(folder / "sequences.csv",
                      {"temperature", "k", "estimator", "exact", "mean", "low", "high", "rmse"});
  for (const Compared& row : study.rows) {
    table.number(row.temperature).whole(row.count).text(row.estimator).number(row.exact).number(row.mean);
    table.number(row.low).number(row.high).number(row.rmse).end_row();
  }
  table.commit();
  runs::PictureFolder album(folder);
  if (figures) album.attempt("picture \"sequences\"", [&] { draw_comparison(study, album); });
  runs::Drawn drawn = album.drawn();
  for (auto& picture : drawn.pictures) picture = std::filesystem::relative(picture, folder);
  return drawn;
}

}  // namespace likely::sequences
