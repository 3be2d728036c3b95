#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "apps/likely/commands.hpp"
#include "apps/likely/report.hpp"
#include "apps/likely/work_progress.hpp"
#include "likely/core/error.hpp"
#include "likely/models/recipes.hpp"
#include "likely/models/softmax/calibration_study.hpp"

namespace likely::command {

namespace {

// How far a classifier's probabilities can be believed: as figures of the report, and in a line.
std::string measure_calibration(runs::SeedReport& one, bool several, const CancelTest& cancelled) {
  const auto& rows = one.report.held_out;
  if (!rows || rows->logits.rank() != 2 || rows->logits.dim(1) < 2) return "";
  try {
    const confidence::Calibration figures = confidence::measure_calibration(
        rows->logits, rows->labels, {.resamples = 200, .cancelled = cancelled});
    one.report.calibration = confidence::figures_of(figures, rows->of);
    return fmt::format("{}{} calibration: {}\n", several ? fmt::format("seed {}: ", one.seed) : "", rows->of,
                       confidence::line_of(figures));
  } catch (const Error& error) {
    // Logits that are not finite: the other figures are told all the same.
    if (error.fault() == Fault::memory) throw;
    one.report.warnings.push_back(fmt::format("calibration was not measured: {}", error.what()));
    return "";
  }
}

}  // namespace

void add_eval(CLI::App& app) {
  CLI::App* command = app.add_subcommand("eval", "Measure a trained model again");
  command->footer("Without --data on the data of its training: their test part.");
  auto folder = std::make_shared<std::string>();
  auto data = std::make_shared<std::string>();
  command->add_option("folder", *folder, "Run folder")->type_name("DIR")->required();
  command->add_option("--data", *data, "Other data of the same kind, as `likely train NAME` takes them")
      ->type_name("PATH");
  const std::shared_ptr<ShowOptions> shown = add_show_options(*command);
  command->callback([folder, data, shown] {
    apply(*shown);
    const WorkProgress progress(shown->quiet);
    runs::RunReport report = runs::evaluate_run(
        models::recipes(), *folder,
        data->empty() ? std::nullopt : std::optional<std::filesystem::path>(*data), progress.events());
    std::string lines;
    for (runs::SeedReport& one : report.seeds)
      lines += measure_calibration(one, report.seeds.size() > 1, progress.cancelled());
    show(report, *shown);
    if (!shown->json) fmt::print("{}", lines);
  });
}

}  // namespace likely::command
