// What fit, compare, simulate and recover have in common: options for files of trials, models, tasks and
// populations, their progress, and how results are shown.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/likely/report.hpp"
#include "likely/core/cancel.hpp"
#include "likely/io/atomic_folder.hpp"
#include "likely/models/choice/simulate.hpp"
#include "likely/models/choice/trials.hpp"
#include "likely/models/choice_study/report.hpp"

namespace likely::command {

// --subject, --choice-column, ...: how the file is read.
struct TrialsArguments {
  std::string file;
  choice::ReadTrialsOptions read;
  std::string coding = "guess", separator;
};
void add_trials(CLI::App& command, TrialsArguments& arguments);
choice::Trials read(const TrialsArguments& arguments, const CancelTest& cancelled);

// --model, --learn, --choose, --prior, --bound, --initial-value.
void add_models(CLI::App& command, choice::ModelRequest& request);
bool names_nothing(const choice::ModelRequest& request);

// --method, --starts, --seed, and what em and nuts take.
struct MethodArguments {
  std::string method = "map", covariates;
  choice::StudyOptions study;
  bool half_cauchy = false, forward_differences = false;
  // Options that only one method has.
  std::vector<std::pair<const CLI::Option*, choice::Method>> own;
};
void add_methods(CLI::App& command, MethodArguments& arguments);
// Refuses options of a method that is not used, priors among them.
choice::StudyOptions study_options(const MethodArguments& arguments, const choice::ModelRequest& models,
                                   const choice::Trials& trials);

// --probabilities, --trials, ...: the task that is simulated; --param: who plays it.
struct TaskArguments {
  choice::Bandit task;
  std::string probabilities = "0.3,0.7", losses;
  std::vector<std::string> laws;
  // Options that mean something only beside another.
  std::vector<std::pair<const CLI::Option*, const CLI::Option*>> needing;
};
void add_task(CLI::App& command, TaskArguments& arguments);
// Refuses an option that has no meaning without another.
choice::Bandit task_of(const TaskArguments& arguments);
// Simulates so many subjects. Refuses, naming the options and the size, what memory does not hold, before it
// begins where that is known.
void with_room_for(std::int64_t subjects, const choice::Bandit& task, const std::function<void()>& simulate);

// --out, --force, --no-trials, --no-figures.
struct OutArguments {
  std::string folder;
  bool force = false, no_trials = false, no_figures = false;
};
void add_out(CLI::App& command, OutArguments& arguments, bool of_trials);

// The progress line of a study (progress_line.hpp). Ctrl-C is noted from its beginning on, and stops what
// asks for it: make it before anything that takes long or leaves files behind.
class ChoiceProgress {
 public:
  explicit ChoiceProgress(bool silent);
  ~ChoiceProgress();
  ChoiceProgress(const ChoiceProgress&) = delete;
  ChoiceProgress& operator=(const ChoiceProgress&) = delete;

  // For the study.
  const train::EventSink& events() const;
  // Whether Ctrl-C came, for work that asks; lives as long as this.
  CancelTest cancelled() const;
  // Ends the line, and says how long it took, if it took long.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What a command keeps: <--out>/<mark> with its JSON, tables and figures, all of them or nothing.
class Results {
 public:
  // Refuses at once what io::AtomicFolder refuses. `inputs` are files that the command reads.
  Results(const OutArguments& out, const std::string& mark,
          const std::vector<std::filesystem::path>& inputs = {});

  bool wanted() const { return folder_.has_value(); }
  // Refuses, before hours of work, a disk on which so many bytes find no room.
  void check_room(std::int64_t bytes) const;
  // Nothing without --out. `write` writes into the folder and returns the pictures, relative to it; warns of
  // those that could not be drawn. Throws Cancelled, and leaves nothing, if it is to be given up. Where the
  // disk refuses, the summary is printed before that is said.
  void write(const std::string& json, const std::string& summary, ChoiceProgress& progress,
             const std::function<runs::Drawn(const std::filesystem::path&)>& write);
  // Prints where everything is.
  void say() const;

 private:
  // At once: the command may fail later.
  void tell_of_folder();

  std::string mark_;
  std::optional<io::AtomicFolder> folder_;
  runs::Drawn drawn_;
  std::size_t told_ = 0;  // how much of what the folder says of itself
};

}  // namespace likely::command
