#include "likely/optim/line_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "likely/optim/check_options.hpp"

namespace likely::optim {

namespace {

// One point of the line, with the slope along it.
struct Trial {
  double step = 0.0;
  double value = 0.0;
  double slope = 0.0;
  std::vector<double> point;
  Evaluation at;
};

class Line {
 public:
  Line(const char* name, const LossFunction& f, const std::vector<double>& x, const Evaluation& at_x,
       const std::vector<double>& direction)
      : f_(f), x_(x), direction_(direction) {
    start_ = {0.0, at_x.value, detail::dot(at_x.gradient, direction), x, at_x};
    if (!(start_.slope < 0.0)) {
      refuse(name, fmt::format("the direction does not lead downhill: slope {}", start_.slope));
    }
    best_ = start_;
  }

  const Trial& start() const { return start_; }
  int evaluations() const { return evaluations_; }

  Trial at(double step) {
    ++evaluations_;
    Trial trial;
    trial.step = step;
    trial.point = detail::plus(x_, step, direction_);
    trial.at = f_(trial.point);
    trial.value = std::isfinite(trial.at.value) ? trial.at.value : std::numeric_limits<double>::infinity();
    trial.slope = detail::dot(trial.at.gradient, direction_);
    if (trial.value < best_.value) best_ = trial;
    return trial;
  }

  // Whether the values of start and trial differ by no more than rounding, as was to be expected from the
  // slope: then only slopes tell where the minimum is (Hager and Zhang, 2005).
  bool is_flat(const Trial& trial) const {
    const double noise = 8.0 * start_.at.rounding * std::abs(start_.value);
    return std::abs(trial.value - start_.value) <= noise &&
           std::abs(trial.step * start_.slope) <= 4.0 * noise;
  }

  bool decreases_enough(const Trial& trial, double sufficient) const {
    return trial.value <= start_.value + sufficient * trial.step * start_.slope;
  }

  LineSearch found(Trial trial) const {
    return {true, trial.step, std::move(trial.point), std::move(trial.at), evaluations_};
  }
  LineSearch not_found() const { return {false, best_.step, best_.point, best_.at, evaluations_}; }

 private:
  const LossFunction& f_;
  const std::vector<double>& x_;
  const std::vector<double>& direction_;
  Trial start_;
  Trial best_;
  int evaluations_ = 0;
};

// Where the slope between two flat points vanishes.
double between_slopes(const Trial& a, const Trial& b) {
  const double middle = 0.5 * (a.step + b.step);
  if (!(a.slope * b.slope < 0.0)) return middle;
  const double step = a.step - a.slope * (b.step - a.step) / (b.slope - a.slope);
  const double margin = 0.1 * std::abs(b.step - a.step);
  return std::clamp(step, std::min(a.step, b.step) + margin, std::max(a.step, b.step) - margin);
}

// The minimum of the cubic through two points and their slopes, kept away from both ends; their middle where
// there is none.
double between(const Trial& a, const Trial& b) {
  const double width = b.step - a.step;
  const double middle = a.step + 0.5 * width;
  const double d1 = a.slope + b.slope - 3.0 * (a.value - b.value) / (a.step - b.step);
  const double square = d1 * d1 - a.slope * b.slope;
  if (!std::isfinite(square) || square < 0.0) return middle;
  const double d2 = std::copysign(std::sqrt(square), width);
  const double step = b.step - width * (b.slope + d2 - d1) / (b.slope - a.slope + 2.0 * d2);
  const double low = std::min(a.step, b.step) + 0.1 * std::abs(width);
  const double high = std::max(a.step, b.step) - 0.1 * std::abs(width);
  return std::isfinite(step) ? std::clamp(step, low, high) : middle;
}

// Narrows an interval that holds a good step: `low` decreases enough and has the smaller value, and its slope
// points to `high`.
LineSearch zoom(Line& line, Trial low, Trial high, const WolfeOptions& o) {
  constexpr int kMostFlatTrials = 5;
  int flat_trials = 0;
  while (line.evaluations() < o.max_evaluations) {
    const bool only_slopes = line.is_flat(low) && line.is_flat(high);
    Trial trial = line.at(only_slopes ? between_slopes(low, high) : between(low, high));
    const bool flat = line.is_flat(trial);
    if (flat && ++flat_trials > kMostFlatTrials) break;  // the slopes have no more digits either
    if (!flat && (!line.decreases_enough(trial, o.sufficient_decrease) || trial.value >= low.value)) {
      high = std::move(trial);
      continue;
    }
    if (std::abs(trial.slope) <= -o.curvature * line.start().slope) return line.found(std::move(trial));
    if (trial.slope * (high.step - low.step) >= 0.0) high = std::move(low);
    low = std::move(trial);
  }
  return line.not_found();
}

void check_evaluations(const char* name, int most) {
  if (most < 1) refuse(name, fmt::format("max_evaluations must be >= 1, got {}", most));
}

}  // namespace

LineSearch backtracking(const LossFunction& f, const std::vector<double>& x, const Evaluation& at_x,
                        const std::vector<double>& direction, const BacktrackingOptions& o) {
  constexpr const char* kName = "backtracking";
  detail::check_above_0(kName, "first_step", o.first_step);
  detail::check_above_0(kName, "shrink", o.shrink);
  detail::check_below_1(kName, "shrink", o.shrink);
  detail::check_above_0(kName, "sufficient_decrease", o.sufficient_decrease);
  detail::check_below_1(kName, "sufficient_decrease", o.sufficient_decrease);
  check_evaluations(kName, o.max_evaluations);
  Line line(kName, f, x, at_x, direction);
  double step = o.first_step;
  while (line.evaluations() < o.max_evaluations) {
    Trial trial = line.at(step);
    if (line.decreases_enough(trial, o.sufficient_decrease)) return line.found(std::move(trial));
    step *= o.shrink;
  }
  return line.not_found();
}

LineSearch strong_wolfe(const LossFunction& f, const std::vector<double>& x, const Evaluation& at_x,
                        const std::vector<double>& direction, const WolfeOptions& o) {
  constexpr const char* kName = "strong_wolfe";
  detail::check_above_0(kName, "first_step", o.first_step);
  if (!(o.sufficient_decrease > 0.0 && o.sufficient_decrease < o.curvature && o.curvature < 1.0)) {
    refuse(kName, fmt::format("needs 0 < sufficient_decrease < curvature < 1, got {} and {}",
                              o.sufficient_decrease, o.curvature));
  }
  check_evaluations(kName, o.max_evaluations);
  Line line(kName, f, x, at_x, direction);
  Trial before = line.start();
  double step = o.first_step;
  while (line.evaluations() < o.max_evaluations) {
    Trial trial = line.at(step);
    if (!line.is_flat(trial) && (!line.decreases_enough(trial, o.sufficient_decrease) ||
                                 (line.evaluations() > 1 && trial.value >= before.value))) {
      return zoom(line, std::move(before), std::move(trial), o);
    }
    if (std::abs(trial.slope) <= -o.curvature * line.start().slope) return line.found(std::move(trial));
    if (trial.slope >= 0.0) return zoom(line, std::move(trial), std::move(before), o);
    before = std::move(trial);
    step *= 2.0;
  }
  return line.not_found();
}

}  // namespace likely::optim
