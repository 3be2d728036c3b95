// Hot: every trial of every subject.
#include "likely/models/choice/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/models/choice/engine/subject_groups.hpp"

namespace likely::choice {

namespace {

// A step beyond it, times a normal number, may be no number any more.
constexpr double kLargestDrift = 1e300;

std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }

void check_task(const Model& model, const Bandit& task) {
  const auto check = [](bool good, const std::string& what) {
    if (!good) refuse("choice::simulate", what);
  };
  const auto k = task.probabilities.size();
  check(k >= 2 && k <= kMostOptions, fmt::format("a task has 2 to {} options, got {}", kMostOptions, k));
  check(k == index(model.parts.options),
        fmt::format("the task has {} options, {} is for {}", k, model.name, model.parts.options));
  check(model.parts.cues == model.parts.options,
        fmt::format("{} is for {} cues, in this task every option is its own", model.name, model.parts.cues));
  check(
      task.loss_probabilities.empty() || task.loss_probabilities.size() == k,
      fmt::format("there are {} probabilities of losses for {} options", task.loss_probabilities.size(), k));
  for (const std::vector<double>* list : {&task.probabilities, &task.loss_probabilities}) {
    for (const double p : *list) check(p >= 0.0 && p <= 1.0, fmt::format("{} is no probability", p));
  }
  check(!(task.drift < 0.0), fmt::format("drift must not be negative, got {}", task.drift));
  check(task.drift <= kLargestDrift,
        fmt::format("drift must be at most {:g}, got {}", kLargestDrift, task.drift));
  for (const auto& [name, x] : {std::pair("reward", task.reward), std::pair("otherwise", task.otherwise),
                                std::pair("loss", task.loss)}) {
    check(std::isfinite(x), fmt::format("{} must be finite, got {}", name, x));
  }
  check(task.lowest >= 0.0 && task.highest <= 1.0 && task.lowest < task.highest,
        fmt::format("probabilities drift between 0 and 1, got {} to {}", task.lowest, task.highest));
  check(task.trials >= 1 && task.blocks >= 1,
        fmt::format("there must be trials and blocks, got {} and {}", task.trials, task.blocks));
  check(task.reversal >= 0, fmt::format("reversal must not be negative, got {}", task.reversal));
  check(task.offered == 0 || (task.offered >= 2 && task.offered <= static_cast<int>(k)),
        fmt::format("2 to {} options can be offered, got {}", k, task.offered));
  check(model.parts.rho_gain < 0 || !task.loss_probabilities.empty(),
        fmt::format("{} needs gains and losses apart: give probabilities of losses", model.name));
}

// The trials that the lanes of a group are about to have, without choices.
Group empty_group(const Parts& parts, int subjects, std::int64_t trials) {
  Group group;
  group.subjects = subjects;
  group.trials = group.shortest = trials;
  group.choice.assign(index(trials) * kLanes, 0);
  group.outcome.assign(index(trials) * kLanes, 0.0);
  group.lengths.assign(kLanes, static_cast<std::int32_t>(trials));
  if (parts.rho_gain >= 0) {
    group.gain = group.outcome;
    group.loss = group.outcome;
  }
  return group;
}

double reflected(double x, double low, double high) {
  // Far away the reflections are counted at once: one by one they would never come to an end.
  constexpr double kFar = 32.0;
  const double period = 2.0 * (high - low);
  if (std::fabs(x - low) > kFar * period) {
    x = std::fabs(std::fmod(x - low, period)) + low;
    return std::clamp(x > high ? 2.0 * high - x : x, low, high);
  }
  while (x < low || x > high) x = x < low ? 2.0 * low - x : 2.0 * high - x;
  return x;
}

// Decides what is chosen and what comes of it, in each lane.
class BanditWalker : public Walker {
 public:
  BanditWalker(const Bandit& task, const Rng& rng, std::int64_t first, Group& group, Subject* subjects)
      : task_(task), group_(group), subjects_(subjects) {
    for (int lane = 0; lane < group.subjects; ++lane) {
      draws_.emplace_back(rng.fold_in(static_cast<std::uint64_t>(first + lane)));
      chances_.push_back(task.probabilities);
    }
    const auto options = static_cast<int>(task.probabilities.size());
    if (task.blocks > 1) {
      group.starts.assign(index(group.trials), 0);
      for (std::int64_t t = task.trials; t < group.trials; t += task.trials) group.starts[index(t)] = 0xff;
    }
    if (task.offered > 0) {
      group.offered.assign(group.choice.size(), (std::int64_t{1} << options) - 1);
      for (std::int64_t t = 0; t < group.trials; ++t) {
        for (int lane = 0; lane < group.subjects; ++lane) {
          group.offered[index(t * kLanes + lane)] = draw_offer(draws_[index(lane)], options);
        }
      }
    }
  }

