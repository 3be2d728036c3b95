// Hot: every trial of every subject.
// Walks along trials that are given.
#include <fmt/format.h>

#include "likely/core/error.hpp"
#include "likely/models/choice/engine/subject_groups.hpp"
#include "likely/models/choice/simulate.hpp"

namespace likely::choice {

namespace {

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

// Draws choices where trials are given.
class ChoiceWalker : public Walker {
 public:
  ChoiceWalker(const Rng& rng, std::int64_t first, Group& group, int options, Subject* subjects)
      : group_(group), options_(options), subjects_(subjects) {
    for (int lane = 0; lane < group.subjects; ++lane) {
      draws_.emplace_back(rng.fold_in(static_cast<std::uint64_t>(first + lane)));
    }
  }
  void decide(const Step& step) override {
    for (int lane = step.first; lane < step.end; ++lane) {
      const std::size_t at = index(step.trial * kLanes + lane);
      if (step.trial >= group_.lengths[index(lane)]) continue;
      const int choice = draws_[index(lane)].option(step.probabilities + lane, options_);
      Subject& subject = subjects_[lane];
      group_.choice[at] = choice;
      subject.choice[index(step.trial)] = choice;
      if (!group_.learned.empty() && subject.learned.empty()) {
        group_.learned[at] = group_.cues[index((step.trial * options_ + choice) * kLanes + lane)];
      }
    }
  }
  void learned(const Step&, const double*) override {}

 private:
  Group& group_;
  int options_;
  Subject* subjects_;
  std::vector<Draws> draws_;
};

class ExpectationsWalker : public Walker {
 public:
  explicit ExpectationsWalker(Expectations& expected) : expected_(expected) {}
  void decide(const Step& step) override {
    for (int j = 0; j < expected_.cues; ++j) expected_.values.push_back(step.values[j * kLanes]);
    for (int k = 0; k < expected_.options; ++k)
      expected_.probabilities.push_back(step.probabilities[k * kLanes]);
  }
  void learned(const Step&, const double* errors) override { expected_.errors.push_back(errors[0]); }

 private:
  Expectations& expected_;
};

}  // namespace

Trials simulate_choices(const Model& model, const std::vector<std::vector<double>>& parameters,
                        const Trials& trials, const Rng& rng) {
  check_fit(model, trials);
  check_parameters_of(model, parameters);
  if (parameters.size() != trials.subjects.size()) {
    refuse("choice::simulate_choices", fmt::format("there are parameters for {} subjects, and {} subjects",
                                                   parameters.size(), trials.subjects.size()));
  }
  Trials made = trials;
  made.warnings.clear();
  for_groups(model, parameters.size(),
             trials.size() / std::max<std::int64_t>(1, static_cast<std::int64_t>(parameters.size())),
             [&](std::size_t first, int subjects) {
               std::vector<const Subject*> members;
               for (int lane = 0; lane < subjects; ++lane)
                 members.push_back(&trials.subjects[first + index(lane)]);
               Group group = pack_group(model.parts, members);
               ChoiceWalker walker(rng, static_cast<std::int64_t>(first), group, trials.options,
                                   made.subjects.data() + first);
               const std::vector<double> theta = lanes_of_parameters(model, parameters, first, subjects);
               walk_model(model, group, all_lanes(group), theta.data(), walker);
             });
  return made;
}

Expectations expectations(const Model& model, const std::vector<double>& parameters, const Trials& trials,
                          std::int64_t subject) {
  check_fit(model, trials);
  check_parameters_of(model, {parameters});
  if (subject < 0 || subject >= static_cast<std::int64_t>(trials.subjects.size())) {
    refuse("choice::expectations",
           fmt::format("there is no subject {}: there are {}", subject, trials.subjects.size()));
  }
  const Subject* const member = &trials.subjects[index(subject)];
  const Group group = pack_group(model.parts, {&member, 1});
  Expectations result;
  result.trials = member->size();
  result.options = model.parts.options;
  result.cues = model.parts.cues;
  ExpectationsWalker walker(result);
  const std::vector<double> theta = lanes_of_parameters(model, {parameters}, 0, 1);
  walk_model(model, group, all_lanes(group), theta.data(), walker);
  return result;
}

}  // namespace likely::choice
