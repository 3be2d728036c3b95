// Whether a task can tell parameters and models apart: what `likely recover` does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "likely/models/choice/recovery.hpp"
#include "likely/models/choice_study/study.hpp"
#include "likely/runs/picture_folder.hpp"

namespace likely::choice {

struct RecoverOptions {
  Method method = Method::mle;           // not nuts
  std::int64_t subjects = 100;           // simulated for each model
  std::vector<std::string> laws{};       // of their parameters, as in draw_population
  std::optional<Criterion> criterion{};  // by which models are chosen; else BIC for mle, evidence for map
  std::uint64_t seed = 1;
  FitOptions fit{};
  // As in StudyOptions.
  train::EventSink events{};
  CancelTest cancelled = nullptr;
};

struct RecoverStudy {
  Bandit task;
  RecoverOptions options;
  std::vector<Recovery> recoveries;         // of the models that have parameters
  std::optional<ModelConfusion> confusion;  // of two models or more
  bool interrupted = false;
  std::vector<std::string> warnings{};  // about the people that were drawn
};

// Simulates people of each model, fits them again, and, where there are several models, tells which fits whom
// best. Refuses nuts, laws of parameters that no model has, and what simulate refuses.
RecoverStudy recover_study(const std::vector<Model>& models, const Bandit& task,
                           const RecoverOptions& options);

std::string recover_text(const RecoverStudy& study);
// task, subjects, method, seed, warnings; models: name and parameters, each with correlation,
// rank_correlation, bias, rmse, at_bounds; confusion and inversion as rows.
std::string recover_json(const RecoverStudy& study);
// recovery-NAME.csv (true and fitted), confusion.csv and figures/, into a folder that is there. Returns the
// pictures as write_study does.
runs::Drawn write_recovery(const RecoverStudy& study, const std::filesystem::path& folder,
                           bool figures = true);

// About how much write_recovery and recover_json will need on the disk, as bytes_of_study tells it.
std::int64_t bytes_of_recovery(const std::vector<Model>& models, const RecoverOptions& options,
                               bool figures = true);

}  // namespace likely::choice
