#include "likely/runs/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/core/nearest_name.hpp"
#include "likely/io/csv_writer.hpp"
#include "likely/io/live_folder.hpp"
#include "likely/runs/inputs.hpp"
#include "likely/runs/picture_folder.hpp"
#include "likely/runs/runs.hpp"
#include "likely/runs/sweep_figure.hpp"
#include "likely/runs/sweep_space.hpp"
#include "likely/train/event_file.hpp"

namespace likely::runs {

namespace {

constexpr const char* kTable = "sweep.csv";
constexpr const char* kEvents = "events.jsonl";

std::vector<SweptSetting> parse_space(const SweepOptions& options) {
  std::vector<SweptSetting> space;
  for (const std::string& text : options.grid) space.push_back(parse_list(options.run.settings, text));
  for (const std::string& text : options.random) space.push_back(parse_range(options.run.settings, text));
  if (space.empty())
    throw Error("there is nothing to sweep over: give `grid = lr=0.1,0.01` or `random = lr=1e-4..0.1`");
  std::set<std::string> names;
  for (const SweptSetting& swept : space) {
    if (!names.insert(swept.name).second) throw Error(fmt::format("{} is swept over twice", swept.name));
  }
  if (!options.random.empty() && options.trials < 1)
    throw Error("how many random choices are to be tried? Give `trials = 20`");
  if (options.random.empty() && options.trials > 0)
    throw Error("`trials` is for `random`; `grid` tries every combination");
  return space;
}

// Of all trials: a setting that is swept over may name a file, too.
std::vector<std::filesystem::path> inputs_of_trials(const SweepOptions& options,
                                                    const std::vector<SweptSetting>& space) {
  std::vector<std::filesystem::path> inputs = inputs_of(options.run);
  for (const SweptSetting& swept : space) {
    for (const std::string& value : swept.values) {
      Run run = options.run;
      run.settings.set(swept.name, value);
      const std::vector<std::filesystem::path> more = inputs_of(run);
      inputs.insert(inputs.end(), more.begin(), more.end());
    }
  }
  return inputs;
}

io::FolderRules rules_of(const SweepOptions& options, const std::vector<SweptSetting>& space) {
  return {
      .mark = kTable,
      .replace = options.force,
      .setting = "out",
      .earlier = fmt::format("{} already holds a sweep; replace it (`force`) or choose another `out`",
                             options.run.out.string()),
      .inputs = inputs_of_trials(options, space),
      .signs_of_worth = {"report.json"}};  // of a trial that ended: a sweep does not go on from a checkpoint
}

// Ends a sweep: an Error would only be noted as the failure of a trial.
struct NoSuchFigure {
  std::string message;
};

// The figure that decides. One that was not taken on test data is to be preferred: choosing settings by test
// data makes these data training data.
std::string choose_figure(const std::vector<Measured>& figures, const std::string& wanted) {
  std::vector<std::string> names;
  for (const Measured& figure : figures) names.push_back(figure.name);
  if (names.empty()) throw NoSuchFigure{"the recipe has no figure to compare trials by"};
  if (wanted.empty()) {
    for (const std::string& name : names) {
      if (name.starts_with("validation") || name.starts_with("inner")) return name;
    }
    return names.front();
  }
  if (std::find(names.begin(), names.end(), wanted) == names.end())
    throw NoSuchFigure{fmt::format("there is no figure \"{}\"; there are {}{}", wanted,
                                   fmt::join(names, ", "), did_you_mean(wanted, names))};
  return wanted;
}

bool is_to_be_high(const std::vector<Measured>& figures, const std::string& name) {
  for (const Measured& figure : figures) {
    if (figure.name == name && figure.better != Better::neither) return figure.better == Better::higher;
  }
  throw NoSuchFigure{
      fmt::format("\"{}\" is neither good nor bad by being high: say which it is to be", name)};
}

void write_table(const Sweep& sweep, const std::vector<SweptSetting>& space) {
  std::vector<std::string> names{"trial"};
  for (const SweptSetting& swept : space) names.push_back(swept.name);
  names.push_back(sweep.figure.empty() ? "value" : sweep.figure);
  names.emplace_back("error");
  io::CsvWriter table(sweep.out / kTable, names);
  for (const SweepTrial& trial : sweep.trials) {
    table.whole(trial.number);
    for (const SweptSetting& swept : space) table.text(trial.settings.at(swept.name));
    table.number(trial.value).text(trial.error).end_row();
  }
  table.commit();
}

// One trial after the other.
class Trials {
 public:
  Trials(const Recipe& recipe, const SweepOptions& options, const std::vector<SweptSetting>& space,
         Sweep& sweep, train::EventFile& file)
      : recipe_(recipe), options_(options), space_(space), sweep_(sweep), file_(file) {}

  double operator()(const train::Choice& choice) {
    SweepTrial trial{.number = static_cast<std::int64_t>(sweep_.trials.size()) + 1, .settings = {}};
    Run run = options_.run;
    run.out = sweep_.out / fmt::format("trial-{}", trial.number);
    for (const SweptSetting& swept : space_) {
      trial.settings[swept.name] = swept.text(choice.at(swept.name));
      run.settings.set(swept.name, trial.settings[swept.name]);
    }
    trial.out = run.out;
    try {
      const RunReport report = train_recipe(recipe_, run);
      if (report.stopped() == train::Stopped::interrupted) throw Error("interrupted");
      gather_warnings(sweep_.warnings, fmt::format("trial {}: ", trial.number), report.warnings());
      judge(trial, report.figures());
    } catch (const Error& error) {
      trial.value = std::nan("");
      trial.error = error.what();
    }
    sweep_.trials.push_back(trial);
    write_table(sweep_, space_);
    const train::event::Trial ended{.number = trial.number,
                                    .settings = trial.settings,
                                    .figure = sweep_.figure,
                                    .value = trial.value,
                                    .error = trial.error};
    file_(ended);
    if (options_.run.events) options_.run.events(ended);
    return trial.value;
  }

