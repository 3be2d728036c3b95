// `likely train NAME`: a subcommand for each recipe, with its settings as options.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "apps/likely/commands.hpp"
#include "apps/likely/progress_line.hpp"
#include "apps/likely/report.hpp"
#include "apps/likely/standard_streams.hpp"
#include "apps/likely/whole_option.hpp"
#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"
#include "likely/models/recipes.hpp"
#include "likely/runs/listing.hpp"

namespace likely::command {

namespace {

struct TrainArguments {
  std::string data, out;
  std::uint64_t seed = 1;
  std::vector<std::uint64_t> seeds;
  std::int64_t repeats = 0;
  bool force = false;
  std::vector<std::string> set;  // name=text
};

std::string heading(const runs::Recipe& recipe, const runs::Run& run) {
  std::string text = fmt::format("{}: {} ({})\ndata: {}\n", recipe.name, recipe.summary, recipe.chapter,
                                 run.data.empty() ? recipe.data : printable_line(run.data.string()));
  std::vector<std::string> settings;
  for (const runs::Setting& setting : run.settings.all()) {
    if (!setting.value.empty()) settings.push_back(setting.name + " " + printable_line(setting.value));
  }
  return text + fmt::format("settings: {}\n", fmt::join(settings, ", "));
}

void choose(runs::Settings& settings, const std::vector<std::string>& assignments) {
  std::vector<std::string> chosen;
  for (const std::string& assignment : assignments) {
    settings.set(assignment);
    const std::string name = settings.spelled(assignment.substr(0, assignment.find('=')));
    if (std::find(chosen.begin(), chosen.end(), name) != chosen.end())
      throw Error(fmt::format("{} is set twice", name));
    chosen.push_back(name);
  }
}

void run_training(const runs::Recipe& recipe, const TrainArguments& arguments, const ShowOptions& shown) {
  apply(shown);
  runs::Run run = runs::default_run(recipe);
  choose(run.settings, arguments.set);
  run.data = arguments.data;
  run.out = arguments.out;
  run.seed = arguments.seed;
  run.events = progress_line(shown.quiet);
  runs::TrainOptions options{.seeds = arguments.seeds, .force = arguments.force};
  const auto last = std::numeric_limits<std::uint64_t>::max();
  if (arguments.repeats > 0 && arguments.seed > last - static_cast<std::uint64_t>(arguments.repeats - 1))
    throw Error(fmt::format("--repeats {} from --seed {} on: the last seed there is is {}", arguments.repeats,
                            arguments.seed, last));
  for (std::int64_t i = 0; i < arguments.repeats; ++i)
    options.seeds.push_back(arguments.seed + static_cast<std::uint64_t>(i));
  options.on_start = [&](const runs::Run& started) {
    if (shown.json || shown.quiet) return;
    // Whether or not it arrives, training goes on.
    std::fputs(heading(recipe, started).c_str(), stdout);
    flush_output();
  };
  const runs::RunReport report = runs::train_recipe(recipe, run, options);
  show(report, shown);
  if (!shown.json && !shown.quiet) {
    fmt::print("run folder: {}\n", printable_line(report.run.out.string()));
    if (recipe.predict)
      fmt::print("next: likely predict {} --in FILE\n", shell_word(report.run.out.string()));
  }
}

const char* type_name(const runs::Setting& setting) {
  switch (setting.kind) {
    case runs::Setting::Kind::whole: return "N";
    case runs::Setting::Kind::number: return "X";
    case runs::Setting::Kind::flag: return "BOOL";
    case runs::Setting::Kind::word: return "WORD";
    case runs::Setting::Kind::text: return "TEXT";
    case runs::Setting::Kind::file: return "FILE";
  }
  return "";
}

void add_settings(CLI::App& command, const runs::Recipe& recipe, TrainArguments& arguments) {
  for (const runs::Setting& setting : recipe.settings) {
    std::string names = "--" + setting.name;
    if (setting.name.find('_') != std::string::npos) {
      std::string dashed = setting.name;
      std::replace(dashed.begin(), dashed.end(), '_', '-');
      names += ",--" + dashed;
    }
    command
        .add_option_function<std::string>(
            names,
            [&arguments, name = setting.name](const std::string& text) {
              arguments.set.push_back(fmt::format("{}={}", name, text));
            },
            fmt::format("{} ({})", setting.help, setting.allowed()))
        ->type_name(type_name(setting))
        ->default_str(setting.value)
        ->group("Settings");
  }
}

std::string footer(const runs::Recipe& recipe) {
  std::string text = fmt::format("Book: {}. Data: {}. Time: {}.", recipe.chapter, recipe.data,
                                 runs::time_text(recipe.seconds));
  for (const runs::Expected& expected : recipe.expected)
    text += fmt::format("\n{}: {}", expected.figure, runs::text_of(expected));
  return text;
}

void add_recipe(CLI::App& train, const runs::Recipe& recipe) {
  CLI::App* command = train.add_subcommand(recipe.name, recipe.summary);
  auto arguments = std::make_shared<TrainArguments>();
  arguments->out = "runs/" + recipe.name;
  if (!recipe.data_help.empty())
    command->add_option("--data,--in", arguments->data, recipe.data_help)->type_name("PATH");
  command->add_option("--out", arguments->out, "Run folder")->type_name("DIR")->capture_default_str();
  command->add_flag("--force", arguments->force, "Replace the run that the folder holds");
  CLI::Option* first = command->add_option("--seed", arguments->seed, "Same seed, same result")
                           ->type_name("N")
                           ->transform(seed())
                           ->capture_default_str();
  CLI::Option* seeds = command->add_option("--seeds", arguments->seeds, "One training for each: 1,2,3")
                           ->type_name("N,N,...")
                           ->delimiter(',')
                           ->transform(seed())
                           ->excludes(first);
  command->add_option("--repeats", arguments->repeats, "So many trainings, with the seeds from --seed on")
      ->type_name("N")
      ->transform(whole(std::int64_t{1}, std::int64_t{1000}))
      ->excludes(seeds);
  command->add_option("--set", arguments->set, "A setting as name=value; --lr 0.1 is --set lr=0.1")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  const std::shared_ptr<ShowOptions> shown = add_show_options(*command);
  add_settings(*command, recipe, *arguments);
  command->footer(footer(recipe));
  command->callback([&recipe, arguments, shown] { run_training(recipe, *arguments, *shown); });
}

}  // namespace

void add_train(CLI::App& app) {
  CLI::App* train = app.add_subcommand("train", "Train a model");
  train->require_subcommand(1);
  train->footer("`likely train NAME --help` shows the settings of one.");
  for (const runs::Recipe& recipe : models::recipes()) add_recipe(*train, recipe);
}

}  // namespace likely::command
