#include "likely/models/choice/fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/models/choice/likelihood_state.hpp"
#include "likely/models/choice/search.hpp"

namespace likely::choice {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// A step of this curvature or less changes the function by a ten-thousandth when it is as long as its scale.
constexpr double kFlatCurvature = 2e-4;

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// With the numbers that were left open. A choice of the best option makes the likelihood a staircase: only
// looking at many points helps.
FitOptions checked(FitOptions options, const Model& model) {
  const auto check = [](bool good, const std::string& what) {
    if (!good) refuse("choice::fit", what);
  };
  check(options.starts >= 0, fmt::format("starts must not be negative, got {}", options.starts));
  check(options.candidates >= 0, fmt::format("candidates must not be negative, got {}", options.candidates));
  if (options.starts == 0) options.starts = model.size() <= 2 ? 8 : model.size() == 3 ? 24 : 32;
  if (options.candidates == 0) {
    options.candidates = 8 * options.starts;
    if (model.parts.choosing == Choosing::greedy) options.candidates = 1024;
  }
  check(options.candidates >= options.starts,
        fmt::format("there are {} starts, but only {} candidates", options.starts, options.candidates));
  check(options.iterations >= 1, fmt::format("iterations must be at least 1, got {}", options.iterations));
  check(options.confidence > 0.0 && options.confidence < 1.0,
        fmt::format("confidence must lie between 0 and 1, got {}", options.confidence));
  return options;
}

// The place `which` (from 1) of a sequence that fills (0, 1) evenly: an additive recurrence with the
// generalised golden ratio of so many dimensions.
double spread(int which, int dimension, int dimensions) {
  double ratio = 1.5;
  for (int i = 0; i < 60; ++i) ratio = std::pow(1.0 + ratio, 1.0 / (dimensions + 1));
  const double place = 0.5 + which * std::pow(ratio, -(dimension + 1));
  return place - std::floor(place);
}

double normal_quantile(double p) { return boost::math::quantile(boost::math::normal(), p); }

struct Candidates {
  std::vector<double> points, places;
};

// Half of them even over the box, the others where parameters usually lie.
Candidates box_candidates(const Model& model, int count) {
  Candidates candidates;
  for (int c = 0; c < count; ++c) {
    for (int i = 0; i < model.size(); ++i) {
      const Parameter& p = model.parameters[index(i)];
      // Which steps of a staircase are high does not depend on epsilon.
      const bool middle = c == 0 || (model.parts.choosing == Choosing::greedy && i == model.parts.epsilon);
      const double place = middle ? 0.5 : spread(c, i, model.size());
      const double margin = 1e-3 * (p.box_upper - p.box_lower);
      const double x = c % 2 == 0 ? p.natural(1.5 * normal_quantile(place))
                                  : p.box_lower + (p.box_upper - p.box_lower) * place;
      candidates.points.push_back(std::clamp(x, p.box_lower + margin, p.box_upper - margin));
      candidates.places.push_back(place);
    }
  }
  return candidates;
}

// Around the prior's mean, by its own standard deviations up to 2.
Candidates prior_candidates(const NormalPrior& prior, int n, int count) {
  Candidates candidates;
  for (int c = 0; c < count; ++c) {
    for (int i = 0; i < n; ++i) {
      const double sd = std::min(2.0, 1.0 / std::sqrt(prior.precision[index(i) * index(n) + index(i)]));
      const double place = c == 0 ? 0.5 : spread(c, i, n);
      candidates.points.push_back(sd * normal_quantile(place));
      candidates.places.push_back(place);
    }
  }
  return candidates;
}

// ln of the chance of choosing as they did at random.
double chance_of(const Group& group, int options, int lane) {
  double total = 0.0;
  for (std::int32_t t = 0; t < group.lengths[index(lane)]; ++t) {
    int count = options;
    if (!group.offered.empty()) {
      count = std::popcount(static_cast<std::uint64_t>(group.offered[index(t) * kLanes + index(lane)]));
    }
    total -= std::log(static_cast<double>(count));
  }
  return total;
}

// The curvature of the free parameters: which of them are flat, the covariance of the others, and ln det of
// all.
class Curvature {
 public:
  Curvature(const Objective& objective, const Summit& summit) : n_(objective.model->size()), summit_(summit) {
    const std::vector<double>& scale = objective.bounds.scale;
    flat.assign(index(n_), 0);
    covariance.assign(index(n_) * index(n_), kNaN);
    std::vector<int> free;
    for (int i = 0; i < n_; ++i) {
      if (summit.held[index(i)] == 0) free.push_back(i);
    }
    const int m = static_cast<int>(free.size());
    std::vector<double> matrix(index(m) * index(m));
    for (int a = 0; a < m; ++a) {
      for (int b = 0; b < m; ++b) {
        matrix[index(a) * index(m) + index(b)] = -hessian(free[index(a)], free[index(b)]) *
                                                 scale[index(free[index(a)])] * scale[index(free[index(b)])];
      }
    }
    std::vector<double> values;
    std::vector<double> vectors;
    symmetric_eigen(matrix, m, values, vectors);
    log_determinant = 0.0;
    for (int e = 0; e < m; ++e) {
      log_determinant += values[index(e)] > 0.0 ? std::log(values[index(e)]) : kNaN;
      if (values[index(e)] > kFlatCurvature) continue;
      for (int a = 0; a < m; ++a) {
        const double part = vectors[index(a) * index(m) + index(e)];
        if (part * part > 0.05) flat[index(free[index(a)])] = 1;
      }
    }
    for (const int i : free) log_determinant -= 2.0 * std::log(scale[index(i)]);
    for (int a = 0; a < m; ++a) {
      for (int b = 0; b < m; ++b) {
        const int i = free[index(a)];
        const int j = free[index(b)];
        if (flat[index(i)] != 0 || flat[index(j)] != 0) continue;
        double sum = 0.0;
        for (int e = 0; e < m; ++e) {
          if (values[index(e)] <= kFlatCurvature) continue;
          sum += vectors[index(a) * index(m) + index(e)] * vectors[index(b) * index(m) + index(e)] /
                 values[index(e)];
        }
        covariance[index(i) * index(n_) + index(j)] = sum * scale[index(i)] * scale[index(j)];
      }
    }
  }