 private:
  void judge(SweepTrial& trial, const std::vector<Measured>& figures) {
    if (sweep_.figure.empty()) {
      sweep_.figure = choose_figure(figures, options_.figure);
      sweep_.higher_is_better =
          options_.higher_is_better ? *options_.higher_is_better : is_to_be_high(figures, sweep_.figure);
    }
    trial.value = std::nan("");
    for (const Measured& figure : figures) {
      if (figure.name == sweep_.figure) trial.value = figure.value;
    }
    if (std::isnan(trial.value)) trial.error = fmt::format("the {} is NaN", sweep_.figure);
  }

  const Recipe& recipe_;
  const SweepOptions& options_;
  const std::vector<SweptSetting>& space_;
  Sweep& sweep_;
  train::EventFile& file_;
};

// The sweep's own beginning and end, which its folder's events.jsonl has around the trials; each trial's
// events are in its own folder.
train::event::Begin beginning_of(const Recipe& recipe, const SweepOptions& options) {
  train::event::Begin begin{
      .recipe = recipe.name, .seed = options.run.seed, .data = options.run.data, .out = options.run.out};
  for (const Setting& setting : options.run.settings.all()) begin.settings[setting.name] = setting.value;
  return begin;
}
void tell_end(Sweep& sweep, double seconds, train::EventFile& file) {
  for (const std::filesystem::path& picture : sweep.pictures) file(train::event::Picture{picture});
  for (const std::string& warning : sweep.warnings) file(train::event::Warning{warning});
  file(
      train::event::End{.stopped = sweep.interrupted ? train::Stopped::interrupted : train::Stopped::finished,
                        .seconds = seconds});
  if (!file.failure().empty())
    sweep.warnings.push_back(fmt::format("{} is not whole: {}", kEvents, file.failure()));
}

}  // namespace

std::vector<SweepTrial> Sweep::ranked() const {
  std::vector<SweepTrial> order = trials;
  std::stable_sort(order.begin(), order.end(), [&](const SweepTrial& a, const SweepTrial& b) {
    if (a.error.empty() != b.error.empty()) return a.error.empty();
    if (!a.error.empty()) return false;
    return higher_is_better ? a.value > b.value : a.value < b.value;
  });
  return order;
}

Sweep run_sweep(const Recipe& recipe, const SweepOptions& options) {
  const std::vector<SweptSetting> space = parse_space(options);
  io::LiveFolder folder(options.run.out, rules_of(options, space));
  Sweep sweep{.recipe = recipe.name, .figure = "", .out = options.run.out};
  write_table(sweep, space);  // by which the folder is known, should this be killed
  const auto begin = std::chrono::steady_clock::now();
  std::optional<train::EventFile> file(std::in_place, sweep.out / kEvents);
  (*file)(beginning_of(recipe, options));
  Trials trials(recipe, options, space, sweep, *file);
  // Only what is closed is known to be this sweep's own.
  const auto give_up = [&] {
    file.reset();
    folder.give_up();
  };
  const train::TrialValue value_of = [&](const train::Choice& choice, const Rng&) { return trials(choice); };
  train::SearchResult result;
  try {
    if (options.random.empty()) {
      std::vector<std::pair<std::string, std::vector<double>>> grid;
      for (const SweptSetting& swept : space) {
        grid.emplace_back(swept.name, std::vector<double>());
        for (std::size_t i = 0; i < swept.values.size(); ++i)
          grid.back().second.push_back(static_cast<double>(i));
      }
      result = train::grid_search(grid, Rng(options.run.seed), value_of);
    } else {
      std::vector<std::pair<std::string, train::Candidates>> candidates;
      for (const SweptSetting& swept : space) candidates.emplace_back(swept.name, swept.candidates());
      result = train::random_search(candidates, options.trials, Rng(options.run.seed), value_of);
    }
  } catch (const NoSuchFigure& none) {
    give_up();
    throw Error(none.message);
  }
  sweep.interrupted = result.interrupted;
  const bool failed = std::all_of(sweep.trials.begin(), sweep.trials.end(),
                                  [](const SweepTrial& trial) { return !trial.error.empty(); });
  // What was interrupted, and what came to nothing, is not worth a sweep that came to something.
  if (folder.replaces() && (sweep.interrupted ? !folder.outdoes_earlier() : failed)) {
    give_up();
    sweep.kept_earlier = true;
    sweep.warnings.push_back(fmt::format("{}: the sweep that {} held is kept",
                                         sweep.interrupted ? "interrupted" : "no trial succeeded",
                                         sweep.out.string()));
    return sweep;
  }
  folder.keep();
  sweep.warnings.insert(sweep.warnings.end(), folder.told().begin(), folder.told().end());
  for (const io::Kept& kept : folder.kept()) sweep.warnings.push_back(text_of(kept));
  draw_sweep(sweep, space);
  tell_end(sweep, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), *file);
  return sweep;
}

}  // namespace likely::runs
