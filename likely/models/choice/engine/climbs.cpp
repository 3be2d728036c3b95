// Hot: every start of every subject.
#include "likely/models/choice/engine/climbs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace likely::choice {

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// The function of all lanes at once, at a point of each.
class GroupFunction {
 public:
  GroupFunction(const ClimbTarget& target, const Group& group, std::int64_t first,
                const CancelTest& cancelled)
      : target_(target),
        cancelled_(cancelled),
        model_(*target.model),
        group_(group),
        first_(static_cast<std::size_t>(first)),
        n_(model_.parameters.size()),
        numbers_(model_.size()),
        points_(kLanes * n_),
        values_(kLanes),
        gradients_(kLanes * n_),
        hessians_(kLanes * n_ * n_) {}

  std::span<double> point(int lane) { return {points_.data() + index(lane) * n_, n_}; }
  double value(int lane) const { return values_[index(lane)]; }
  double log_likelihood(int lane) const { return numbers_.log_likelihood[index(lane)]; }
  std::span<const double> gradient(int lane) const { return {gradients_.data() + index(lane) * n_, n_}; }
  std::span<const double> hessian(int lane) const {
    return {hessians_.data() + index(lane) * n_ * n_, n_ * n_};
  }

  double prior_mean(int lane, std::size_t i) const {
    const std::vector<double>& mean = target_.prior->mean;
    return mean.size() == n_ ? mean[i] : mean[(first_ + index(lane)) * n_ + i];
  }

  // Nearly all of a search is done here, so that this is where it ends when it is cancelled.
  void evaluate(int order) {
    give_up_if(cancelled_);
    for (int lane = 0; lane < kLanes; ++lane) {
      const double* at = points_.data() + index(lane < group_.subjects ? lane : 0) * n_;
      for (std::size_t i = 0; i < n_; ++i) {
        numbers_.theta[i * kLanes + index(lane)] =
            target_.is_posterior ? model_.parameters[i].natural(at[i]) : at[i];
      }
    }
    evaluate_model(model_, group_, all_lanes(group_), numbers_.theta.data(), order, numbers_.result());
    for (int lane = 0; lane < group_.subjects; ++lane) {
      const double* u = target_.is_posterior ? point(lane).data() : nullptr;
      values_[index(lane)] = numbers_.log_likelihood[index(lane)];
      if (order > 0) {
        take_lane(model_, numbers_, lane, u, gradients_.data() + index(lane) * n_,
                  order > 1 ? hessians_.data() + index(lane) * n_ * n_ : nullptr);
      }
      if (target_.is_posterior) add_prior(lane, order);
    }
  }

 private:
  void add_prior(int lane, int order) {
    const std::span<const double> u = point(lane);
    double quadratic = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      double row = 0.0;
      for (std::size_t j = 0; j < n_; ++j) {
        const double weight = target_.prior->precision[i * n_ + j];
        row += weight * (u[j] - prior_mean(lane, j));
        if (order > 1) hessians_[(index(lane) * n_ + i) * n_ + j] -= weight;
      }
      quadratic += row * (u[i] - prior_mean(lane, i));
      if (order > 0) gradients_[index(lane) * n_ + i] -= row;
    }
    values_[index(lane)] += target_.log_normalizer - 0.5 * quadratic;
  }

  const ClimbTarget& target_;
  const CancelTest& cancelled_;
  const Model& model_;
  const Group& group_;
  std::size_t first_;
  std::size_t n_;
  GroupNumbers numbers_;
  std::vector<double> points_, values_, gradients_, hessians_;
};

class GroupClimb {
 public:
  GroupClimb(const ClimbTarget& target, const Group& group, std::int64_t first, const FitOptions& options)
      : target_(target),
        group_(group),
        first_(static_cast<std::size_t>(first)),
        options_(options),
        n_(target.model->parameters.size()),
        function_(target, group, first, options.cancelled),
        summits_(index(group.subjects)),
        going_(index(group.subjects), true) {}

