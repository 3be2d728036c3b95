// `likely simulate`: trials of simulated subjects.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <system_error>

#include "apps/likely/choice_options.hpp"
#include "apps/likely/commands.hpp"
#include "apps/likely/flags.hpp"
#include "apps/likely/report.hpp"
#include "apps/likely/whole_option.hpp"
#include "apps/likely/work_progress.hpp"
#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"
#include "likely/models/choice_study/subject_parameters.hpp"

namespace likely::command {

namespace {

struct SimulateArguments {
  choice::ModelRequest models;
  TaskArguments task;
  std::int64_t subjects = 20;
  std::uint64_t seed = 1;
  std::string out, parameters;
  bool force = false;
};

// trials.tsv -> trials-parameters.csv
std::filesystem::path parameters_file(const std::filesystem::path& out) {
  return out.parent_path() / (out.stem().string() + "-parameters.csv");
}

// Neither of the files that are made may be the one that is read.
void refuse_own_input(const SimulateArguments& arguments, const choice::SimulationFiles& files) {
  for (const std::filesystem::path& made : {files.trials, files.parameters}) {
    std::error_code unknown;
    if (!arguments.parameters.empty() && std::filesystem::equivalent(made, arguments.parameters, unknown))
      throw Error(fmt::format("--out {}: this would replace {}, which is to be read; choose another --out",
                              arguments.out, arguments.parameters));
  }
}

void run_simulate(SimulateArguments arguments, const CLI::Option& subjects, const ShowOptions& shown) {
  apply(shown);
  const WorkProgress progress(true);
  if (arguments.out.ends_with(".gz"))
    throw Error(fmt::format("--out {}: trials are written as plain text; leave .gz out", arguments.out));
  const std::filesystem::path truth = parameters_file(arguments.out);
  const choice::SimulationFiles files{arguments.out, truth, arguments.force};
  warn(choice::check_free(files));  // first: what a killed command has hidden may be what is to be read
  refuse_own_input(arguments, files);
  if (names_nothing(arguments.models)) arguments.models.names = {"rw"};
  const choice::Bandit task = task_of(arguments.task);
  const auto models =
      choice::make_models(arguments.models, choice::Method::mle, static_cast<int>(task.probabilities.size()));
  if (models.size() != 1) throw Error("trials are simulated by one model at a time");
  const choice::Model& model = models[0];
  Rng rng(arguments.seed);
  const Rng of_people = rng.split();  // the task's numbers do not depend on where people come from
  choice::SubjectParameters known;
  if (!arguments.parameters.empty()) {
    if (!arguments.task.laws.empty() || subjects.count() > 0)
      throw Error("--parameters says who there is: --param and --subjects have no meaning then");
    known = choice::read_subject_parameters(arguments.parameters, model);
  }
  const bool drawn = arguments.parameters.empty();
  const auto count = drawn ? arguments.subjects : static_cast<std::int64_t>(known.parameters.size());
  choice::Trials trials;
  choice::Redrawn redrawn;
  with_room_for(count, task, [&] {
    if (drawn)
      known.parameters =
          choice::draw_population(model, arguments.task.laws, count, of_people, false, &redrawn);
    trials = choice::simulate(model, known.parameters, task, rng.split(), progress.cancelled());
  });
  for (std::size_t i = 0; i < known.ids.size(); ++i) trials.subjects[i].id = known.ids[i];
  known.ids.clear();
  for (const choice::Subject& subject : trials.subjects) known.ids.push_back(subject.id);
  choice::write_simulation(files, trials, model, known, progress.cancelled());
  if (shown.quiet) return;
  const std::vector<std::string> warnings = drawn ? redrawn.warnings() : known.notes;
  if (shown.json) {
    fmt::print("{}\n", choice::simulation_json(model, trials, arguments.seed, arguments.out, truth.string(),
                                               warnings));
  } else {
    fmt::print("{}: {} subject{}, {} trial{}, {} options\ntrials: {}\ntrue parameters: {}\n", model.name,
               trials.subjects.size(), trials.subjects.size() == 1 ? "" : "s", trials.size(),
               trials.size() == 1 ? "" : "s", trials.options, printable_line(arguments.out),
               printable_line(truth.string()));
    for (const std::string& warning : warnings)
      fmt::print("warning: {}\n", printable_line(with_flags(warning)));
  }
}

}  // namespace

void add_simulate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("simulate", "Make trials of simulated subjects in a bandit task");
  command->footer(
      "`likely simulate --model rw --param alpha=0.3 --param beta=gamma:4,1 --out trials.tsv` writes\n"
      "trials.tsv, which `likely fit` reads, and the true parameters, trials-parameters.csv.\n"
      "`likely choice-models` lists the models.");
  auto arguments = std::make_shared<SimulateArguments>();
  command->add_option("--out", arguments->out, "Table of trials: tabs, or commas for .csv")
      ->type_name("FILE")
      ->required();
  command->add_flag("--force", arguments->force, "Replace these files where they are there");
  CLI::Option* subjects = command->add_option("--subjects", arguments->subjects, "How many")
                              ->type_name("N")
                              ->transform(whole(std::int64_t{1}, std::int64_t{100'000'000}))
                              ->capture_default_str()
                              ->group("Subjects");
  command
      ->add_option("--parameters", arguments->parameters,
                   "Table with subjID and a column a parameter, such as subjects-NAME.csv of a fit")
      ->type_name("FILE")
      ->group("Subjects");
  command->add_option("--seed", arguments->seed, "Same seed, same trials")
      ->type_name("N")
      ->transform(seed())
      ->capture_default_str();
  const std::shared_ptr<ShowOptions> shown = add_show_options(*command);
  add_models(*command, arguments->models);
  add_task(*command, arguments->task);
  command->callback([arguments, subjects, shown] { run_simulate(*arguments, *subjects, *shown); });
}

}  // namespace likely::command
