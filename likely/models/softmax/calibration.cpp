// Hot: each step of Newton's method passes over all logits.
#include "likely/models/softmax/calibration.hpp"
#include "likely/models/softmax/score_columns.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/core/error.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "likely/optim/lbfgs.hpp"

namespace likely::confidence {

namespace {

// The loss as a function of the inverse temperature a: mean_i [log sum_k e^(a z_k) - a z_y].
struct Loss {
  double value = 0.0;
  double slope = 0.0;      // by log a: mean of E a z - a z_y
  double curvature = 0.0;  // times a^2: mean of Var a z
};

class TemperatureLoss {
 public:
  TemperatureLoss(const Tensor& logits, const Tensor& labels)
      : classes_(static_cast<std::size_t>(logits.dim(1))), z_(logits.to(DType::f64).to_vector<double>()) {
    // Shifted so that each row's largest is 0.
    std::size_t row = 0;
    for (const auto label : labels.to_vector<std::int64_t>()) {
      double* z = z_.data() + row * classes_;
      const double most = *std::max_element(z, z + classes_);
      for (std::size_t k = 0; k < classes_; ++k)
        z[k] = std::max(z[k] - most, std::numeric_limits<double>::lowest());
      true_.push_back(z[static_cast<std::size_t>(label)]);
      const double least = *std::min_element(z, z + classes_);
      largest_difference_ = std::max(largest_difference_, -least);
      ties_ += std::log(static_cast<double>(std::count(z, z + classes_, 0.0)));
      if (true_.back() < 0.0) ++wrong_;
      ++row;
    }
    ties_ /= static_cast<double>(row);
  }

  // All by a z, not by z: no square of a logit overflows, and what has the probability 0 counts nothing.
  Loss operator()(double a) const {
    Loss loss;
    for (std::size_t i = 0; i < true_.size(); ++i) {
      const double* z = z_.data() + i * classes_;
      double sum = 0.0, first = 0.0;
      for (std::size_t k = 0; k < classes_; ++k) {
        const double e = std::exp(a * z[k]);
        if (e == 0.0) continue;
        sum += e;
        first += e * (a * z[k]);
      }
      const double center = first / sum;
      double second = 0.0;
      for (std::size_t k = 0; k < classes_; ++k) {
        const double e = std::exp(a * z[k]);
        if (e != 0.0) second += e * (a * z[k] - center) * (a * z[k] - center);
      }
      loss.value += std::log(sum) - a * true_[i];
      loss.slope += center - a * true_[i];
      loss.curvature += second / sum;
    }
    const auto n = static_cast<double>(true_.size());
    return {loss.value / n, loss.slope / n, loss.curvature / n};
  }

  // Whether the loss does not fall from a = 0 on: the mean of E z - z_y there, in parts of a power
  // of two about the largest difference.
  bool is_least_at_infinity() const {
    const double unit = std::exp2(std::ilogb(largest_difference_));
    double slope = 0.0;
    for (std::size_t i = 0; i < true_.size(); ++i) {
      double center = 0.0;
      for (std::size_t k = 0; k < classes_; ++k) center += z_[i * classes_ + k] / unit;
      slope += center / static_cast<double>(classes_) - true_[i] / unit;
    }
    return slope >= 0.0;
  }

  double rows() const { return static_cast<double>(true_.size()); }
  double largest_difference() const { return largest_difference_; }
  std::int64_t wrong() const { return wrong_; }  // rows whose true class has not the largest logit
  double at_zero_temperature() const { return ties_; }

