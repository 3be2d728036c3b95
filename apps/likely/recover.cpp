// `likely recover`: whether a task tells parameters and models apart.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/likely/choice_options.hpp"
#include "apps/likely/commands.hpp"
#include "apps/likely/flags.hpp"
#include "apps/likely/report.hpp"
#include "apps/likely/results.hpp"
#include "apps/likely/whole_option.hpp"
#include "apps/likely/work_progress.hpp"
#include "likely/core/printable.hpp"
#include "likely/models/choice_study/recover.hpp"

namespace likely::command {

namespace {

struct RecoverArguments {
  choice::ModelRequest models;
  TaskArguments task;
  choice::RecoverOptions options;
  std::string method = "mle", criterion;
  OutArguments out;
};

void run_recover(RecoverArguments arguments, const ShowOptions& shown) {
  apply(shown);
  WorkProgress progress(shown.quiet);
  Results results(arguments.out, "recover.json");
  if (names_nothing(arguments.models)) arguments.models.names = {"rw"};
  choice::RecoverOptions options = arguments.options;
  options.method = choice::method_named(arguments.method);
  options.laws = arguments.task.laws;
  if (!arguments.criterion.empty())
    options.criterion = arguments.criterion == "aic"   ? choice::Criterion::aic
                        : arguments.criterion == "bic" ? choice::Criterion::bic
                                                       : choice::Criterion::evidence;
  const choice::Bandit task = task_of(arguments.task);
  const auto models =
      choice::make_models(arguments.models, options.method, static_cast<int>(task.probabilities.size()));
  results.check_room(choice::bytes_of_recovery(models, options, !arguments.out.no_figures));
  options.events = progress.events();
  options.cancelled = progress.cancelled();
  choice::RecoverStudy study;
  with_room_for(options.subjects, task, [&] { study = choice::recover_study(models, task, options); });
  if (study.interrupted) throw Cancelled();
  const std::string json = choice::recover_json(study) + "\n";
  const std::string summary = shown.json ? json : printable(with_flags(choice::recover_text(study)));
  results.write(json, summary, progress, [&](const std::filesystem::path& folder) {
    return choice::write_recovery(study, folder, !arguments.out.no_figures);
  });
  progress.finish();
  fmt::print("{}", summary);
  if (!shown.json) results.say();
}

}  // namespace

void add_recover(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("recover", "Check by simulation that a task tells parameters and models apart");
  command->footer(
      "Before an experiment: simulates subjects whose parameters are known, fits them, and correlates both. "
      "With\n"
      "several models also which of them fits whom best (confusion matrix). The recovery of Wilson and "
      "Collins\n"
      "(2019): likely recover --subjects 1000 --trials 1000 --probabilities 0.2,0.8 \\\n"
      "          --param alpha=uniform:0,1 --param beta=exponential:10 \\\n"
      "          --initial-value 0.5 --bound beta=0,200 --out recovery");
  auto arguments = std::make_shared<RecoverArguments>();
  add_out(*command, arguments->out, false);
  const std::shared_ptr<ShowOptions> shown = add_show_options(*command);
  add_models(*command, arguments->models);
  add_task(*command, arguments->task);
  command->add_option("--subjects", arguments->options.subjects, "Simulated for each model")
      ->type_name("N")
      ->transform(whole(std::int64_t{2}, std::int64_t{100'000'000}))
      ->capture_default_str()
      ->group("Subjects");
  command->add_option("--method", arguments->method, "mle, map or em")
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Estimation");
  command
      ->add_option("--criterion", arguments->criterion,
                   "Which model is best; else bic for mle, evidence for map")
      ->check(CLI::IsMember({"aic", "bic", "evidence"}))
      ->type_name("")
      ->group("Estimation");
  command->add_option("--starts", arguments->options.fit.starts, "Climbs of each subject; 0: 8 to 32")
      ->type_name("N")
      ->transform(whole(0, 10'000))
      ->group("Estimation");
  command->add_option("--seed", arguments->options.seed, "Same seed, same result")
      ->type_name("N")
      ->transform(seed())
      ->capture_default_str()
      ->group("Estimation");
  command->callback([arguments, shown] { run_recover(*arguments, *shown); });
}

}  // namespace likely::command
