// A study: the trials of a group of people, explained by one or more models. What `likely fit` and `likely
// compare` do.
//
//   choice::Study study = choice::fit_study(trials, models, {.method = choice::Method::map});
//   std::cout << choice::study_text(study);
//   choice::write_study(study, trials, folder);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "likely/models/choice/fit.hpp"
#include "likely/models/choice/hierarchical_bayes.hpp"
#include "likely/models/choice/hierarchical_em.hpp"
#include "likely/models/choice_study/request.hpp"
#include "likely/train/events.hpp"

namespace likely::choice {

struct StudyOptions {
  Method method = Method::map;
  FitOptions fit{};  // its cancelled is that of the study, its progress is for the study alone
  std::uint64_t seed = 1;
  EmOptions em{};                      // its fit and progress likewise
  HierarchicalOptions hierarchical{};  // its cancelled and sampler.progress likewise
  // Is told where the study is (event::Stage: what is being done with which model), by any thread, by one at
  // a time.
  train::EventSink events{};
  // Stops the study: asked at every look at the trials, by several threads at once.
  CancelTest cancelled = nullptr;
  std::vector<std::string> notes{};  // about other data, to stand among the warnings
};

// What sampling adds.
struct SampledStudy {
  HierarchicalPosterior posterior;
  std::vector<Summary> group, subjects;
  PredictiveDensity loo, waic;      // over single choices
  std::vector<double> subject_loo;  // their sums for each subject
};

struct ModelStudy {
  // Of every subject: the maximum (mle), the mode under its prior (map, em), or the posterior mean with the
  // posterior's deviation and quantiles (nuts). What a method does not know is NaN.
  Fit fit;
  std::optional<HierarchicalFit> em;
  std::optional<SampledStudy> sampled;
  double seconds = 0.0;

  // By what models are compared, for each subject; the larger the better: -BIC / 2 (mle), ln evidence (map),
  // ln of the likelihood integrated over the population (em), ln of the density left out (nuts).
  std::vector<double> scores() const;
  double log_joint() const;
  std::vector<std::string> warnings() const;
};

struct Study {
  std::string file;  // where the trials came from
  std::int64_t subjects = 0, trials = 0;
  int options = 0;
  std::vector<std::string> option_names;
  Method method = Method::map;
  std::uint64_t seed = 1;
  std::vector<ModelStudy> models;
  std::vector<std::string> warnings, notes;  // of the reader
  bool interrupted = false;                  // what is missing then is not there
};

// Fits all models. Refuses no subjects, and what the estimators refuse. Results do not depend on the number
// of threads.
Study fit_study(const Trials& trials, const std::vector<Model>& models, const StudyOptions& options = {});

// A subject's numbers from a file of people: one row each, with the column of ids and one or more columns of
// numbers. Sets covariates and values, and returns what was decided about the file. Refuses a subject without
// a row or with two, and columns of words.
std::vector<std::string> read_covariates(const std::string& path, const Trials& trials, EmOptions& em);

}  // namespace likely::choice
