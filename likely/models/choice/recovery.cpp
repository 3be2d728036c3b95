#include "likely/models/choice/recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/core/error.hpp"
#include "likely/models/choice/hierarchical_em.hpp"
#include "likely/prob/ranks.hpp"
#include "likely/prob/sample_moments.hpp"

namespace likely::choice {

namespace {

using Numbers = std::vector<double>;

void check_lists(const char* name, const Numbers& a, const Numbers& b) {
  if (a.size() != b.size()) refuse(name, fmt::format("{} numbers against {}", a.size(), b.size()));
  if (a.size() < 2) refuse(name, fmt::format("at least 2 numbers are needed, got {}", a.size()));
}

bool varies(const Numbers& a) {
  return std::any_of(a.begin(), a.end(), [&](double x) { return x != a.front(); });
}

Numbers column(const std::vector<Numbers>& rows, std::size_t k) {
  Numbers values;
  for (const Numbers& row : rows) values.push_back(row[k]);
  return values;
}

Fit fit_by(Estimator estimator, const Likelihood& likelihood, const FitOptions& options) {
  switch (estimator) {
    case Estimator::likelihood: return fit_likelihood(likelihood, options);
    case Estimator::posterior: return fit_posterior(likelihood, options);
    case Estimator::hierarchical: break;
  }
  return fit_hierarchical(likelihood, {.integration_samples = 0, .fit = options}).subjects;
}

RecoveredParameter compare(const std::string& name, const Numbers& truth, const Numbers& fitted) {
  RecoveredParameter result{name, correlation(truth, fitted), rank_correlation(truth, fitted), 0.0, 0.0, 0};
  const auto count = static_cast<double>(truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double error = fitted[i] - truth[i];
    result.bias += error / count;
    result.rmse += error * error / count;
  }
  result.rmse = std::sqrt(result.rmse);
  return result;
}

// The smaller the better.
double badness(const SubjectFit& fit, Criterion criterion) {
  switch (criterion) {
    case Criterion::aic: return fit.aic;
    case Criterion::bic: return fit.bic;
    case Criterion::evidence: break;
  }
  return -fit.log_evidence;
}

}  // namespace

double correlation(const Numbers& a, const Numbers& b) {
  check_lists("choice::correlation", a, b);
  // Where nothing varies, what is left of the mean is rounding.
  if (!varies(a) || !varies(b)) return std::numeric_limits<double>::quiet_NaN();
  const double mean_a = likely::detail::mean_of(a), mean_b = likely::detail::mean_of(b);
  double product = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) product += (a[i] - mean_a) * (b[i] - mean_b);
  product /= static_cast<double>(a.size() - 1);
  return product / std::sqrt(likely::detail::variance_of(a) * likely::detail::variance_of(b));
}

double rank_correlation(const Numbers& a, const Numbers& b) {
  check_lists("choice::rank_correlation", a, b);
  return correlation(likely::detail::mean_ranks(a), likely::detail::mean_ranks(b));
}

std::vector<Numbers> draw_parameters(const Model& model, std::int64_t count, Rng rng, double sd) {
  if (count < 1) refuse("choice::draw_parameters", fmt::format("count must be at least 1, got {}", count));
  if (!(sd > 0.0 && std::isfinite(sd))) {
    refuse("choice::draw_parameters", fmt::format("sd must be finite and above 0, got {}", sd));
  }
  const Numbers z = rng.normal({count * model.size()}, 0.0, sd, DType::f64).to_vector<double>();
  std::vector<Numbers> people(static_cast<std::size_t>(count));
  std::size_t next = 0;
  for (Numbers& person : people) {
    for (const Parameter& p : model.parameters) person.push_back(p.natural(p.prior_mean + z[next++]));
  }
  return people;
}

Recovery recover_parameters(const Model& model, const std::vector<Numbers>& truth, const Bandit& task,
                            const Rng& rng, Estimator estimator, const FitOptions& options) {
  if (truth.size() < 2) {
    refuse("choice::recover_parameters", fmt::format("at least 2 people are needed, got {}", truth.size()));
  }
  Recovery result;
  result.model = model;
  result.truth = truth;
  const Likelihood likelihood(model, simulate(model, truth, task, rng, options.cancelled));
  const Fit fit = fit_by(estimator, likelihood, options);
  for (const SubjectFit& subject : fit.subjects) result.fitted.push_back(subject.estimate);
  for (std::size_t k = 0; k < model.parameters.size(); ++k) {
    const Numbers fitted = column(result.fitted, k);
    result.parameters.push_back(compare(model.parameters[k].name, column(truth, k), fitted));
    for (const SubjectFit& subject : fit.subjects) {
      const Standing at = subject.standing[k];
      result.parameters.back().at_bounds += at == Standing::at_lower || at == Standing::at_upper ? 1 : 0;
    }
  }
  for (std::size_t a = 0; a < model.parameters.size(); ++a) {
    for (std::size_t b = 0; b < model.parameters.size(); ++b) {
      result.across.push_back(correlation(column(truth, a), column(result.fitted, b)));
    }
  }
  return result;
}

ModelConfusion confuse_models(const std::vector<Model>& models, const Bandit& task, const Rng& rng,
                              const ConfusionOptions& options) {
  const char* name = "choice::confuse_models";
  if (models.size() < 2) refuse(name, fmt::format("at least 2 models are needed, got {}", models.size()));
  if (options.datasets < 1) {
    refuse(name, fmt::format("datasets must be at least 1, got {}", options.datasets));
  }
  const std::size_t m = models.size();
  ModelConfusion result;
  for (const Model& model : models) result.models.push_back(model.name);
  result.counts.resize(m * m);
  FitOptions fit_options = options.fit;
  std::int64_t before = 0;  // subjects of the fits that are done
  if (options.fit.progress) {
    fit_options.progress = [&](std::int64_t done) { options.fit.progress(before + done); };
  }
  for (std::size_t from = 0; from < m; ++from) {
    Rng own = rng.fold_in(from);
    const Rng drawn = own.split();
    const auto people = options.people
                            ? options.people(models[from], drawn)
                            : draw_parameters(models[from], options.datasets, drawn, options.parameter_sd);
    const Trials trials = simulate(models[from], people, task, own.split(), options.fit.cancelled);
    std::vector<std::size_t> best(people.size(), m);
    Numbers least(people.size(), std::numeric_limits<double>::infinity());
    for (std::size_t to = 0; to < m; ++to) {
      const Likelihood likelihood(models[to], trials);
      const Fit fit = options.criterion == Criterion::evidence ? fit_posterior(likelihood, fit_options)
                                                               : fit_likelihood(likelihood, fit_options);
      before += likelihood.subjects();
      for (std::size_t i = 0; i < people.size(); ++i) {
        const double bad = badness(fit.subjects[i], options.criterion);
        if (!(bad < least[i])) continue;
        least[i] = bad;
        best[i] = to;
      }
    }
    for (const std::size_t to : best) {
      if (to < m) result.counts[from * m + to] += 1.0;
    }
  }
  result.confusion = result.inversion = result.counts;
  for (std::size_t i = 0; i < m * m; ++i) {
    double row = 0.0, in_column = 0.0;
    for (std::size_t j = 0; j < m; ++j) {
      row += result.counts[i / m * m + j];
      in_column += result.counts[j * m + i % m];
    }
    result.confusion[i] /= row;
    result.inversion[i] /= in_column;
  }
  return result;
}

}  // namespace likely::choice
