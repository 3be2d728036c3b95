// `likely fit FILE`: parameters of choice models from trials.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/likely/choice_options.hpp"
#include "apps/likely/commands.hpp"
#include "apps/likely/flags.hpp"
#include "apps/likely/report.hpp"
#include "apps/likely/results.hpp"
#include "apps/likely/work_progress.hpp"
#include "likely/core/printable.hpp"

namespace likely::command {

namespace {

struct FitArguments {
  TrialsArguments trials;
  choice::ModelRequest models;
  MethodArguments method;
  OutArguments out;
};

void run_fit(FitArguments arguments, const ShowOptions& shown) {
  apply(shown);
  WorkProgress progress(shown.quiet);
  Results results(arguments.out, "fit.json", {arguments.trials.file, arguments.method.covariates});
  if (names_nothing(arguments.models)) arguments.models.names = {"rw"};
  choice::method_named(arguments.method.method);
  const choice::Trials trials = read(arguments.trials, progress.cancelled());
  choice::StudyOptions options = study_options(arguments.method, arguments.models, trials);
  const auto models = choice::make_models(arguments.models, options.method, trials.options, trials.cues);
  results.check_room(choice::bytes_of_study(
      trials, models, options, {.trials = !arguments.out.no_trials, .figures = !arguments.out.no_figures}));
  options.events = progress.events();
  options.cancelled = progress.cancelled();
  choice::Study study = choice::fit_study(trials, models, options);
  if (study.interrupted) throw Cancelled();
  study.file = arguments.trials.file;
  const std::string json = shown.json || results.wanted() ? choice::study_json(study) + "\n" : "";
  const std::string summary = shown.json ? json : printable(with_flags(choice::study_text(study)));
  results.write(json, summary, progress, [&](const std::filesystem::path& folder) {
    return choice::write_study(study, trials, folder,
                               {.trials = !arguments.out.no_trials,
                                .figures = !arguments.out.no_figures,
                                .cancelled = progress.cancelled()});
  });
  progress.finish();
  fmt::print("{}", summary);
  if (!shown.json) results.say();
}

}  // namespace

void add_fit(CLI::App& app) {
  CLI::App* command = app.add_subcommand("fit", "Fit models of learning and choice to trials");
  command->footer(
      "The file has a row a trial with the columns subjID, choice and outcome (or gain and loss).\n"
      "`likely fit trials.tsv --model rw,rw-dual --out results` fits two models; the folder then holds\n"
      "models.csv, subjects-NAME.csv, trials-NAME.csv (values, probabilities, prediction errors), fit.json "
      "and\n"
      "figures. `likely choice-models` lists models and their parts. Tutorial: docs/choice.md.");
  auto arguments = std::make_shared<FitArguments>();
  add_trials(*command, arguments->trials);
  add_out(*command, arguments->out, true);
  const std::shared_ptr<ShowOptions> shown = add_show_options(*command);
  add_models(*command, arguments->models);
  add_methods(*command, arguments->method);
  command->callback([arguments, shown] { run_fit(*arguments, *shown); });
}

}  // namespace likely::command
