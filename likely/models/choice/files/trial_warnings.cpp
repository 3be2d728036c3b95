#include "likely/models/choice/files/trial_warnings.hpp"

#include <fmt/format.h>

namespace likely::choice {

namespace {

// The sign of a loss is not looked at: some write what was lost, others what came of it.
void add_losses(const TrialsSeen& seen, const TrialColumns& columns, std::vector<std::string>& warnings) {
  if (seen.positive_loss.line == 0 || seen.negative_loss.line == 0) return;
  warnings.push_back(
      fmt::format("column \"{}\" has {} in line {} and {} in line {}: its sign is passed over, and both are "
                  "losses",
                  columns.names[*columns.loss], seen.positive_loss.amount, seen.positive_loss.line,
                  seen.negative_loss.amount, seen.negative_loss.line));
}

void add_outcomes(const Trials& trials, const TrialsSeen& seen, std::vector<std::string>& warnings) {
  if (seen.subjects_without_outcomes.empty()) return;
  const bool all = seen.subjects_without_outcomes.size() == trials.subjects.size();
  for (const std::string& id : seen.subjects_without_outcomes) {
    warnings.push_back(
        fmt::format("{} the same outcome on every trial: the trials say nothing about learning from it{}",
                    all ? "every subject had" : fmt::format("subject {} had", id),
                    all ? ", and estimates of it come from the prior" : ""));
    if (all) return;
  }
}

void add_gains(const TrialsSeen& seen, const TrialColumns& columns, std::vector<std::string>& warnings) {
  if (seen.negative_gain.line == 0) return;
  warnings.push_back(fmt::format("column \"{}\" has {} in line {}: it is taken as it is, a gain below 0",
                                 columns.names[*columns.gain], seen.negative_gain.amount,
                                 seen.negative_gain.line));
}

}  // namespace

std::vector<std::string> warnings_of(const Trials& trials, const TrialsSeen& seen,
                                     const TrialColumns& columns) {
  std::vector<std::string> warnings;
  add_losses(seen, columns, warnings);
  add_gains(seen, columns, warnings);
  add_outcomes(trials, seen, warnings);
  for (int k = 0; k < trials.options; ++k) {
    const std::string& name = trials.option_names[static_cast<std::size_t>(k)];
    if (((seen.offered >> k) & 1U) == 0) {
      warnings.push_back(fmt::format("option {} is never offered", name));
    } else if (((seen.chosen >> k) & 1U) == 0) {
      warnings.push_back(fmt::format("option {} is never chosen", name));
    }
  }
  if (columns.session) {
    warnings.push_back(fmt::format(
        "values start anew with each \"{0}\" and each \"{1}\": `block = {0}` or `block = {1}` to go by "
        "one of them",
        columns.names[*columns.session], columns.names[*columns.block]));
  }
  return warnings;
}

}  // namespace likely::choice
