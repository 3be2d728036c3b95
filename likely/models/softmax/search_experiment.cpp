// Hot: looks at the tokens of many sequences.
#include "likely/models/softmax/search_experiment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/core/nearest_name.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/prob/sequence/without_replacement.hpp"

namespace likely::sequences {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const std::vector<std::string>& method_names() {
  static const std::vector<std::string> kNames{"ancestral", "greedy", "beam", "stochastic-beam"};
  return kNames;
}

// A function of sequences that is a sum over their places.
struct Summed {
  enum class Kind : std::uint8_t { length, entropy, count } kind;
  std::string name;
  std::int64_t state = -1;
};

std::vector<double> values_of(const Summed& f, const Sequences& found) {
  if (f.kind == Summed::Kind::length) return found.lengths.to_vector<double>();
  std::vector<double> values = found.log_probabilities.to_vector<double>();
  if (f.kind == Summed::Kind::entropy) {
    for (double& x : values) x = -x;
    return values;
  }
  const Tensor tokens = found.tokens.contiguous();
  const std::int64_t longest = tokens.shape().back();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t* first = tokens.data<std::int64_t>() + static_cast<std::int64_t>(i) * longest;
    values[i] = static_cast<double>(std::count(first, first + longest, f.state));
  }
  return values;
}

// The probabilities that the filter leaves of a row of the chain; of the end none.
std::vector<std::vector<double>> filtered_rows(const MarkovChain& chain, const TokenFilter& filter) {
  std::vector<std::vector<double>> rows;
  for (std::int64_t i = 0; i <= chain.states(); ++i) {
    if (i == chain.end_token())
      rows.emplace_back(static_cast<std::size_t>(chain.states()), 0.0);
    else
      rows.push_back(exp(filter(chain.log_rows[i])).to_vector<double>());
  }
  return rows;
}

// The mean under the chain: where sequences are at each place is known.
double exact_mean(const std::vector<std::vector<double>>& rows, std::int64_t end, const Summed& f,
                  std::int64_t max_length, const CancelTest& cancelled) {
  std::vector<double> gain;  // what a place adds, after each state
  for (const auto& row : rows) {
    double g = f.kind == Summed::Kind::length ? 1.0 : 0.0;
    if (f.kind == Summed::Kind::count) g = row[static_cast<std::size_t>(f.state)];
    if (f.kind == Summed::Kind::entropy) {
      for (const double p : row) g -= p > 0.0 ? p * std::log(p) : 0.0;
    }
    gain.push_back(g);
  }
  const std::size_t n = rows.size() - 1;
  double mean = gain[n];
  std::vector<double> at = rows[n];
  for (std::int64_t place = 1; place < max_length; ++place) {
    give_up_if(cancelled);
    std::vector<double> next(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      if (static_cast<std::int64_t>(i) == end || at[i] == 0.0) continue;
      mean += at[i] * gain[i];
      for (std::size_t j = 0; j < n; ++j) next[j] += at[i] * rows[i][j];
    }
    at = std::move(next);
  }
  return mean;
}

SearchOptions options_of(const SequenceRequest& request) {
  return {.max_length = request.max_length,
          .filter = request.filter,
          .length_penalty = request.method == SearchMethod::beam ? request.length_penalty : 0.0,
          .cancelled = request.cancelled};
}

MeanEstimate estimate(const Summed& f, SearchMethod method, const PerturbedSequences& found) {
  MeanEstimate mean{f.name, kNaN, kNaN, kNaN, kNaN, kNaN};
  const std::vector<double> values = values_of(f, found);
  if (method == SearchMethod::stochastic_beam) {
    const WithoutReplacement estimates =
        mean_without_replacement(found, tensor(values, found.lengths.shape()));
    mean.mean = estimates.unbiased.item();
    mean.error = estimates.standard_error.item();
    mean.normalised = estimates.normalised.item();
    mean.normalised_error = estimates.normalised_standard_error.item();
    // One of several sequences says nothing about their spread.
    if (values.size() == 1 && std::isfinite(found.kappa.item())) mean.error = mean.normalised_error = kNaN;
  } else if (method == SearchMethod::ancestral) {
    const auto n = static_cast<double>(values.size());
    double sum = 0.0, square = 0.0;
    for (const double v : values) sum += v;
    for (const double v : values) square += (v - sum / n) * (v - sum / n);
    mean.mean = sum / n;
    mean.error = n > 1.0 ? std::sqrt(square / (n - 1.0) / n) : kNaN;
  }
  return mean;
}

std::vector<Summed> functions(const NamedChain& chain, const SequenceRequest& request) {
  std::vector<Summed> all{{Summed::Kind::length, "length"}, {Summed::Kind::entropy, "entropy"}};
  if (!request.counted.empty())
    all.push_back({Summed::Kind::count, "count of " + request.counted, chain.state(request.counted)});
  return all;
}

PerturbedSequences with_nothing_perturbed(Sequences found) {
  PerturbedSequences all;
  static_cast<Sequences&>(all) = std::move(found);
  return all;
}

PerturbedSequences search(const MarkovChain& chain, const SequenceRequest& request) {
  const SearchOptions options = options_of(request);
  const Rng rng(request.seed);
  switch (request.method) {
    case SearchMethod::ancestral:
      return with_nothing_perturbed(sample_sequences(chain, request.count, rng, options));
    case SearchMethod::greedy: return with_nothing_perturbed(greedy_sequences(chain, options));
    case SearchMethod::beam: return with_nothing_perturbed(beam_search(chain, request.count, options));
    case SearchMethod::stochastic_beam: break;
  }
  return stochastic_beam_search(chain, request.count, rng, options);
}

}  // namespace

