// Hot: every trial of every subject.
// Models of the user's own along the trials, a subject after the other.
#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/models/choice/custom.hpp"
#include "likely/models/choice/engine/evaluate.hpp"

namespace likely::choice {

namespace {

std::vector<Number> parameters_of(const Model& model, const double* theta, int lane, int order) {
  std::vector<Number> numbers;
  for (int i = 0; i < model.size(); ++i) {
    numbers.push_back(Number::parameter(theta[i * kLanes + lane], i, model.size(), order));
  }
  return numbers;
}

CustomTrial trial_of(const Group& group, int options, std::int64_t t, int lane) {
  const auto at = static_cast<std::size_t>(t * kLanes + lane);
  const std::uint32_t all = (std::uint32_t{1} << options) - 1;
  return {t, group.choice[at], group.outcome[at],
          group.offered.empty() ? all : static_cast<std::uint32_t>(group.offered[at])};
}

bool starts(const Group& group, std::int64_t t, int lane) {
  return t == 0 || (!group.starts.empty() && ((group.starts[static_cast<std::size_t>(t)] >> lane) & 1) != 0);
}

class CustomSubject {
 public:
  CustomSubject(const Model& model, const double* theta, int lane, int order)
      : model_(*model.custom),
        theta_(parameters_of(model, theta, lane, order)),
        state_(static_cast<std::size_t>(std::max(0, model_.state_size(model.parts.options)))),
        preferences_(static_cast<std::size_t>(model.parts.options)) {}

  void start() {
    std::fill(state_.begin(), state_.end(), Number());
    model_.start(theta_, state_);
  }
  // ln of the sum of e^preference over the options offered; the preferences stay in preference().
  Number expect(std::uint32_t offered) {
    std::fill(preferences_.begin(), preferences_.end(), Number());
    model_.prefer(theta_, state_, preferences_);
    double top = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < preferences_.size(); ++k) {
      if (((offered >> k) & 1U) != 0) top = std::max(top, preferences_[k].value());
    }
    Number sum;
    for (std::size_t k = 0; k < preferences_.size(); ++k) {
      if (((offered >> k) & 1U) != 0) sum += exp(preferences_[k] - top);
    }
    return log(sum) + top;
  }
  const Number& preference(int option) const { return preferences_[static_cast<std::size_t>(option)]; }
  void learn(const CustomTrial& trial) { model_.learn(theta_, trial, state_); }
  const std::vector<Number>& state() const { return state_; }

 private:
  const CustomModel& model_;
  std::vector<Number> theta_;
  std::vector<Number> state_;
  std::vector<Number> preferences_;
};

}  // namespace

void evaluate_custom(const Model& model, const Group& group, const LaneRange& range, const double* theta,
                     int order, const GroupResult& result) {
  const int n = model.size();
  for (int lane = range.first; lane < range.end; ++lane) {
    CustomSubject subject(model, theta, lane, order);
    Number total;
    for (std::int64_t t = 0;
         t < std::min<std::int64_t>(range.trials, group.lengths[static_cast<std::size_t>(lane)]); ++t) {
      if (starts(group, t, lane)) subject.start();
      const CustomTrial trial = trial_of(group, model.parts.options, t, lane);
      const Number log_sum = subject.expect(trial.offered);
      total += subject.preference(trial.choice) - log_sum;
      subject.learn(trial);
    }
    result.log_likelihood[lane] = total.value();
    for (int j = 0; j < n && order >= 1; ++j) {
      result.gradient[j * kLanes + lane] = total.first(j);
      for (int i = 0; i <= j && order >= 2; ++i) {
        result.hessian[(j * (j + 1) / 2 + i) * kLanes + lane] = total.second(i, j);
      }
    }
  }
}

void walk_custom(const Model& model, const Group& group, const LaneRange& range, const double* theta,
                 Walker& walker) {
  const int options = model.parts.options;
  std::vector<CustomSubject> subjects;
  for (int lane = 0; lane < range.end; ++lane) subjects.emplace_back(model, theta, lane, 0);
  std::vector<double> values(static_cast<std::size_t>(options) * kLanes);
  std::vector<double> probabilities(values.size());
  // Only the model knows what it calls an error.
  const std::vector<double> errors(kLanes, std::numeric_limits<double>::quiet_NaN());
  for (std::int64_t t = 0; t < range.trials; ++t) {
    for (int lane = range.first; lane < range.end; ++lane) {
      CustomSubject& subject = subjects[static_cast<std::size_t>(lane)];
      if (starts(group, t, lane)) subject.start();
      const CustomTrial trial = trial_of(group, options, t, lane);
      const double log_sum = subject.expect(trial.offered).value();
      for (int k = 0; k < options; ++k) {
        const std::size_t at = static_cast<std::size_t>(k) * kLanes + static_cast<std::size_t>(lane);
        const bool offered = ((trial.offered >> k) & 1U) != 0;
        probabilities[at] = offered ? std::exp(subject.preference(k).value() - log_sum) : 0.0;
        const auto place = static_cast<std::size_t>(k);
        values[at] = place < subject.state().size() ? subject.state()[place].value() : 0.0;
      }
    }
    const Step step{t, range.first, range.end, values.data(), probabilities.data()};
    walker.decide(step);
    for (int lane = range.first; lane < range.end; ++lane) {
      if (group.choice[static_cast<std::size_t>(t * kLanes + lane)] < 0) continue;
      subjects[static_cast<std::size_t>(lane)].learn(trial_of(group, options, t, lane));
    }
    walker.learned(step, errors.data());
  }
}

}  // namespace likely::choice
