// `likely compare FILE`: which model of choice explains the trials best.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/likely/choice_options.hpp"
#include "apps/likely/commands.hpp"
#include "apps/likely/flags.hpp"
#include "apps/likely/report.hpp"
#include "apps/likely/results.hpp"
#include "apps/likely/work_progress.hpp"
#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"
#include "likely/models/choice_study/compare.hpp"

namespace likely::command {

namespace {

struct CompareArguments {
  TrialsArguments trials;
  choice::ModelRequest models;
  MethodArguments method;
  OutArguments out;
};

void run_compare(CompareArguments arguments, const ShowOptions& shown) {
  apply(shown);
  WorkProgress progress(shown.quiet);
  Results results(arguments.out, "compare.json", {arguments.trials.file, arguments.method.covariates});
  if (names_nothing(arguments.models))
    arguments.models.names = {"rw", "rw-dual", "rw-stick", "rw-decay", "ck", "wsls", "random"};
  choice::method_named(arguments.method.method);
  const choice::Trials trials = read(arguments.trials, progress.cancelled());
  choice::StudyOptions options = study_options(arguments.method, arguments.models, trials);
  auto models = choice::make_models(arguments.models, options.method, trials.options, trials.cues);
  if (models.size() < 2) throw Error("at least 2 models are needed to compare: --model rw,rw-dual");
  for (const choice::Model& model : models) {
    const bool population = options.method == choice::Method::em || options.method == choice::Method::nuts;
    if (population && model.size() == 0)
      throw Error(fmt::format("{} has no parameters, and --method {} is about their population", model.name,
                              arguments.method.method));
  }
  results.check_room(choice::bytes_of_study(
      trials, models, options, {.trials = !arguments.out.no_trials, .figures = !arguments.out.no_figures}));
  options.events = progress.events();
  options.cancelled = progress.cancelled();
  choice::Study study = choice::fit_study(trials, models, options);
  if (study.interrupted) throw Cancelled();
  study.file = arguments.trials.file;
  const choice::Comparison comparison = choice::compare_models(study);
  const std::string json = choice::comparison_json(study, comparison) + "\n";
  const std::string summary =
      shown.json ? json : printable(with_flags(choice::comparison_text(study, comparison)));
  results.write(json, summary, progress, [&](const std::filesystem::path& folder) {
    return choice::write_comparison(study, comparison, trials, folder,
                                    {.trials = !arguments.out.no_trials,
                                     .figures = !arguments.out.no_figures,
                                     .cancelled = progress.cancelled()});
  });
  progress.finish();
  fmt::print("{}", summary);
  if (!shown.json) results.say();
}

}  // namespace

void add_compare(CLI::App& app) {
  CLI::App* command = app.add_subcommand("compare", "Say which model of choice explains trials best");
  command->footer(
      "Models are compared by BIC (mle), Laplace's evidence (map), integrated BIC (em) or leave-one-out "
      "(nuts),\n"
      "for all subjects alike and with random effects: how frequent each model is, and the probability that "
      "it\n"
      "is the most frequent one (protected exceedance probability). Without --model: rw, rw-dual, rw-stick,\n"
      "rw-decay, ck, wsls and random. Tutorial: docs/choice.md.");
  auto arguments = std::make_shared<CompareArguments>();
  add_trials(*command, arguments->trials);
  add_out(*command, arguments->out, true);
  const std::shared_ptr<ShowOptions> shown = add_show_options(*command);
  add_models(*command, arguments->models);
  add_methods(*command, arguments->method);
  command->callback([arguments, shown] { run_compare(*arguments, *shown); });
}

}  // namespace likely::command
