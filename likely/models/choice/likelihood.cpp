// Hot: every look at the trials.
#include "likely/models/choice/likelihood.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/models/choice/engine/evaluate.hpp"
#include "likely/models/choice/engine/likelihood_state.hpp"

namespace likely::choice {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

void check_size(const char* what, std::size_t got, std::int64_t wanted) {
  if (got != static_cast<std::size_t>(wanted)) {
    refuse("choice::Likelihood", fmt::format("{} has {} numbers, {} are needed", what, got, wanted));
  }
}

// The natural parameters of a lane from `at`; false, with numbers that do no harm, where they have no
// meaning.
bool set_lane(const Model& model, const double* at, Scale scale, int lane, GroupNumbers& numbers) {
  bool good = true;
  for (int i = 0; i < model.size(); ++i) {
    const Parameter& p = model.parameters[static_cast<std::size_t>(i)];
    const double x = scale == Scale::natural ? at[i] : p.natural(at[i]);
    good = good && std::isfinite(x) && x >= p.lower && x <= p.upper;
    numbers.theta[static_cast<std::size_t>(i) * kLanes + static_cast<std::size_t>(lane)] = x;
  }
  if (good) return true;
  for (int i = 0; i < model.size(); ++i) {
    const Parameter& p = model.parameters[static_cast<std::size_t>(i)];
    numbers.theta[static_cast<std::size_t>(i) * kLanes + static_cast<std::size_t>(lane)] =
        0.5 * (p.box_lower + p.box_upper);
  }
  return false;
}

// Lanes outside the range take the numbers of its first.
void fill_rest(const Model& model, const LaneRange& range, GroupNumbers& numbers) {
  for (int i = 0; i < model.size(); ++i) {
    double* row = numbers.theta.data() + static_cast<std::ptrdiff_t>(i) * kLanes;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (lane < range.first || lane >= range.end) row[lane] = row[range.first];
    }
  }
}

struct Wanted {
  const double* at;
  double* log_likelihood;
  double* gradient;  // or null
  double* hessian;   // or null
  Scale scale;
  int order() const { return hessian != nullptr ? 2 : gradient != nullptr ? 1 : 0; }
};

// The subjects of these lanes, one after the other in the arrays.
void evaluate_packed(const Model& model, const Group& group, const LaneRange& range, const Wanted& wanted) {
  const auto n = static_cast<std::size_t>(model.size());
  GroupNumbers numbers(model.size());
  std::array<bool, kLanes> good{};
  for (int lane = range.first; lane < range.end; ++lane) {
    const auto place = static_cast<std::size_t>(lane - range.first);
    good[place] = set_lane(model, wanted.at + place * n, wanted.scale, lane, numbers);
  }
  fill_rest(model, range, numbers);
  evaluate_model(model, group, range, numbers.theta.data(), wanted.order(), numbers.result());
  for (int lane = range.first; lane < range.end; ++lane) {
    const auto place = static_cast<std::size_t>(lane - range.first);
    wanted.log_likelihood[place] =
        good[place] ? numbers.log_likelihood[static_cast<std::size_t>(lane)] : kNaN;
    double* gradient = wanted.gradient == nullptr ? nullptr : wanted.gradient + place * n;
    double* hessian = wanted.hessian == nullptr ? nullptr : wanted.hessian + place * n * n;
    if (good[place]) {
      const double* u = wanted.scale == Scale::natural ? nullptr : wanted.at + place * n;
      take_lane(model, numbers, lane, u, gradient, hessian);
    } else {
      if (gradient != nullptr) std::fill(gradient, gradient + n, kNaN);
      if (hessian != nullptr) std::fill(hessian, hessian + n * n, kNaN);
    }
  }
}

double* data_or_null(std::span<double> numbers) { return numbers.empty() ? nullptr : numbers.data(); }

// Collects ln p of what was chosen in one lane.
class Scores : public Walker {
 public:
  Scores(const Group& group, int lane) : group_(group), lane_(lane) {}
  void decide(const Step& step) override {
    const std::int32_t choice = group_.choice[static_cast<std::size_t>(step.trial * kLanes + lane_)];
    scores.push_back(std::log(step.probabilities[choice * kLanes + lane_]));
  }
  void learned(const Step&, const double*) override {}

  std::vector<double> scores;

 private:
  const Group& group_;
  int lane_;
};

}  // namespace

Likelihood::Likelihood(const Model& model, const Trials& trials) : state_(std::make_unique<State>()) {
  check_parameters(model.parameters);
  check_fit(model, trials);
  state_->model = model;
  const auto count = static_cast<std::int64_t>(trials.subjects.size());
  state_->subjects = count;
  for (const Subject& subject : trials.subjects) state_->ids.push_back(subject.id);
  state_->groups.resize(static_cast<std::size_t>((count + kLanes - 1) / kLanes));
  const double work = 5.0 * static_cast<double>(trials.size());
  parallel_tiles(static_cast<std::int64_t>(state_->groups.size()), work, [&](std::int64_t g) {
    std::vector<const Subject*> members;
    for (std::int64_t s = g * kLanes; s < std::min(count, (g + 1) * kLanes); ++s) {
      members.push_back(&trials.subjects[static_cast<std::size_t>(s)]);
    }
    state_->groups[static_cast<std::size_t>(g)] = pack_group(model.parts, members);
  });
}