SearchMethod search_method(const std::string& name) {
  const auto& names = method_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw Error(fmt::format("`method`: there is no method \"{}\"{}; there are {}", name,
                            did_you_mean(name, names), fmt::join(names, ", ")));
  return static_cast<SearchMethod>(found - names.begin());
}

std::string name_of(SearchMethod method) { return method_names()[static_cast<std::size_t>(method)]; }

SequenceStudy sequence_study(const NamedChain& chain, const SequenceRequest& request) {
  const std::vector<Summed> all = functions(chain, request);
  const PerturbedSequences found = search(chain.chain, request);
  SequenceStudy study{.request = request,
                      .sequences = {},
                      .log_probabilities = {},
                      .perturbed = {},
                      .kappa = kNaN,
                      .means = {}};
  const bool stochastic = request.method == SearchMethod::stochastic_beam;
  const std::vector<double> log_probabilities = found.log_probabilities.to_vector<double>();
  const std::vector<double> perturbed =
      stochastic ? found.perturbed.to_vector<double>() : std::vector<double>{};
  const std::vector<std::int64_t> lengths = found.lengths.to_vector<std::int64_t>();
  const Tensor tokens = found.tokens.contiguous();
  for (std::size_t i = 0; i < lengths.size() && lengths[i] > 0; ++i) {
    const std::int64_t* first =
        tokens.data<std::int64_t>() + static_cast<std::int64_t>(i) * tokens.shape().back();
    std::vector<std::string> names;
    for (std::int64_t j = 0; j < lengths[i]; ++j)
      names.push_back(chain.states[static_cast<std::size_t>(first[j])]);
    study.sequences.push_back(names);
    study.log_probabilities.push_back(log_probabilities[i]);
    if (stochastic) study.perturbed.push_back(perturbed[i]);
  }
  if (stochastic) study.kappa = found.kappa.item();
  const auto rows = filtered_rows(chain.chain, request.filter);
  for (const Summed& f : all) {
    study.means.push_back(estimate(f, request.method, found));
    study.means.back().exact =
        exact_mean(rows, chain.chain.end_token(), f, request.max_length, request.cancelled);
  }
  return study;
}

CompareStudy compare_searches(const NamedChain& chain, const CompareRequest& request) {
  if (request.runs < 2) throw Error(fmt::format("`runs` must be at least 2, got {}", request.runs));
  const Summed f = functions(chain, request.search).back();
  CompareStudy study{f.name, request, {}};
  Rng rng(request.search.seed);
  for (const double temperature : request.temperatures) {
    SequenceRequest one = request.search;
    one.filter.temperature = temperature * request.search.filter.temperature;
    const auto rows = filtered_rows(chain.chain, one.filter);
    const double exact = exact_mean(rows, chain.chain.end_token(), f, one.max_length, one.cancelled);
    for (const std::int64_t count : request.counts) {
      SearchOptions options = options_of(one);
      std::array<std::vector<double>, 4> found;
      // So many side by side as share a few megabytes of log-probabilities.
      const std::int64_t together =
          std::clamp<std::int64_t>(1'000'000 / (count * chain.chain.states()), 1, request.runs);
      for (std::int64_t done = 0; done < request.runs; done += together) {
        options.starts = std::min(together, request.runs - done);
        const auto some = stochastic_beam_search(chain.chain, count, rng.split(), options);
        const auto estimates =
            mean_without_replacement(some, tensor(values_of(f, some), some.lengths.shape()));
        const Sequences drawn = sample_sequences(chain.chain, count, rng.split(), options);
        const std::vector<double> means =
            mean(tensor(values_of(f, drawn), drawn.lengths.shape()), {-1}).to_vector<double>();
        for (std::size_t i = 0; i < means.size(); ++i) {
          found[0].push_back(estimates.unbiased.at({static_cast<std::int64_t>(i)}));
          found[1].push_back(estimates.normalised.at({static_cast<std::int64_t>(i)}));
          found[2].push_back(means[i]);
        }
      }
      options.starts = 1;
      const Sequences best = beam_search(chain.chain, count, options);
      const std::vector<double> values = values_of(f, best),
                                log_p = best.log_probabilities.to_vector<double>();
      double mass = 0.0, sum = 0.0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        mass += std::exp(log_p[i]);
        if (log_p[i] > -std::numeric_limits<double>::infinity()) sum += std::exp(log_p[i]) * values[i];
      }
      found[3] = {sum / mass};
      constexpr std::array<const char*, 4> kNames{"unbiased", "normalised", "with replacement", "beam"};
      for (std::size_t e = 0; e < found.size(); ++e) {
        std::vector<double>& x = found[e];
        std::sort(x.begin(), x.end());
        double total = 0.0, square = 0.0;
        for (const double v : x) {
          total += v;
          square += (v - exact) * (v - exact);
        }
        const auto n = static_cast<double>(x.size());
        const auto at = [&](double share) {
          return x[static_cast<std::size_t>(std::lround(share * (n - 1.0)))];
        };
        study.rows.push_back(
            {temperature, count, kNames[e], exact, total / n, at(0.05), at(0.95), std::sqrt(square / n)});
      }
    }
  }
  return study;
}

}  // namespace likely::sequences