  std::vector<char> flat;
  std::vector<double> covariance;
  double log_determinant = 0.0;

 private:
  double hessian(int i, int j) const { return summit_.hessian[index(i) * index(n_) + index(j)]; }

  int n_;
  const Summit& summit_;
};

void describe_parameters(const Objective& objective, const Summit& summit, double z, SubjectFit& fit) {
  const Model& model = *objective.model;
  const Curvature curvature(objective, summit);
  fit.covariance = curvature.covariance;
  if (objective.is_posterior) fit.log_det_hessian = curvature.log_determinant;
  std::vector<std::string> flat;
  for (int i = 0; i < model.size(); ++i) {
    const Parameter& p = model.parameters[index(i)];
    const double at = summit.point[index(i)];
    const double x = objective.is_posterior ? p.natural(at) : at;
    double u = at;
    if (!objective.is_posterior) {
      u = x <= p.lower   ? -std::numeric_limits<double>::infinity()
          : x >= p.upper ? std::numeric_limits<double>::infinity()
                         : p.unconstrained(x);
    }
    fit.estimate.push_back(x);
    fit.unconstrained.push_back(u);
    Standing standing = Standing::inside;
    if (summit.held[index(i)] != 0) {
      const bool low = at <= objective.bounds.lower[index(i)];
      standing = low ? Standing::at_lower : Standing::at_upper;
      fit.warnings.push_back(fmt::format("{} is at its {} bound {}", p.name, low ? "lower" : "upper", x));
    } else if (curvature.flat[index(i)] != 0) {
      standing = Standing::flat;
      flat.push_back(p.name);
    }
    fit.standing.push_back(standing);
    const double variance = curvature.covariance[index(i) * index(model.size()) + index(i)];
    const double slope = std::isfinite(u) ? p.slopes(u).first : kNaN;
    const double error = std::sqrt(variance);
    const double error_u = objective.is_posterior ? error : error / slope;
    fit.standard_error.push_back(objective.is_posterior ? error * slope : error);
    fit.interval_lower.push_back(std::isfinite(error_u) ? p.natural(u - z * error_u) : kNaN);
    fit.interval_upper.push_back(std::isfinite(error_u) ? p.natural(u + z * error_u) : kNaN);
  }
  if (!flat.empty()) {
    fit.warnings.push_back(fmt::format("{} {} hardly determined by these trials", fmt::join(flat, ", "),
                                       flat.size() == 1 ? "is" : "are"));
  }
}

SubjectFit make_fit(const Objective& objective, const Summit& summit, double z) {
  SubjectFit fit;
  const double n = objective.model->size();
  fit.log_likelihood = summit.log_likelihood;
  fit.converged = summit.converged;
  fit.iterations = summit.iterations;
  fit.starts_agreeing = summit.agreeing;
  fit.log_joint = fit.log_det_hessian = fit.log_evidence = kNaN;
  if (objective.model->size() > 0 && summit.point.empty()) {
    fit.warnings.emplace_back("the likelihood is not finite anywhere that was looked at");
    for (auto* list :
         {&fit.estimate, &fit.unconstrained, &fit.standard_error, &fit.interval_lower, &fit.interval_upper}) {
      list->assign(index(objective.model->size()), kNaN);
    }
    fit.standing.assign(index(objective.model->size()), Standing::flat);
    fit.covariance.assign(index(objective.model->size()) * index(objective.model->size()), kNaN);
    fit.log_likelihood = kNaN;
    return fit;
  }
  if (objective.is_posterior) fit.log_det_hessian = 0.0;
  describe_parameters(objective, summit, z, fit);
  if (objective.is_posterior) {
    fit.log_joint = summit.value;
    fit.log_evidence = fit.log_joint + 0.5 * n * std::log(2.0 * std::numbers::pi) - 0.5 * fit.log_det_hessian;
  }
  if (!fit.converged) {
    fit.warnings.push_back(
        fmt::format("the search stopped after {} steps before it arrived", fit.iterations));
  }
  return fit;
}

Fit run(const Likelihood& likelihood, const Objective& objective, const FitOptions& options) {
  const Likelihood::State& state = likelihood.state();
  Fit fit;
  fit.model = likelihood.model();
  fit.is_posterior = objective.is_posterior;
  fit.subjects.resize(index(static_cast<int>(likelihood.subjects())));
  double work = 0.0;
  for (const Group& group : state.groups) work += 40.0 * nanoseconds_of(fit.model, group, 2);
  const double z = normal_quantile(0.5 + 0.5 * options.confidence);
  parallel_tiles(static_cast<std::int64_t>(state.groups.size()), work, [&](std::int64_t g) {
    const Group& group = state.groups[static_cast<std::size_t>(g)];
    const std::vector<Summit> summits = search_group(objective, group, g * kLanes, options);
    for (int lane = 0; lane < group.subjects; ++lane) {
      const auto s = static_cast<std::size_t>(g * kLanes + lane);
      SubjectFit subject = make_fit(objective, summits[index(lane)], z);
      subject.id = state.ids[s];
      subject.trials = group.lengths[index(lane)];
      subject.chance = chance_of(group, fit.model.parts.options, lane);
      subject.pseudo_r2 = 1.0 - subject.log_likelihood / subject.chance;
      subject.aic = 2.0 * fit.model.size() - 2.0 * subject.log_likelihood;
      subject.bic =
          fit.model.size() * std::log(static_cast<double>(subject.trials)) - 2.0 * subject.log_likelihood;
      fit.subjects[s] = std::move(subject);
    }
  });
  return fit;
}

// ln of the normalizer of a normal density with this precision. Refuses one that is not positive definite.
double log_normalizer(const NormalPrior& prior, int n) {
  std::vector<double> matrix = prior.precision;
  std::vector<double> values;
  std::vector<double> vectors;
  symmetric_eigen(matrix, n, values, vectors);
  double sum = -0.5 * n * std::log(2.0 * std::numbers::pi);
  for (const double value : values) {
    if (!(value > 0.0))
      refuse("choice::fit_posterior", "the precision of the prior must be positive definite");
    sum += 0.5 * std::log(value);
  }
  return sum;
}

void check_prior(const Likelihood& likelihood, const NormalPrior& prior, const std::vector<double>& start) {
  const auto n = static_cast<std::size_t>(likelihood.parameters());
  const auto s = static_cast<std::size_t>(likelihood.subjects());
  if (prior.mean.size() != n && prior.mean.size() != s * n) {
    refuse("choice::fit_posterior",
           fmt::format("the prior has {} means for {} parameters and {} subjects", prior.mean.size(), n, s));
  }
  if (prior.precision.size() != n * n) {
    refuse("choice::fit_posterior", fmt::format("the precision of the prior has {} numbers, {} are needed",
                                                prior.precision.size(), n * n));
  }
  if (!start.empty() && start.size() != s * n) {
    refuse("choice::fit_posterior", fmt::format("start has {} numbers, {} are needed", start.size(), s * n));
  }
}

double sum_of(const Fit& fit, double SubjectFit::*what) {
  double total = 0.0;
  for (const SubjectFit& subject : fit.subjects) total += subject.*what;
  return total;
}

}  // namespace

