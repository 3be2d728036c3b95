// How large the files of a study will be, by counting their numbers.
#include <algorithm>

#include "likely/models/choice_study/recover.hpp"
#include "likely/models/choice_study/report.hpp"

namespace likely::choice {

namespace {

// A double has up to 24 characters and something between it and the next.
constexpr std::int64_t kNumber = 25;

std::int64_t longest(const std::vector<std::string>& names) {
  std::size_t most = 0;
  for (const std::string& name : names) most = std::max(most, name.size());
  return std::max(static_cast<std::int64_t>(most), kNumber);
}

// Of names that are written in quotes, with some characters twice.
std::int64_t quoted(std::int64_t size) { return 2 * size + 3; }

constexpr std::int64_t kTablesOfModel = 20'000, kFigures = 500'000, kRest = 100'000;

}  // namespace

std::int64_t bytes_of_study(const Trials& trials, const std::vector<Model>& models, const StudyOptions& study,
                            const WriteOptions& options) {
  // In JSON each number has a line with its name, and deeper ones are further in.
  constexpr std::int64_t kJsonNumber = kNumber + 40;
  const auto subjects = static_cast<std::int64_t>(trials.subjects.size());
  std::int64_t ids = 0, ids_of_trials = 0;
  for (const Subject& subject : trials.subjects) {
    const std::int64_t id = quoted(static_cast<std::int64_t>(subject.id.size()));
    ids += id;
    ids_of_trials += id * static_cast<std::int64_t>(subject.choice.size());
  }
  const std::int64_t row_of_trial = quoted(longest(trials.block_names)) +
                                    quoted(longest(trials.option_names)) +
                                    (5 + trials.options + trials.cues) * kNumber;
  std::int64_t bytes = kRest;
  for (const Model& model : models) {
    const std::int64_t parameters = model.size();
    const std::int64_t numbers = 4 * parameters + 8;
    bytes += kTablesOfModel + (options.figures ? kFigures : 0);
    bytes += 2 * ids + subjects * (numbers * kNumber + (numbers + parameters + 8) * kJsonNumber);
    if (options.trials) bytes += ids_of_trials + trials.size() * row_of_trial;
    if (study.method == Method::nuts)
      bytes += study.hierarchical.sampler.chains * study.hierarchical.sampler.samples * (2 + 2 * parameters) *
               kNumber;
  }
  return bytes;
}

std::int64_t bytes_of_recovery(const std::vector<Model>& models, const RecoverOptions& options,
                               bool figures) {
  std::int64_t bytes = kRest;
  for (const Model& model : models)
    bytes += kTablesOfModel + (figures ? kFigures : 0) +
             options.subjects * (1 + 2 * static_cast<std::int64_t>(model.size())) * kNumber;
  const auto pairs = static_cast<std::int64_t>(models.size() * models.size());
  std::int64_t longest_name = kNumber;
  for (const Model& model : models)
    longest_name = std::max(longest_name, static_cast<std::int64_t>(model.name.size()));
  return bytes + pairs * (2 * quoted(longest_name) + 9 * kNumber);
}

}  // namespace likely::choice
