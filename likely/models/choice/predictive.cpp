// Hot: every trial of every draw.
#include "likely/models/choice/predictive.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/prob/mcmc/summary.hpp"

namespace likely::choice {

namespace {

using Numbers = std::vector<double>;

std::size_t bins_of(const Trials& trials, std::int64_t bin) {
  std::int64_t longest = 0;
  for (const Subject& s : trials.subjects) longest = std::max(longest, s.size());
  return static_cast<std::size_t>((longest + bin - 1) / bin);
}

// Rates from choices of all subjects, `choice(i, t)`.
template <class Choice>
Numbers rates_of(const Trials& trials, std::int64_t bin, Numbers& counts, const Choice& choice) {
  const auto options = static_cast<std::size_t>(trials.options);
  Numbers rates(bins_of(trials, bin) * options);
  counts.assign(bins_of(trials, bin), 0.0);
  for (std::size_t i = 0; i < trials.subjects.size(); ++i) {
    for (std::int64_t t = 0; t < trials.subjects[i].size(); ++t) {
      const auto at = static_cast<std::size_t>(t / bin);
      counts[at] += 1.0;
      rates[at * options + static_cast<std::size_t>(choice(i, static_cast<std::size_t>(t)))] += 1.0;
    }
  }
  for (std::size_t i = 0; i < rates.size(); ++i) rates[i] /= counts[i / options];
  return rates;
}

Numbers natural_row(const Model& model, const Numbers& draw, std::size_t subject) {
  const std::size_t n = model.parameters.size();
  const auto begin = draw.begin() + static_cast<std::ptrdiff_t>(subject * n);
  return model.natural({begin, begin + static_cast<std::ptrdiff_t>(n)});
}

// Each subject as trials of their own, so that looking at one does not check all.
std::vector<Trials> one_by_one(const Trials& trials) {
  std::vector<Trials> result;
  for (const Subject& subject : trials.subjects) {
    Trials own = trials;
    own.warnings.clear();
    own.subjects = {subject};
    result.push_back(std::move(own));
  }
  return result;
}

int drawn_option(const double* probabilities, int options, double uniform) {
  int last = 0;
  for (int k = 0; k < options; ++k) {
    if (probabilities[k] <= 0.0) continue;
    last = k;
    uniform -= probabilities[k];
    if (uniform < 0.0) break;
  }
  return last;
}

// What one draw of the parameters makes of the trials.
struct Replicate {
  Numbers rates;
  Numbers hits;  // each subject's mean probability of what was chosen
};

Replicate given_the_past(const Model& model, const Trials& trials, const std::vector<Trials>& each,
                         const Numbers& draw, std::int64_t bin, const Rng& rng) {
  std::vector<std::vector<int>> choices(each.size());
  Replicate result;
  for (std::size_t i = 0; i < each.size(); ++i) {
    const Expectations expected = expectations(model, natural_row(model, draw, i), each[i], 0);
    Rng own = rng.fold_in(i);
    const Numbers uniform = own.uniform({expected.trials}, 0.0, 1.0, DType::f64).to_vector<double>();
    double hits = 0.0;
    for (std::size_t t = 0; t < uniform.size(); ++t) {
      const double* p = &expected.probabilities[t * static_cast<std::size_t>(expected.options)];
      choices[i].push_back(drawn_option(p, expected.options, uniform[t]));
      hits += p[each[i].subjects[0].choice[t]];
    }
    result.hits.push_back(hits / static_cast<double>(uniform.size()));
  }
  Numbers counts;
  result.rates = rates_of(trials, bin, counts, [&](std::size_t i, std::size_t t) { return choices[i][t]; });
  return result;
}

Replicate played_anew(const Model& model, const Trials& trials, const Bandit& task, const Numbers& draw,
                      std::int64_t bin, const Rng& rng) {
  std::vector<Numbers> parameters;
  for (std::size_t i = 0; i < trials.subjects.size(); ++i) parameters.push_back(natural_row(model, draw, i));
  return {learning_curve(simulate(model, parameters, task, rng), bin).rates, {}};
}

void check(const Model& model, const Trials& trials, const std::vector<Numbers>& draws,
           const PredictiveOptions& options) {
  const char* name = "choice::predictive_check";
  if (draws.empty()) refuse(name, "there are no draws");
  const std::size_t wanted = trials.subjects.size() * model.parameters.size();
  for (const Numbers& draw : draws) {
    if (draw.size() != wanted) {
      refuse(name, fmt::format("a draw has {} numbers, {} are needed", draw.size(), wanted));
    }
  }
  if (!(options.interval > 0.0 && options.interval < 1.0)) {
    refuse(name, fmt::format("interval must lie in (0, 1), got {}", options.interval));
  }
  if (options.task) {
    const std::int64_t length = options.task->trials * options.task->blocks;
    for (const Subject& s : trials.subjects) {
      if (s.size() != length) {
        refuse(name, fmt::format("the task has {} trials, subject {} has {}", length, s.id, s.size()));
      }
    }
  }
}

}  // namespace

LearningCurve learning_curve(const Trials& trials, std::int64_t bin) {
  if (bin < 1) refuse("choice::learning_curve", fmt::format("bin must be at least 1, got {}", bin));
  if (trials.size() == 0) refuse("choice::learning_curve", "there are no trials");
  LearningCurve curve;
  curve.options = trials.options;
  curve.rates = rates_of(trials, bin, curve.counts,
                         [&](std::size_t i, std::size_t t) { return trials.subjects[i].choice[t]; });
  curve.trial.assign(curve.counts.size(), 0.0);
  for (const Subject& subject : trials.subjects) {
    for (std::int64_t t = 0; t < subject.size(); ++t) {
      const auto at = static_cast<std::size_t>(t / bin);
      curve.trial[at] += static_cast<double>(t + 1) / curve.counts[at];
    }
  }
  return curve;
}

PredictiveCheck predictive_check(const Model& model, const Trials& trials, const std::vector<Numbers>& draws,
                                 const Rng& rng, const PredictiveOptions& options) {
  check(model, trials, draws, options);
  PredictiveCheck result;
  result.observed = learning_curve(trials, options.bin);
  const std::vector<Trials> each = one_by_one(trials);
  std::vector<Replicate> replicates(draws.size());
  const double nanoseconds = 100.0 * static_cast<double>(trials.size()) * static_cast<double>(draws.size());
  parallel_tiles(static_cast<std::int64_t>(draws.size()), nanoseconds, [&](std::int64_t tile) {
    const auto d = static_cast<std::size_t>(tile);
    const Rng own = rng.fold_in(d);
    replicates[d] = options.task ? played_anew(model, trials, *options.task, draws[d], options.bin, own)
                                 : given_the_past(model, trials, each, draws[d], options.bin, own);
  });

  const auto count = static_cast<double>(draws.size());
  for (std::size_t r = 0; r < result.observed.rates.size(); ++r) {
    Numbers rates;
    double mean = 0.0;
    for (const Replicate& one : replicates) {
      rates.push_back(one.rates[r]);
      mean += one.rates[r] / count;
    }
    result.expected.push_back(mean);
    result.low.push_back(quantile(rates, 0.5 * (1.0 - options.interval)));
    result.high.push_back(quantile(rates, 0.5 * (1.0 + options.interval)));
    const double seen = result.observed.rates[r];
    const bool inside = result.low.back() <= seen && seen <= result.high.back();
    result.covered += inside ? 1.0 / static_cast<double>(result.observed.rates.size()) : 0.0;
  }
  if (!options.task) {
    result.hit_rate.assign(trials.subjects.size(), 0.0);
    for (const Replicate& one : replicates) {
      for (std::size_t i = 0; i < one.hits.size(); ++i) result.hit_rate[i] += one.hits[i] / count;
    }
  }
  return result;
}

std::vector<Numbers> parameter_draws(const HierarchicalPosterior& posterior, std::int64_t most) {
  std::vector<Numbers> result;
  for (const DrawPlace& place : even_draws(posterior.draws, most)) {
    result.push_back(posterior.subject_parameters(place.chain, place.sample));
  }
  return result;
}

}  // namespace likely::choice