Fit fit_likelihood(const Likelihood& likelihood, const FitOptions& wanted) {
  const Model& model = likelihood.model();
  const FitOptions options = checked(wanted, model);
  const std::vector<double> start;
  Candidates candidates = box_candidates(model, options.candidates);
  Objective objective{
      &model, false, {}, nullptr, 0.0, std::move(candidates.points), std::move(candidates.places), &start};
  for (const Parameter& p : model.parameters) {
    objective.bounds.lower.push_back(p.box_lower);
    objective.bounds.upper.push_back(p.box_upper);
    objective.bounds.scale.push_back(0.1 * (p.box_upper - p.box_lower));
  }
  return run(likelihood, objective, options);
}

NormalPrior default_prior(const Model& model) {
  NormalPrior prior;
  const auto n = static_cast<std::size_t>(model.size());
  prior.precision.assign(n * n, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    prior.mean.push_back(model.parameters[i].prior_mean);
    prior.precision[i * n + i] = 1.0 / (model.parameters[i].prior_sd * model.parameters[i].prior_sd);
  }
  return prior;
}

Fit fit_posterior(const Likelihood& likelihood, const FitOptions& options) {
  return fit_posterior(likelihood, default_prior(likelihood.model()), options);
}

Fit fit_posterior(const Likelihood& likelihood, const NormalPrior& prior, const FitOptions& wanted,
                  const std::vector<double>& start) {
  check_prior(likelihood, prior, start);
  const Model& model = likelihood.model();
  const FitOptions options = checked(wanted, model);
  const auto n = static_cast<std::size_t>(model.size());
  Candidates candidates = prior_candidates(prior, model.size(), options.candidates);
  Objective objective{&model,
                      true,
                      {},
                      &prior,
                      log_normalizer(prior, model.size()),
                      std::move(candidates.points),
                      std::move(candidates.places),
                      &start};
  objective.bounds.lower.assign(n, -std::numeric_limits<double>::infinity());
  objective.bounds.upper.assign(n, std::numeric_limits<double>::infinity());
  objective.bounds.scale.assign(n, 1.0);
  return run(likelihood, objective, options);
}

double Fit::log_likelihood() const { return sum_of(*this, &SubjectFit::log_likelihood); }
double Fit::aic() const { return sum_of(*this, &SubjectFit::aic); }
double Fit::bic() const { return sum_of(*this, &SubjectFit::bic); }
double Fit::log_evidence() const { return sum_of(*this, &SubjectFit::log_evidence); }

double Fit::joint_bic() const {
  double trials = 0.0;
  for (const SubjectFit& subject : subjects) trials += static_cast<double>(subject.trials);
  return static_cast<double>(subjects.size()) * model.size() * std::log(trials) - 2.0 * log_likelihood();
}

std::vector<std::string> Fit::warnings() const {
  std::vector<std::string> all;
  for (const SubjectFit& subject : subjects) {
    for (const std::string& warning : subject.warnings)
      all.push_back(fmt::format("subject {}: {}", subject.id, warning));
  }
  return all;
}

}  // namespace likely::choice
