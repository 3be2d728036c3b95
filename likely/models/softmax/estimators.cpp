#include "likely/models/softmax/estimators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "likely/autodiff/custom.hpp"
#include "likely/autodiff/gradient.hpp"
#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"
#include "likely/prob/distributions/normal.hpp"
#include "likely/prob/expectation/expectation.hpp"

namespace likely::estimators {

namespace {

constexpr double kSlope = 2.0, kOffset = 3.0;     // of the normal law's mean
constexpr std::int64_t kNumbersAtOnce = 1 << 17;  // samples that are looked at between two questions
// Of each temperature of Gumbel-softmax: as many as take a second, fewer where little is asked for.
constexpr std::int64_t kMostRelaxed = 400'000, kRelaxedEach = 200;
constexpr std::int64_t kMostSamples = 1 << 20, kMostRepetitions = 10'000'000;
constexpr std::int64_t kClassSamples = 4;
constexpr std::int64_t kEarlier = 1000;  // samples of the estimates before this one
constexpr std::int64_t kSpreadPlaces = 36, kSpreadEach = 12;
constexpr double kSpreadReach = 3.5;              // theta, to both sides of the minimum
constexpr std::int64_t kCurveRepetitions = 1000;  // at most

using Weights = estimator::WithoutReplacement::Weights;

// Ten classes: their logits are theta s_k, and f is (1 + w . z)^2, a square so that between the classes it is
// not what it is at them.
const std::vector<double> kScores = {1.2, -0.4, 0.3, -1.1, 0.8, 0.1, -0.7, 0.5, -0.2, -0.9};
const std::vector<double> kWeights = {0.6, -0.9, 1.1, 0.2, -0.3, 1.5, -1.2, 0.8, 0.0, -0.5};

struct NamedEstimator {
  std::string name;
  bool unbiased;
  std::function<Estimator(std::int64_t samples)> of;
};

struct Problem {
  std::string name;
  std::function<Tensor(const Tensor& theta, const Estimator&, const Rng&)> expectation;  // one for each theta
  std::function<double(double theta)> exact;                                             // the gradient
  std::vector<NamedEstimator> estimators;
  std::int64_t samples;                     // of an estimate
  std::vector<std::int64_t> curve_samples;  // of those in the curves
};

Tensor normal_expectation(const Tensor& theta, const Estimator& e, const Rng& rng) {
  return expect(
      Normal(kSlope * theta + kOffset, 1.0), [](const Tensor& z) { return square(z); }, e, rng);
}

Tensor class_expectation(const Tensor& theta, const Estimator& e, const Rng& rng) {
  const Tensor logits = unsqueeze(theta, -1) * tensor(kScores);
  return expect(
      OneHot{Categorical(logits)},
      [](const Tensor& z) { return square(1.0 + sum(z * tensor(kWeights), -1)); }, e, rng);
}

double exact_of_classes(double theta) {
  const Tensor at = tensor(std::vector<double>{theta});
  return grad(at, [](const Tensor& x) { return sum(class_expectation(x, estimator::Exact{}, Rng(0))); })
      .item();
}

NamedEstimator score_named(const std::string& name, const Baseline& baseline) {
  return {name, true,
          [baseline](std::int64_t n) { return estimator::Score{.samples = n, .baseline = baseline}; }};
}

Problem normal_problem(const EstimatorOptions& options) {
  // What a training would know of the values by now.
  MovingMean usual;
  const Tensor theta = tensor(std::vector<double>{options.theta});
  usual.add(normal_expectation(theta, estimator::Score{.samples = kEarlier}, Rng(options.seed).fold_in(1)));
  return {"normal",
          normal_expectation,
          [](double at) { return 2.0 * kSlope * (kSlope * at + kOffset); },
          {{"reparameterised", true, [](std::int64_t n) { return estimator::Reparameterised{.samples = n}; }},
           score_named("score", baseline::None{}),
           score_named("score, mean of earlier values", usual.baseline()),
           score_named("score, leave-one-out", baseline::LeaveOneOut{}),
           score_named("score, optimal", baseline::Optimal{})},
          options.samples,
          {2, 5, 10, 20, 50, 100, 200, 500, 1000}};
}

Problem class_problem() {
  const auto different = [](const std::string& name, Weights weights) -> NamedEstimator {
    return {"without replacement" + name, weights != Weights::normalised, [weights](std::int64_t n) {
              return estimator::WithoutReplacement{.samples = n, .weights = weights};
            }};
  };
  const auto relaxed = [](const std::string& name, double temperature, bool hard) -> NamedEstimator {
    return {name, false, [=](std::int64_t n) {
              return estimator::GumbelSoftmax{.samples = n, .temperature = temperature, .hard = hard};
            }};
  };
  return {
      "classes",
      class_expectation,
      exact_of_classes,
      {score_named("score", baseline::None{}),
       score_named("score, leave-one-out", baseline::LeaveOneOut{}),
       {"REBAR", true, [](std::int64_t n) { return estimator::Rebar{.samples = n, .temperature = 1.0}; }},
       different(", as a set", Weights::unordered),
       different(", plain", Weights::plain),
       different(", baseline", Weights::with_baseline),
       different(", normalised", Weights::normalised),
       {"straight-through", false, [](std::int64_t n) { return estimator::StraightThrough{.samples = n}; }},
       relaxed("Gumbel-softmax, hard", 0.5, true),
       relaxed("Gumbel-softmax", 0.5, false)},
      kClassSamples,
      {2, 3, 4, 5, 6, 7, 8, 9, 10}};
}

// Whoever is to know where the work is, and whether it goes on.
class Desk {
 public:
  Desk(const EstimatorOptions& options, double all) : options_(options), all_(all) {}
  void begin(const std::string& what) { what_ = what; }
  // Before so many samples more.
  void next(std::int64_t samples) {
    give_up_if(options_.cancelled);
    if (options_.events)
      options_.events(train::event::Stage{.of = what_, .doing = "estimating", .done = done_ / all_});
    done_ += static_cast<double>(samples);
  }