  std::vector<Summit> run() {
    if (n_ == 0) {
      function_.evaluate(0);
      for (int lane = 0; lane < group_.subjects; ++lane) {
        Summit& summit = summits_[index(lane)];
        summit.value = function_.value(lane);
        summit.log_likelihood = function_.log_likelihood(lane);
        summit.converged = true;
        summit.climbs = summit.agreeing = 1;
      }
      return std::move(summits_);
    }
    for (Summit& summit : summits_) summit.value = kNone;
    if (target_.start->empty()) {
      climb_from_candidates();
    } else {
      climb([&](int lane) {
        return std::span<const double>(target_.start->data() + (first_ + index(lane)) * n_, n_);
      });
    }
    if (options_.curving == Curving::forward_differences) take_differences();
    return std::move(summits_);
  }

 private:
  void climb_from_candidates() {
    const std::vector<std::vector<int>> order = rank_candidates();
    for (int start = 0; start < options_.starts; ++start) {
      for (int lane = 0; lane < group_.subjects; ++lane)
        going_[index(lane)] = !is_sure(summits_[index(lane)]);
      climb([&](int lane) { return candidate(lane, order[index(lane)][index(start)]); });
    }
  }

  // Replaces the summits' Hessians by forward differences.
  void take_differences() {
    const auto n = static_cast<int>(n_);
    const double unit = std::pow(std::numeric_limits<double>::epsilon(), 0.25);
    const auto step = [&](int lane, int i) {
      const double x = summits_[index(lane)].point[index(i)];
      return std::copysign(unit * std::max(1.0, std::fabs(x)), x);
    };
    // With steps in i and in j; -1: no step.
    const auto values = [&](int i, int j) {
      for (int lane = 0; lane < group_.subjects; ++lane) {
        if (summits_[index(lane)].point.empty()) continue;
        const std::span<double> at = function_.point(lane);
        std::copy(summits_[index(lane)].point.begin(), summits_[index(lane)].point.end(), at.begin());
        for (const int k : {i, j}) {
          if (k >= 0) at[index(k)] += step(lane, k);
        }
      }
      function_.evaluate(0);
      std::vector<double> result;
      for (int lane = 0; lane < group_.subjects; ++lane) result.push_back(function_.value(lane));
      return result;
    };
    const std::vector<double> here = values(-1, -1);
    std::vector<std::vector<double>> single;
    for (int i = 0; i < n; ++i) single.push_back(values(i, -1));
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i <= j; ++i) {
        const std::vector<double> both = values(i, j);
        for (int lane = 0; lane < group_.subjects; ++lane) {
          Summit& summit = summits_[index(lane)];
          if (summit.point.empty()) continue;
          const double difference = both[index(lane)] - single[index(i)][index(lane)] -
                                    single[index(j)][index(lane)] + here[index(lane)];
          summit.hessian[index(i) * n_ + index(j)] = summit.hessian[index(j) * n_ + index(i)] =
              difference / (step(lane, i) * step(lane, j));
        }
      }
    }
  }

  // Whether further climbs are not worth while: half of quite a few ended on the same summit.
  bool is_sure(const Summit& summit) const {
    const int least = n_ <= 2 ? 5 : 24;
    return summit.climbs >= least && 2 * summit.agreeing >= summit.climbs;
  }

  int candidates() const { return static_cast<int>(target_.candidates.size() / n_); }

  // Under a prior they lie around its mean.
  std::span<const double> candidate(int lane, int which) {
    scratch_.assign(target_.candidates.begin() + static_cast<std::ptrdiff_t>(index(which) * n_),
                    target_.candidates.begin() + static_cast<std::ptrdiff_t>((index(which) + 1) * n_));
    if (target_.is_posterior) {
      for (std::size_t i = 0; i < n_; ++i) scratch_[i] += function_.prior_mean(lane, i);
    }
    return scratch_;
  }

  // Of each lane, best first.
  std::vector<std::vector<int>> rank_candidates() {
    const auto count = index(candidates());
    std::vector<double> values(count * kLanes, kNone);
    for (int c = 0; c < candidates(); ++c) {
      for (int lane = 0; lane < group_.subjects; ++lane) {
        const std::span<const double> from = candidate(lane, c);
        std::copy(from.begin(), from.end(), function_.point(lane).begin());
      }
      function_.evaluate(0);
      for (int lane = 0; lane < group_.subjects; ++lane) {
        const double value = function_.value(lane);
        values[index(lane) * count + index(c)] = std::isnan(value) ? kNone : value;
      }
    }
    std::vector<std::vector<int>> order;
    for (int lane = 0; lane < group_.subjects; ++lane) {
      std::vector<int> ranks(count);
      std::iota(ranks.begin(), ranks.end(), 0);
      const double* of = values.data() + index(lane) * count;
      std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) { return of[a] > of[b]; });
      order.push_back(spread_out(ranks));
    }
    return order;
  }

  // The first ones that lie apart from each other: candidates side by side lead to the same summit.
  std::vector<int> spread_out(const std::vector<int>& ranks) const {
    std::vector<int> chosen;
    for (double least = 0.3; chosen.size() < index(options_.starts);
         least = least < 0.01 ? 0.0 : 0.5 * least) {
      for (const int candidate : ranks) {
        if (chosen.size() == index(options_.starts)) break;
        give_up_if(options_.cancelled);  // of thousands of starts, each is compared with all before it
        const auto close = [&](int other) {
          double distance = 0.0;
          for (std::size_t i = 0; i < n_; ++i) {
            distance = std::max(distance, std::fabs(target_.places[index(candidate) * n_ + i] -
                                                    target_.places[index(other) * n_ + i]));
          }
          return candidate == other || distance < least;
        };
        if (std::none_of(chosen.begin(), chosen.end(), close)) chosen.push_back(candidate);
      }
    }
    return chosen;
  }

  // All lanes from a point of each, until the last has arrived.
  template <class From>
  void climb(const From& from) {
    std::vector<Ascent> climbers;
    for (int lane = 0; lane < group_.subjects; ++lane) {
      climbers.emplace_back(target_.bounds, options_.iterations);
      if (going_[index(lane)]) climbers.back().start(from(lane));
    }
    const auto is_climbing = [](const Ascent& climber) { return !climber.done(); };
    std::vector<double> likelihoods(index(group_.subjects), kNone);
    while (std::any_of(climbers.begin(), climbers.end(), is_climbing)) {
      for (int lane = 0; lane < group_.subjects; ++lane) {
        const Ascent& climber = climbers[index(lane)];
        if (climber.done()) continue;  // its last point does no harm
        std::copy(climber.wanted().begin(), climber.wanted().end(), function_.point(lane).begin());
      }
      function_.evaluate(2);
      for (int lane = 0; lane < group_.subjects; ++lane) {
        Ascent& climber = climbers[index(lane)];
        if (climber.done()) continue;
        climber.take(function_.value(lane), function_.gradient(lane), function_.hessian(lane));
        if (climber.value() == function_.value(lane))
          likelihoods[index(lane)] = function_.log_likelihood(lane);
      }
    }
    for (int lane = 0; lane < group_.subjects; ++lane) {
      if (going_[index(lane)]) keep(climbers[index(lane)], likelihoods[index(lane)], summits_[index(lane)]);
    }
  }

  void keep(const Ascent& climber, double log_likelihood, Summit& best) const {
    constexpr double kSame = 1e-6;
    best.iterations += climber.iterations();
    ++best.climbs;
    if (!std::isfinite(climber.value())) return;
    const bool higher = climber.value() > best.value;
    best.agreeing =
        climber.value() > best.value + kSame ? 1 : best.agreeing + (climber.value() > best.value - kSame);
    if (!higher) return;
    best.point = climber.point();
    best.gradient = climber.gradient();
    best.hessian = climber.hessian();
    best.value = climber.value();
    best.log_likelihood = log_likelihood;
    best.converged = climber.converged();
    best.held.clear();
    for (int i = 0; i < static_cast<int>(n_); ++i) best.held.push_back(climber.is_held(i) ? 1 : 0);
  }

  const ClimbTarget& target_;
  const Group& group_;
  std::size_t first_;
  const FitOptions& options_;
  std::size_t n_;
  GroupFunction function_;
  std::vector<Summit> summits_;
  std::vector<bool> going_;  // which subjects climb
  std::vector<double> scratch_;
};

}  // namespace

std::vector<Summit> climb_group(const ClimbTarget& target, const Group& group, std::int64_t first,
                                const FitOptions& options) {
  return GroupClimb(target, group, first, options).run();
}

}  // namespace likely::choice