  void decide(const Step& step) override {
    for (int lane = step.first; lane < step.end; ++lane) decide_lane(step, lane);
  }
  void learned(const Step&, const double*) override {}

 private:
  std::int64_t draw_offer(Draws& draws, int options) const {
    std::vector<int> all(index(options));
    for (int k = 0; k < options; ++k) all[index(k)] = k;
    std::int64_t bits = 0;
    for (int i = 0; i < task_.offered; ++i) {
      const int other = i + std::min(options - i - 1, static_cast<int>(draws.uniform() * (options - i)));
      std::swap(all[index(i)], all[index(other)]);
      bits |= std::int64_t{1} << all[index(i)];
    }
    return bits;
  }

  void decide_lane(const Step& step, int lane) {
    Draws& draws = draws_[index(lane)];
    std::vector<double>& chances = chances_[index(lane)];
    const auto options = static_cast<int>(chances.size());
    const std::int64_t within = step.trial % task_.trials;
    if (within == 0) chances = task_.probabilities;
    if (within > 0 && task_.reversal > 0 && within % task_.reversal == 0) {
      std::rotate(chances.begin(), chances.begin() + 1, chances.end());
    }
    const int choice = draws.option(step.probabilities + lane, options);
    const double gain = draws.uniform() < chances[index(choice)] ? task_.reward : task_.otherwise;
    double loss = 0.0;
    const bool apart = !task_.loss_probabilities.empty();
    if (apart && draws.uniform() < task_.loss_probabilities[index(choice)]) loss = -std::fabs(task_.loss);
    if (task_.drift > 0.0) {
      for (double& p : chances) p = reflected(p + task_.drift * draws.normal(), task_.lowest, task_.highest);
    }
    const std::size_t at = index(step.trial * kLanes + lane);
    group_.choice[at] = choice;
    group_.outcome[at] = gain + loss;
    Subject& subject = subjects_[lane];
    subject.choice.push_back(choice);
    subject.outcome.push_back(gain + loss);
    if (apart) {
      subject.gain.push_back(gain);
      subject.loss.push_back(loss);
    }
    if (!group_.gain.empty()) {
      group_.gain[at] = gain;
      group_.loss[at] = loss;
    }
    if (task_.blocks > 1) subject.block.push_back(static_cast<std::int32_t>(step.trial / task_.trials));
    if (task_.offered > 0) subject.offered.push_back(static_cast<std::uint32_t>(group_.offered[at]));
  }

  const Bandit& task_;
  Group& group_;
  Subject* subjects_;
  std::vector<Draws> draws_;
  std::vector<std::vector<double>> chances_;
};

}  // namespace

Trials simulate(const Model& model, const std::vector<std::vector<double>>& parameters, const Bandit& task,
                const Rng& rng, const CancelTest& cancelled) {
  check_parameters(model.parameters);
  check_parameters_of(model, parameters);
  check_task(model, task);
  Trials trials;
  trials.options = trials.cues = model.parts.options;
  for (int k = 1; k <= trials.options; ++k) trials.option_names.push_back(std::to_string(k));
  trials.cue_names = trials.option_names;
  trials.subjects.resize(parameters.size());
  const std::int64_t count = task.trials * task.blocks;
  for_groups(model, parameters.size(), count, [&](std::size_t first, int subjects) {
    give_up_if(cancelled);
    for (int lane = 0; lane < subjects; ++lane) {
      Subject& subject = trials.subjects[first + index(lane)];
      subject.id = std::to_string(first + index(lane) + 1);
      subject.choice.reserve(index(count));
      subject.outcome.reserve(index(count));
    }
    Group group = empty_group(model.parts, subjects, count);
    BanditWalker walker(task, rng, static_cast<std::int64_t>(first), group, trials.subjects.data() + first);
    const std::vector<double> theta = lanes_of_parameters(model, parameters, first, subjects);
    walk_model(model, group, all_lanes(group), theta.data(), walker);
  });
  return trials;
}

}  // namespace likely::choice
