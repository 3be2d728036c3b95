#include "likely/models/choice_study/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"
#include "likely/io/csv_writer.hpp"
#include "likely/models/choice_study/option_text.hpp"
#include "likely/models/choice_study/report_figures.hpp"
#include "likely/models/choice_study/report_json.hpp"
#include "likely/models/choice_study/report_text.hpp"

namespace likely::choice {

namespace {

const char* criterion_of(Method method) {
  switch (method) {
    case Method::mle: return "-BIC/2";
    case Method::map: return "ln evidence";
    case Method::em: return "-iBIC/2";
    case Method::nuts: break;
  }
  return "LOO";
}

// Of the subjects that have one for every model: subjects x models.
std::vector<double> score_table(const Study& study, std::vector<std::string>& left_out) {
  std::vector<std::vector<double>> scores;
  for (const ModelStudy& model : study.models) scores.push_back(model.scores());
  std::vector<double> table;
  for (std::size_t i = 0; i < study.models[0].fit.subjects.size(); ++i) {
    const bool finite =
        std::all_of(scores.begin(), scores.end(), [&](const auto& model) { return std::isfinite(model[i]); });
    if (!finite) {
      left_out.push_back(study.models[0].fit.subjects[i].id);
      continue;
    }
    for (const auto& model : scores) table.push_back(model[i]);
  }
  return table;
}

// From best to worst.
std::vector<std::size_t> order_of(const Comparison& comparison) {
  std::vector<std::size_t> order(comparison.totals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return comparison.totals[a] > comparison.totals[b]; });
  return order;
}

}  // namespace

Comparison compare_models(const Study& study) {
  const std::size_t m = study.models.size();
  if (m < 2) throw Error(fmt::format("at least 2 models are needed to compare, got {}", m));
  Comparison result;
  result.criterion = criterion_of(study.method);
  const std::vector<double> table = score_table(study, result.left_out);
  if (table.empty()) throw Error("no subject has a finite score for every model");
  result.totals.assign(m, 0.0);
  result.best_for.assign(m, 0);
  for (std::size_t i = 0; i < table.size(); i += m) {
    const auto first = table.begin() + static_cast<std::ptrdiff_t>(i);
    const auto best = std::max_element(first, first + static_cast<std::ptrdiff_t>(m)) - first;
    result.best_for[static_cast<std::size_t>(best)] += 1;
    for (std::size_t k = 0; k < m; ++k) result.totals[k] += table[i + k];
  }
  if (study.method == Method::em) {
    for (std::size_t k = 0; k < m; ++k) result.totals[k] = -0.5 * study.models[k].em->integrated_bic;
  }
  result.best = order_of(result)[0];
  if (study.method == Method::nuts) {
    for (const ModelStudy& model : study.models)
      result.differences.push_back(compare(model.sampled->loo, study.models[result.best].sampled->loo));
  }
  result.selection = select_models(table, static_cast<std::int64_t>(m));
  return result;
}

std::string comparison_text(const Study& study, const Comparison& comparison) {
  std::vector<std::vector<std::string>> rows{{"model", "parameters", comparison.criterion, "difference",
                                              "best for", "frequency", "exceedance", "protected"}};
  if (!comparison.differences.empty()) rows[0].insert(rows[0].begin() + 4, "+-");
  for (const std::size_t k : order_of(comparison)) {
    const Model& model = study.models[k].fit.model;
    std::vector<std::string> row{
        model.name, std::to_string(model.size()), fmt::format("{:.2f}", comparison.totals[k]),
        fmt::format("{:.2f}", comparison.totals[k] - comparison.totals[comparison.best])};
    if (!comparison.differences.empty())
      row.push_back(fmt::format("{:.2f}", comparison.differences[k].standard_error));
    row.push_back(fmt::format("{}", comparison.best_for[k]));
    row.push_back(fmt::format("{:.3f}", comparison.selection.frequencies[k]));
    row.push_back(fmt::format("{:.3f}", comparison.selection.exceedance[k]));
    row.push_back(fmt::format("{:.3f}", comparison.selection.protected_exceedance[k]));
    rows.push_back(std::move(row));
  }
  std::string text = heading_text(study) + models_text(study);
  text += '\n';
  text += aligned(rows);
  text += fmt::format("probability that all models are equally frequent: {:.3g}\n",
                      comparison.selection.omnibus_risk);
  for (const std::string& id : comparison.left_out)
    text += fmt::format("warning: subject {} has no finite {} for some model and is left out\n",
                        printable_line(id), comparison.criterion);
  return text + warnings_text(study);
}

std::string comparison_json(const Study& study, const Comparison& comparison) {
  Json json = study_object(study);
  json["criterion"] = comparison.criterion;
  json["best"] = study.models[comparison.best].fit.model.name;
  json["omnibus_risk"] = number_json(comparison.selection.omnibus_risk);
  json["left_out"] = comparison.left_out;
  for (std::size_t k = 0; k < study.models.size(); ++k) {
    Json& model = json["models"][k];
    model["total"] = number_json(comparison.totals[k]);
    model["difference"] = number_json(comparison.totals[k] - comparison.totals[comparison.best]);
    if (!comparison.differences.empty())
      model["difference_se"] = number_json(comparison.differences[k].standard_error);
    model["best_for"] = comparison.best_for[k];
    model["frequency"] = number_json(comparison.selection.frequencies[k]);
    model["exceedance"] = number_json(comparison.selection.exceedance[k]);
    model["protected_exceedance"] = number_json(comparison.selection.protected_exceedance[k]);
  }
  return text_of(json);
}

runs::Drawn write_comparison(const Study& study, const Comparison& comparison, const Trials& trials,
                             const std::filesystem::path& folder, const WriteOptions& options) {
  runs::Drawn drawn = write_study(study, trials, folder, options);
  io::CsvWriter table(folder / "selection.csv", {"model", "total", "difference", "best_for", "frequency",
                                                 "exceedance", "protected_exceedance"});
  std::vector<std::string> names;
  for (std::size_t k = 0; k < study.models.size(); ++k) {
    names.push_back(study.models[k].fit.model.name);
    table.text(names.back()).number(comparison.totals[k]);
    table.number(comparison.totals[k] - comparison.totals[comparison.best]).whole(comparison.best_for[k]);
    table.number(comparison.selection.frequencies[k]).number(comparison.selection.exceedance[k]);
    table.number(comparison.selection.protected_exceedance[k]).end_row();
  }
  table.commit();
  StudyPictures pictures(folder, options.figures);
  pictures.frequencies(names, comparison.selection.frequencies, comparison.selection.protected_exceedance);
  const runs::Drawn more = pictures.drawn();
  drawn.pictures.insert(drawn.pictures.end(), more.pictures.begin(), more.pictures.end());
  runs::gather_warnings(drawn.warnings, "", more.warnings);
  return drawn;
}

}  // namespace likely::choice
