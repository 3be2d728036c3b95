#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/likely/commands.hpp"
#include "apps/likely/progress_line.hpp"
#include "apps/likely/report.hpp"
#include "apps/likely/whole_option.hpp"
#include "likely/models/recipes.hpp"

namespace likely::command {

namespace {

struct ResumeArguments {
  std::string folder;
  std::int64_t epochs = 0;
};

}  // namespace

void add_resume(CLI::App& app) {
  CLI::App* command = app.add_subcommand("resume", "Go on with a training that was interrupted");
  command->footer("The result is the same, bit for bit, as without the interruption.");
  auto arguments = std::make_shared<ResumeArguments>();
  command->add_option("folder", arguments->folder, "Run folder")->type_name("DIR")->required();
  command->add_option("--epochs", arguments->epochs, "Train for so many epochs in all")
      ->type_name("N")
      ->transform(whole(std::int64_t{1}, std::int64_t{1'000'000'000}));
  const std::shared_ptr<ShowOptions> shown = add_show_options(*command);
  command->callback([arguments, shown] {
    apply(*shown);
    std::vector<std::string> changes;
    if (arguments->epochs > 0) changes.push_back(fmt::format("epochs={}", arguments->epochs));
    show(runs::resume_run(models::recipes(), arguments->folder, changes, progress_line(shown->quiet)),
         *shown);
  });
}

}  // namespace likely::command
