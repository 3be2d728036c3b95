#include "apps/likely/choice_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <map>
#include <new>

#include "apps/likely/whole_option.hpp"
#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"
#include "likely/models/choice_study/option_text.hpp"

namespace likely::command {

namespace {

CLI::Validator count() { return whole(std::int64_t{1}, std::int64_t{1'000'000'000}); }

const std::map<std::string, char>& separators() {
  static const std::map<std::string, char> kSeparators{
      {"tab", '\t'}, {"comma", ','}, {"semicolon", ';'}, {"space", ' '}, {"pipe", '|'}};
  return kSeparators;
}

choice::Coding coding_named(const std::string& name) {
  if (name == "from-one") return choice::Coding::from_one;
  if (name == "from-zero") return choice::Coding::from_zero;
  return name == "names" ? choice::Coding::names : choice::Coding::guess;
}

}  // namespace

void add_trials(CLI::App& command, TrialsArguments& arguments) {
  command.add_option("trials", arguments.file, "Table with a row a trial: TSV or CSV, plain or gzip")
      ->type_name("FILE")
      ->required();
  const char* group = "How the file is read";
  const auto column = [&](const char* option, std::string& name, const char* usual) {
    command.add_option(option, name, fmt::format("Column; without it {}", usual))
        ->type_name("NAME")
        ->group(group);
  };
  column("--subject", arguments.read.subject, "subjID, subject, participant or id");
  column("--choice-column", arguments.read.choice, "choice");
  column("--outcome", arguments.read.outcome, "outcome or reward, or gain and loss");
  column("--gain", arguments.read.gain, "gain");
  column("--loss", arguments.read.loss, "loss");
  column("--block", arguments.read.block,
         "block and session, where they are there: values start anew in each");
  column("--trial", arguments.read.trial, "trial, if there is one: rows are put in its order");
  command.add_option("--coding", arguments.coding, "How choices are written")
      ->check(CLI::IsMember({"guess", "from-one", "from-zero", "names"}))
      ->type_name("")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--options", arguments.read.options, "How many options there are; else those that are seen")
      ->type_name("K")
      ->transform(whole(2, choice::kMostOptions))
      ->group(group);
  command.add_option("--skip", arguments.read.skip, "Lines before that of the names")
      ->type_name("N")
      ->transform(whole(std::int64_t{0}, std::int64_t{1'000'000'000}))
      ->group(group);
  command.add_option("--separator", arguments.separator, "Between fields; else what fits most lines")
      ->check(CLI::IsMember({"tab", "comma", "semicolon", "space", "pipe"}))
      ->type_name("")
      ->group(group);
}

choice::Trials read(const TrialsArguments& arguments, const CancelTest& cancelled) {
  choice::ReadTrialsOptions options = arguments.read;
  options.coding = coding_named(arguments.coding);
  options.cancelled = cancelled;
  if (!arguments.separator.empty()) options.separator = separators().at(arguments.separator);
  return choice::read_trials(arguments.file, options);
}

void add_models(CLI::App& command, choice::ModelRequest& request) {
  const char* group = "Models";
  command.add_option("--model", request.names, "Names, as `likely choice-models` lists them: rw,rw-dual")
      ->type_name("NAME,...")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--learn", request.learn, "A model from parts: what is learned, such as dual,decay")
      ->type_name("PART,...")
      ->group(group);
  command.add_option("--choose", request.choose, "And how it becomes choices, such as softmax,stick")
      ->type_name("PART,...")
      ->group(group);
  command
      .add_option("--prior", request.priors,
                  "Mean and variance of the normal prior on the unconstrained scale, of all parameters or "
                  "of one: 0,6.25 or beta=1,0.5 (default: 0,6.25)")
      ->type_name("[NAME=]M,V")
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--bound", request.bounds, "Range of a parameter: beta=0,20")
      ->type_name("NAME=LOW,HIGH")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option("--initial-value", request.initial_value,
                  "Of every option, where it is not a parameter (v0)")
      ->type_name("X")
      ->capture_default_str()
      ->group(group);
}

bool names_nothing(const choice::ModelRequest& request) {
  return request.names.empty() && request.learn.empty() && request.choose.empty();
}

void add_methods(CLI::App& command, MethodArguments& arguments) {
  choice::StudyOptions& study = arguments.study;
  const char* group = "Estimation";
  command
      .add_option(
          "--method", arguments.method,
          "mle, map (posterior mode, Laplace), em (population, Laplace) or nuts (population, sampled)")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--starts", study.fit.starts, "Climbs of each subject; 0: 8 to 32 by number of parameters")
      ->type_name("N")
      ->transform(whole(0, 10'000))
      ->group(group);
  command.add_option("--confidence", study.fit.confidence, "Of intervals")
      ->type_name("P")
      ->capture_default_str()
      ->group(group);
  command.add_option("--seed", study.seed, "Of what is drawn at random (em, nuts); same seed, same result")
      ->type_name("N")
      ->transform(seed())
      ->capture_default_str()
      ->group(group);
  const auto own = [&](choice::Method method, CLI::Option* option) {
    option->group(group);
    arguments.own.emplace_back(option, method);
  };
  own(choice::Method::map,
      command.add_flag(
          "--forward-differences", arguments.forward_differences,
          "map: second derivatives by differences, as cbm takes them, to compare with its figures"));
  own(choice::Method::em,
      command
          .add_option("--covariates", arguments.covariates,
                      "em: table with subjID and columns of numbers on which the population "
                      "depends")
          ->type_name("FILE"));
  own(choice::Method::em, command.add_flag("--full-covariance", study.em.full_covariance,
                                           "em: parameters may go together in the population"));
  NutsOptions& sampler = study.hierarchical.sampler;
  own(choice::Method::nuts, command.add_option("--chains", sampler.chains, "nuts")
                                ->transform(whole(1, 1000))
                                ->capture_default_str());
  own(choice::Method::nuts,
      command.add_option("--samples", sampler.samples, "nuts: of each chain, after the warm-up")
          ->transform(count())
          ->capture_default_str());
  own(choice::Method::nuts, command.add_option("--warm-up", sampler.warm_up, "nuts: of each chain")
                                ->transform(count())
                                ->capture_default_str());
  own(choice::Method::nuts,
      command
          .add_option("--mean-scale", study.hierarchical.mean_scale,
                      "nuts: deviation of the prior of the population's mean, unconstrained")
          ->check(CLI::PositiveNumber)
          ->capture_default_str());
  own(choice::Method::nuts, command
                                .add_option("--spread-scale", study.hierarchical.spread_scale,
                                            "nuts: scale of the prior of the population's deviation")
                                ->check(CLI::PositiveNumber)
                                ->capture_default_str());
  own(choice::Method::nuts, command.add_flag("--half-cauchy", arguments.half_cauchy,
                                             "nuts: that prior is half-Cauchy, not half-normal"));
}

choice::StudyOptions study_options(const MethodArguments& arguments, const choice::ModelRequest& models,
                                   const choice::Trials& trials) {
  choice::StudyOptions options = arguments.study;
  options.method = choice::method_named(arguments.method);
  if (!models.priors.empty() && options.method != choice::Method::map)
    throw Error(fmt::format("--prior is for --method map, and the method is {}", arguments.method));
  if (arguments.forward_differences) options.fit.curving = choice::Curving::forward_differences;
  if (arguments.half_cauchy) options.hierarchical.spread_prior = choice::SpreadPrior::half_cauchy;
  for (const auto& [option, method] : arguments.own) {
    if (option->count() > 0 && method != options.method)
      throw Error(fmt::format("{} is for --method {}, and the method is {}", option->get_name(),
                              choice::name_of(method), arguments.method));
  }
  if (!arguments.covariates.empty())
    options.notes = choice::read_covariates(arguments.covariates, trials, options.em);
  return options;
}

void add_task(CLI::App& command, TaskArguments& arguments) {
  choice::Bandit& task = arguments.task;
  const char* group = "Task";
  command.add_option("--probabilities", arguments.probabilities, "Of a reward, one for each option")
      ->type_name("P,P,...")
      ->capture_default_str()
      ->group(group);
  command.add_option("--trials", task.trials, "In each block")
      ->type_name("N")
      ->transform(count())
      ->capture_default_str()
      ->group(group);
  command.add_option("--blocks", task.blocks, "Values start anew in each")
      ->type_name("N")
      ->transform(count())
      ->capture_default_str()
      ->group(group);
  const auto number = [&](const char* name, double& x, const char* help) {
    command.add_option(name, x, help)->type_name("X")->capture_default_str()->group(group);
  };
  number("--reward", task.reward, "What a reward is");
  number("--otherwise", task.otherwise, "And what comes without one");
  number("--drift", task.drift, "Standard deviation of a probability's step from trial to trial");
  const CLI::Option* drift = command.get_option("--drift");
  number("--lowest", task.lowest, "Where a drifting probability turns");
  number("--highest", task.highest, "And where it turns above");
  for (const char* name : {"--lowest", "--highest"})
    arguments.needing.emplace_back(command.get_option(name), drift);
  command
      .add_option("--reversal", task.reversal, "Probabilities trade places after so many trials; 0: never")
      ->type_name("N")
      ->transform(whole(std::int64_t{0}, std::int64_t{1'000'000'000}))
      ->capture_default_str()
      ->group(group);
  command.add_option("--offered", task.offered, "Options offered on a trial, drawn evenly; 0: all")
      ->type_name("N")
      ->transform(whole(0, choice::kMostOptions))
      ->capture_default_str()
      ->group(group);
  const CLI::Option* losses =
      command.add_option("--loss-probabilities", arguments.losses, "Of a loss besides, one for each option")
          ->type_name("P,P,...")
          ->group(group);
  number("--loss", task.loss, "What a loss is");
  arguments.needing.emplace_back(command.get_option("--loss"), losses);
  command
      .add_option(
          "--param", arguments.laws,
          "A number or a law: alpha=0.3, alpha=uniform:0,1, beta=exponential:10 (its mean), normal:M,SD, "
          "lognormal:M,SD, gamma:SHAPE,SCALE, beta:A,B, prior:M,SD (normal, unconstrained). Numbers outside "
          "the "
          "parameter's range are drawn again, and counted. Default: prior:0,1 with the prior's mean")
      ->type_name("NAME=LAW")
      ->allow_extra_args(false)
      ->group("Subjects");
}

choice::Bandit task_of(const TaskArguments& arguments) {
  for (const auto& [option, needed] : arguments.needing) {
    if (option->count() > 0 && needed->count() == 0)
      throw Error(fmt::format("{0} has no meaning without {1}", option->get_name(), needed->get_name()));
  }
  choice::Bandit task = arguments.task;
  task.probabilities =
      choice::numbers_of(arguments.probabilities, "--probabilities " + arguments.probabilities);
  if (!arguments.losses.empty())
    task.loss_probabilities =
        choice::numbers_of(arguments.losses, "--loss-probabilities " + arguments.losses);
  return task;
}

void with_room_for(std::int64_t subjects, const choice::Bandit& task, const std::function<void()>& simulate) {
  constexpr std::int64_t kMostOfASubject = std::numeric_limits<std::int32_t>::max();
  if (task.trials > kMostOfASubject / task.blocks)
    throw Error(fmt::format("--trials {} in --blocks {}: a subject has at most {} trials", task.trials,
                            task.blocks, kMostOfASubject));
  const double all = static_cast<double>(subjects) * static_cast<double>(task.trials * task.blocks);
  const double bytes_a_trial =
      sizeof(std::int32_t) + sizeof(double) + (task.loss_probabilities.empty() ? 0 : 2 * sizeof(double)) +
      (task.blocks > 1 ? sizeof(std::int32_t) : 0) + (task.offered > 0 ? sizeof(std::uint32_t) : 0);
  const double bytes = all * bytes_a_trial + static_cast<double>(subjects) * sizeof(choice::Subject);
  const auto refuse_size = [&] {
    throw Error(
        fmt::format("--subjects {}, --trials {} and --blocks {} make {:.0f} trials, which need {:.3g} "
                    "GB: more memory than there is",
                    subjects, task.trials, task.blocks, all, bytes / 1e9));
  };
  const double there =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  if (bytes > there) refuse_size();
  try {
    simulate();
  } catch (const std::bad_alloc&) {
    refuse_size();
  }
}

}  // namespace likely::command