 private:
  const EstimatorOptions& options_;
  std::string what_;
  double all_, done_ = 0.0;
};

std::int64_t curve_repetitions(const EstimatorOptions& options) {
  return std::min(kCurveRepetitions, options.repetitions);
}

// The samples that all its estimators take.
double all_samples(const Problem& problem, const EstimatorOptions& options) {
  std::int64_t of_curves = 0;
  for (const std::int64_t samples : problem.curve_samples) of_curves += samples;
  return static_cast<double>(problem.estimators.size()) *
         static_cast<double>(problem.samples * options.repetitions + of_curves * curve_repetitions(options));
}

// So many estimates of the gradient. They are made some at a time, as many as the samples allow.
std::vector<double> estimates(const Problem& problem, const Estimator& e, double theta, std::int64_t samples,
                              std::int64_t count, const Rng& rng, Desk& desk) {
  const std::int64_t at_once = std::max<std::int64_t>(1, kNumbersAtOnce / samples);
  std::vector<double> all;
  for (std::int64_t done = 0; done < count; done += at_once) {
    const std::int64_t now = std::min(at_once, count - done);
    desk.next(now * samples);
    const Tensor found = grad(full({now}, theta, DType::f64), [&](const Tensor& x) {
      return sum(problem.expectation(x, e, rng.fold_in(static_cast<std::uint64_t>(done))));
    });
    const auto numbers = found.to_vector<double>();
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  return all;
}

struct Moments {
  double mean = 0.0, variance = 0.0, squared_error = 0.0;
};

Moments moments_of(const std::vector<double>& found, double exact) {
  Moments result;
  const auto n = static_cast<double>(found.size());
  for (const double x : found) {
    result.mean += x / n;
    result.squared_error += (x - exact) * (x - exact) / n;
  }
  for (const double x : found) result.variance += (x - result.mean) * (x - result.mean) / (n - 1.0);
  return result;
}

void compare(const Problem& problem, const Rng& rng, EstimatorStudy& study, Desk& desk) {
  const EstimatorOptions& options = study.options;
  const double exact = problem.exact(options.theta);
  double first = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < problem.estimators.size(); ++i) {
    const NamedEstimator& named = problem.estimators[i];
    desk.begin(named.name);
    const Rng own = rng.fold_in(i);
    const Moments found = moments_of(estimates(problem, named.of(problem.samples), options.theta,
                                               problem.samples, options.repetitions, own.fold_in(0), desk),
                                     exact);
    if (i == 0) first = found.variance;
    study.rows.push_back({problem.name, named.name, named.unbiased, problem.samples, found.mean,
                          std::sqrt(found.variance / static_cast<double>(options.repetitions)), exact,
                          found.variance, found.variance / first});
    ErrorCurve curve{problem.name, named.name, {}, {}};
    for (const std::int64_t samples : problem.curve_samples) {
      const Rng of_curve = own.fold_in(static_cast<std::uint64_t>(samples));
      curve.samples.push_back(static_cast<double>(samples));
      const auto at = estimates(problem, named.of(samples), options.theta, samples,
                                curve_repetitions(options), of_curve, desk);
      curve.error.push_back(std::sqrt(moments_of(at, exact).squared_error));
    }
    study.curves.push_back(std::move(curve));
  }
}

void spread_out(const Problem& problem, const Rng& rng, EstimatorStudy& study, Desk& desk) {
  for (const char* const wanted : {"score", "reparameterised"}) {
    desk.begin(std::string(wanted) + " along theta");
    const auto named = std::find_if(problem.estimators.begin(), problem.estimators.end(),
                                    [&](const NamedEstimator& one) { return one.name == wanted; });
    Spread spread{wanted, {}, {}};
    for (std::int64_t i = 0; i < kSpreadPlaces; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(kSpreadPlaces - 1);
      const double theta = -kOffset / kSlope + kSpreadReach * (2.0 * share - 1.0);
      const auto found = estimates(problem, named->of(problem.samples), theta, problem.samples, kSpreadEach,
                                   rng.fold_in(static_cast<std::uint64_t>(i)), desk);
      spread.theta.insert(spread.theta.end(), found.size(), theta);
      spread.estimate.insert(spread.estimate.end(), found.begin(), found.end());
    }
    study.spreads.push_back(std::move(spread));
  }
}

}  // namespace

EstimatorStudy compare_estimators(const EstimatorOptions& options) {
  if (options.samples < 2 || options.samples > kMostSamples)
    throw Error(fmt::format("`samples` must be in [2, {}], got {}", kMostSamples, options.samples));
  if (options.repetitions < 2 || options.repetitions > kMostRepetitions)
    throw Error(
        fmt::format("`repetitions` must be in [2, {}], got {}", kMostRepetitions, options.repetitions));
  if (!(std::abs(options.theta) <= 1000.0))
    throw Error(fmt::format("`theta` must be in [-1000, 1000], got {}", options.theta));
  EstimatorStudy study{options, {}, {}, {}, {}};
  const Problem normal = normal_problem(options), classes = class_problem();
  Desk desk(options, all_samples(normal, options) + all_samples(classes, options) +
                         static_cast<double>(2 * kSpreadPlaces * kSpreadEach * options.samples));
  const Rng rng(options.seed);
  compare(normal, rng.fold_in(2), study, desk);
  compare(classes, rng.fold_in(3), study, desk);
  spread_out(normal, rng.fold_in(4), study, desk);
  give_up_if(options.cancelled);
  study.relaxation = relaxation_table(
      rng.fold_in(5), {.samples = std::min(kMostRelaxed, kRelaxedEach * options.repetitions)});
  return study;
}

}  // namespace likely::estimators
