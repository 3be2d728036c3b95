#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "apps/likely/commands.hpp"
#include "apps/likely/progress_line.hpp"
#include "apps/likely/report.hpp"
#include "likely/models/recipes.hpp"

namespace likely::command {

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
    show(runs::evaluate_run(models::recipes(), *folder,
                            data->empty() ? std::nullopt : std::optional<std::filesystem::path>(*data),
                            progress_line(shown->quiet)),
         *shown);
  });
}

}  // namespace likely::command
