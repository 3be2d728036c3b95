#include <CLI/CLI.hpp>
#include <memory>

#include "apps/likely/commands.hpp"
#include "apps/likely/progress_line.hpp"
#include "apps/likely/report.hpp"
#include "likely/models/recipes.hpp"

namespace likely::command {

void add_plot(CLI::App& app) {
  CLI::App* command = app.add_subcommand("plot", "Draw the figures of a run again, as PNG and SVG");
  command->footer("Beside each picture lies its gnuplot script, to be restyled: figures/loss.gp.");
  auto folder = std::make_shared<std::string>();
  command->add_option("folder", *folder, "Run folder")->type_name("DIR")->required();
  const std::shared_ptr<ShowOptions> shown = add_show_options(*command);
  command->callback([folder, shown] {
    apply(*shown);
    show(runs::plot_run(models::recipes(), *folder, progress_line(shown->quiet)), *shown,
         "draw the pictures with: likely plot");
  });
}

}  // namespace likely::command