Likelihood::~Likelihood() = default;
Likelihood::Likelihood(Likelihood&&) noexcept = default;
Likelihood& Likelihood::operator=(Likelihood&&) noexcept = default;

const Model& Likelihood::model() const { return state_->model; }
std::int64_t Likelihood::subjects() const { return state_->subjects; }
const std::string& Likelihood::id(std::int64_t subject) const {
  state_->group_of(subject);
  return state_->ids[static_cast<std::size_t>(subject)];
}
int Likelihood::parameters() const { return state_->model.size(); }

const Group& Likelihood::State::group_of(std::int64_t subject) const {
  if (subject < 0 || subject >= subjects) {
    refuse("choice::Likelihood", fmt::format("there is no subject {}: there are {}", subject, subjects));
  }
  return groups[static_cast<std::size_t>(subject / kLanes)];
}

LaneRange Likelihood::State::range_of(std::int64_t subject) const {
  const int lane = static_cast<int>(subject % kLanes);
  return {lane, lane + 1, group_of(subject).lengths[static_cast<std::size_t>(lane)]};
}

std::int64_t Likelihood::trials(std::int64_t subject) const { return state_->range_of(subject).trials; }

double Likelihood::chance(std::int64_t subject) const {
  const Group& group = state_->group_of(subject);
  const LaneRange range = state_->range_of(subject);
  double total = 0.0;
  for (std::int64_t t = 0; t < range.trials; ++t) {
    int offered = state_->model.parts.options;
    if (!group.offered.empty()) {
      const auto at = static_cast<std::size_t>(t * kLanes + range.first);
      offered = std::popcount(static_cast<std::uint64_t>(group.offered[at]));
    }
    total -= std::log(static_cast<double>(offered));
  }
  return total;
}

void Likelihood::evaluate(std::span<const double> at, std::span<double> log_likelihood,
                          std::span<double> gradient, std::span<double> hessian, Scale scale) const {
  const std::int64_t s = state_->subjects;
  const std::int64_t n = state_->model.size();
  check_size("at", at.size(), s * n);
  check_size("log_likelihood", log_likelihood.size(), s);
  if (!gradient.empty()) check_size("gradient", gradient.size(), s * n);
  if (!hessian.empty()) check_size("hessian", hessian.size(), s * n * n);
  if (!hessian.empty() && gradient.empty()) refuse("choice::Likelihood", "a Hessian needs a gradient");
  const int order = !hessian.empty() ? 2 : !gradient.empty() ? 1 : 0;
  double work = 0.0;
  for (const Group& group : state_->groups) work += nanoseconds_of(state_->model, group, order);
  parallel_tiles(static_cast<std::int64_t>(state_->groups.size()), work, [&](std::int64_t g) {
    const Group& group = state_->groups[static_cast<std::size_t>(g)];
    const std::int64_t first = g * kLanes;
    evaluate_packed(state_->model, group, all_lanes(group),
                    {at.data() + first * n, log_likelihood.data() + first,
                     gradient.empty() ? nullptr : gradient.data() + first * n,
                     hessian.empty() ? nullptr : hessian.data() + first * n * n, scale});
  });
}

double Likelihood::evaluate_subject(std::int64_t subject, std::span<const double> at,
                                    std::span<double> gradient, std::span<double> hessian,
                                    Scale scale) const {
  const std::int64_t n = state_->model.size();
  check_size("at", at.size(), n);
  if (!gradient.empty()) check_size("gradient", gradient.size(), n);
  if (!hessian.empty()) check_size("hessian", hessian.size(), n * n);
  double value = 0.0;
  evaluate_packed(state_->model, state_->group_of(subject), state_->range_of(subject),
                  {at.data(), &value, data_or_null(gradient), data_or_null(hessian), scale});
  return value;
}

std::vector<double> Likelihood::pointwise(std::int64_t subject, std::span<const double> at,
                                          Scale scale) const {
  check_size("at", at.size(), state_->model.size());
  const Group& group = state_->group_of(subject);
  const LaneRange range = state_->range_of(subject);
  GroupNumbers numbers(state_->model.size());
  if (!set_lane(state_->model, at.data(), scale, range.first, numbers)) {
    return std::vector<double>(static_cast<std::size_t>(range.trials), kNaN);
  }
  fill_rest(state_->model, range, numbers);
  Scores scores(group, range.first);
  walk_model(state_->model, group, range, numbers.theta.data(), scores);
  return std::move(scores.scores);
}

}  // namespace likely::choice