 private:
  std::size_t classes_;
  std::vector<double> z_, true_;
  double largest_difference_ = 0.0;
  double ties_ = 0.0;
  std::int64_t wrong_ = 0;
};

struct Root {
  double a;
  int iterations;
  bool converged = true;
};

// The a > 0 at which a function that falls or rises with a is 0: value and derivative by log a. Newton steps,
// kept between bounds.
template <class Function>
Root root_of(double start, bool rises, const Function& f) {
  constexpr int kMost = 200;
  constexpr int kNewton = 12;
  constexpr double kEnough = 1e-12;
  constexpr double kFarthest = 700.0;  // e^700 is a number still
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  double v = std::clamp(std::log(start), -kFarthest, kFarthest), limit = 3.0;
  for (int i = 1; i <= kMost; ++i) {
    const auto [value, derivative] = f(std::exp(v));
    const bool beyond = (value > 0.0) == rises;
    if (value == 0.0) return {std::exp(v), i};
    (beyond ? high : low) = v;
    if (high - low <= kEnough) return {std::exp(v), i};
    double next = v - value / derivative;
    if (std::abs(next - v) <= kEnough) return {std::exp(next), i};
    // Newton's steps creep where a row's slope has nearly died away: every other one is passed over then.
    const bool creeps = i > kNewton && i % 2 == 0;
    // Without a bound on the other side a step is limited, to twice as much each time; with both it stays
    // between them.
    if (std::isinf(beyond ? low : high)) {
      if (creeps || !std::isfinite(next) || std::abs(next - v) > limit) {
        next = v + (beyond ? -limit : limit);
        limit *= 2.0;
      }
      next = std::clamp(next, -kFarthest, kFarthest);
    } else if (creeps || !(next > low && next < high)) {
      next = 0.5 * (low + high);
    }
    v = next;
  }
  return {std::exp(v), kMost, false};
}

std::string not_converged(const Root& root) {
  return fmt::format("the search for a temperature did not converge in {} steps", root.iterations);
}

Tensor scalar(double value) { return full({}, value, DType::f64); }

void check_options(const char* operation, const ScalingOptions& options) {
  for (const auto& [name, weight] : {std::pair{"scale", options.scale},
                                     {"off_diagonal", options.off_diagonal},
                                     {"shift", options.shift}}) {
    if (!(weight >= 0.0) || !std::isfinite(weight))
      refuse(operation, fmt::format("{} must be a number of at least 0, got {}", name, weight));
  }
}

// Of the scaler `model` to logits that were divided by the best temperature before.
Tensor penalty(const VectorScaler& model, const ScalingOptions& options) {
  return 0.5 * options.scale * sum(square(model.scale - 1.0)) +
         0.5 * options.shift * sum(square(model.shift));
}
Tensor penalty(const MatrixScaler& model, const ScalingOptions& options) {
  const std::int64_t classes = model.shift.size();
  const Tensor diagonal = eye(classes, DType::f64);
  const Tensor away = square(model.weight - diagonal);
  return 0.5 * options.scale * sum(away * diagonal) +
         0.5 * options.off_diagonal * sum(away * (1.0 - diagonal)) +
         0.5 * options.shift * sum(square(model.shift));
}

std::vector<std::string> absent_classes(const Tensor& labels, std::int64_t classes,
                                        const ScalingOptions& options) {
  std::vector<std::string> names = options.class_names;
  for (std::int64_t k = std::ssize(names); k < classes; ++k) names.push_back(std::to_string(k));
  const std::vector<std::string> absent = names_without_rows(labels, names);
  if (absent.empty()) return {};
  return {fmt::format("no row has the class{} {}: {}", absent.size() == 1 ? "" : "es", detail::listed(absent),
                      options.shift > 0.0 ? "the penalty alone keeps its probability above 0"
                                          : "without a penalty its probability goes to 0")};
}

// What is fitted to logits times a, for the logits themselves.
void take_over(VectorScaler& model, double a) { model.scale = model.scale * a; }
void take_over(MatrixScaler& model, double a) { model.weight = model.weight * a; }

template <class Scaler>
ScalingFit<Scaler> fit_scaling(const char* operation, const Tensor& logits, const Tensor& labels,
                               const ScalingOptions& options) {
  check_scores(operation, logits, labels);
  check_options(operation, options);
  const TemperatureFit first = fit_temperature(logits, labels);
  const Tensor z = first.scaler(logits);
  const auto rows = static_cast<double>(logits.dim(0));
  ScalingFit<Scaler> result{.scaler = Scaler(logits.dim(1))};
  result.notes = absent_classes(labels, logits.dim(1), options);
  if (!first.note.empty()) result.notes.push_back(first.note);
  optim::Lbfgs lbfgs;
  result.end =
      lbfgs.minimize(result.scaler,
                     [&](const Scaler& model) {
                       give_up_if(options.cancelled);
                       return softmax_cross_entropy(model(z), labels) + penalty(model, options) / rows;
                     },
                     {.max_iterations = options.max_iterations, .gradient_tolerance = 1e-8});
  result.nll = softmax_cross_entropy(result.scaler(z), labels).item();
  if (!result.end.converged && result.end.gradient_norm > 1e-5)
    result.notes.push_back(fmt::format("the search ended after {} steps without a minimum (slope {:.2g})",
                                       result.end.iterations, result.end.gradient_norm));
  take_over(result.scaler, 1.0 / first.scaler.temperature());
  return result;
}

}  // namespace

std::vector<std::string> names_without_rows(const Tensor& labels, const std::vector<std::string>& classes) {
  std::vector<bool> seen(classes.size(), false);
  for (const auto label : labels.to_vector<std::int64_t>()) seen.at(static_cast<std::size_t>(label)) = true;
  std::vector<std::string> absent;
  for (std::size_t k = 0; k < seen.size(); ++k) {
    if (!seen[k]) absent.push_back(classes[k]);
  }
  return absent;
}

double TemperatureScaler::temperature() const { return std::exp(log_temperature.item()); }

Tensor TemperatureScaler::operator()(const Tensor& logits) const {
  return logits.to(DType::f64) * exp(-log_temperature);
}

VectorScaler::VectorScaler(std::int64_t classes)
    : scale(ones({classes}, DType::f64)), shift(zeros({classes}, DType::f64)) {}

Tensor VectorScaler::operator()(const Tensor& logits) const { return logits.to(DType::f64) * scale + shift; }

MatrixScaler::MatrixScaler(std::int64_t classes)
    : weight(eye(classes, DType::f64)), shift(zeros({classes}, DType::f64)) {}

Tensor MatrixScaler::operator()(const Tensor& logits) const {
  return matmul(logits.to(DType::f64), transpose(weight)) + shift;
}

TemperatureFit fit_temperature(const Tensor& logits, const Tensor& labels) {
  check_scores("fit_temperature", logits, labels);
  const TemperatureLoss loss(logits, labels);
  TemperatureFit fit{.standard_error = std::numeric_limits<double>::quiet_NaN()};
  double a = 1.0;
  const double spread = loss.largest_difference();
  if (spread == 0.0) {
    fit.at = TemperatureFit::At::anywhere;
    fit.note = "the logits of each row are all the same: a temperature means nothing, and is left at 1";
  } else if (loss.is_least_at_infinity()) {
    fit.at = TemperatureFit::At::infinity;
    a = 1e-3 / spread;
    fit.note =
        "true classes have no larger logits than others on average: the best temperature is infinite, all "
        "classes are made "
        "equally probable";
  } else if (loss.wrong() == 0) {
    fit.at = TemperatureFit::At::zero;
    const double aim = loss.at_zero_temperature() + std::log((loss.rows() + 2.0) / (loss.rows() + 1.0));
    const Root root = root_of(1.0 / spread, false, [&](double at) {
      const Loss here = loss(at);
      return std::pair{here.value - aim, here.slope};
    });
    a = root.a;
    fit.iterations = root.iterations;
    fit.note = fmt::format(
        "every true class has the largest logit of its row: the best temperature is 0, and {:.4g} is taken, "
        "as if of {} rows one "
        "were wrong",
        1.0 / a, static_cast<std::int64_t>(loss.rows()) + 2);
    if (!root.converged) fit.note += "; " + not_converged(root);
  } else {
    const Root root = root_of(1.0 / spread, true, [&](double at) {
      const Loss here = loss(at);
      return std::pair{here.slope, here.curvature};
    });
    a = root.a;
    fit.iterations = root.iterations;
    if (!root.converged) fit.note = not_converged(root);
    fit.standard_error = 1.0 / std::sqrt(loss.rows() * loss(a).curvature);
  }
  fit.scaler.log_temperature = scalar(-std::log(a));
  fit.nll = loss(a).value;
  return fit;
}

ScalingFit<VectorScaler> fit_vector(const Tensor& logits, const Tensor& labels,
                                    const ScalingOptions& options) {
  return fit_scaling<VectorScaler>("fit_vector", logits, labels, options);
}

ScalingFit<MatrixScaler> fit_matrix(const Tensor& logits, const Tensor& labels,
                                    const ScalingOptions& options) {
  return fit_scaling<MatrixScaler>("fit_matrix", logits, labels, options);
}

}  // namespace likely::confidence
