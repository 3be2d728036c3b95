// What fit, compare, simulate and recover have in common: options for files of trials, models, tasks and
// populations.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "likely/core/cancel.hpp"
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

}  // namespace likely::command
