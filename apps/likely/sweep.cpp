// `likely sweep NAME`: tries settings of a recipe, and says which are best.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "apps/likely/commands.hpp"
#include "apps/likely/flags.hpp"
#include "apps/likely/progress_line.hpp"
#include "apps/likely/report.hpp"
#include "apps/likely/whole_option.hpp"
#include "likely/core/printable.hpp"
#include "likely/core/tell.hpp"
#include "likely/core/threads.hpp"
#include "likely/models/recipes.hpp"
#include "likely/runs/sweep.hpp"

namespace likely::command {

namespace {

struct SweepArguments {
  std::string name, data, out;
  std::vector<std::string> set;
  runs::SweepOptions options;
  std::uint64_t seed = 1;
  bool minimize = false, maximize = false, json = false, quiet = false;
  int threads = 0;
};

constexpr int kFailed = 1;

void run(const SweepArguments& arguments) {
  if (arguments.threads > 0) set_threads(arguments.threads);
  const runs::Recipe& recipe = runs::find_recipe(models::recipes(), arguments.name);
  runs::SweepOptions options = arguments.options;
  options.run = runs::default_run(recipe);
  for (const std::string& assignment : arguments.set) options.run.settings.set(assignment);
  options.run.data = arguments.data;
  options.run.seed = arguments.seed;
  options.run.out = arguments.out.empty() ? "runs/sweep-" + recipe.name : arguments.out;
  options.run.events = trial_lines(arguments.quiet || arguments.json);
  if (arguments.minimize || arguments.maximize) options.higher_is_better = arguments.maximize;
  const runs::Sweep sweep = runs::run_sweep(recipe, options);
  if (arguments.json) {
    fmt::print("{}", sweep.json());
  } else {
    fmt::print("{}\n", printable(with_flags(sweep.table())));
    if (!sweep.kept_earlier) fmt::print("table: {}\n", printable_line((sweep.out / "sweep.csv").string()));
    for (const auto& picture : sweep.pictures)
      fmt::print("figure: {}.png\n", printable_line(picture.string()));
    if (!sweep.trials.empty() && sweep.ranked().front().error.empty())
      fmt::print("best: {}\n", printable_line(sweep.ranked().front().out.string()));
  }
  warn(sweep.warnings);
  if (sweep.interrupted) throw CLI::RuntimeError(kInterrupted);
  if (!sweep.trials.empty() && !sweep.ranked().front().error.empty()) {
    if (!sweep.kept_earlier) tell("likely: no trial succeeded\n");  // else a warning has said so
    throw CLI::RuntimeError(kFailed);
  }
}

}  // namespace

void add_sweep(CLI::App& app) {
  auto arguments = std::make_shared<SweepArguments>();
  CLI::App* sweep = app.add_subcommand("sweep", "Train a recipe with many settings and say which are best");
  sweep->add_option("name", arguments->name, "What to train; see `likely list`")
      ->type_name("NAME")
      ->required();
  sweep
      ->add_option("--grid", arguments->options.grid,
                   "Values of a setting: lr=0.1,0.01. All combinations are tried")
      ->type_name("NAME=V,V,...")
      ->allow_extra_args(false);
  sweep
      ->add_option("--random", arguments->options.random,
                   "A range of a setting: width=10..200. From a tenfold range on, its logarithm is drawn")
      ->type_name("NAME=LOW..HIGH")
      ->allow_extra_args(false);
  sweep->add_option("--trials", arguments->options.trials, "How many random choices to try")
      ->type_name("N")
      ->transform(whole(std::int64_t{1}, std::int64_t{100'000}));
  sweep->add_option("--set", arguments->set, "A setting that all trials have: epochs=5")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  sweep
      ->add_option("--figure", arguments->options.figure,
                   "What decides; by default a figure that is not taken on test data, if there is one")
      ->type_name("NAME");
  CLI::Option* minimize = sweep->add_flag("--minimize", arguments->minimize, "The figure is to be small");
  sweep->add_flag("--maximize", arguments->maximize, "The figure is to be large")->excludes(minimize);
  sweep->add_option("--data,--in", arguments->data, "Data, as `likely train NAME` takes them")
      ->type_name("PATH");
  sweep->add_option("--seed", arguments->seed, "Of every trial, and of the random choices")
      ->type_name("N")
      ->transform(seed())
      ->capture_default_str();
  sweep->add_option("--out", arguments->out, "Folder for the table, the figure and a run folder a trial")
      ->type_name("DIR")
      ->default_str("runs/sweep-NAME");
  sweep->add_flag("--force", arguments->options.force, "Replace the sweep that the folder holds");
  sweep->add_flag("--json", arguments->json, "Print one JSON object instead of text");
  sweep->add_flag("--quiet", arguments->quiet, "Show no progress");
  sweep->add_option("--threads", arguments->threads, "Threads; the results do not depend on them")
      ->transform(whole(1, 1024));
  sweep->footer(
      "  likely sweep moons --grid lr=0.01,0.001 --grid width=10,50\n"
      "  likely sweep moons --random lr=1e-4..0.1 --random width=5..100 --trials 20\n\n"
      "Whoever chooses settings by test figures has used the test data up: claims need data that were not "
      "looked at.\n"
      "Exit code 1: no trial succeeded.");
  sweep->callback([arguments] { run(*arguments); });
}

}  // namespace likely::command
