#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "apps/likely/commands.hpp"
#include "apps/likely/progress_line.hpp"
#include "apps/likely/report.hpp"
#include "likely/models/recipes.hpp"
#include "likely/models/softmax/calibration_study.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::command {

namespace {

// How far a classifier's probabilities can be believed, a line.
void say_calibration(const runs::SeedReport& one, bool several) {
  const auto& rows = one.report.held_out;
  if (!rows || rows->logits.rank() != 2 || rows->logits.dim(1) < 2) return;
  const confidence::Calibration figures = confidence::measure_calibration(
      rows->logits, rows->labels, {.resamples = 200, .cancelled = train::detail::interrupt_arrived});
  fmt::print("{}{} calibration: {}\n", several ? fmt::format("seed {}: ", one.seed) : "", rows->of,
             confidence::line_of(figures));
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
    const runs::RunReport report =
        runs::evaluate_run(models::recipes(), *folder,
                           data->empty() ? std::nullopt : std::optional<std::filesystem::path>(*data),
                           progress_line(shown->quiet));
    show(report, *shown);
    if (shown->json) return;
    for (const runs::SeedReport& one : report.seeds) say_calibration(one, report.seeds.size() > 1);
  });
}

}  // namespace likely::command
