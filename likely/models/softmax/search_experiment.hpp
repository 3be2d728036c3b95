// Searches in a Markov chain, and how far their estimates lie from the truth, which a chain tells: what
// `likely sequences` does.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/models/softmax/chain_file.hpp"
#include "likely/prob/sequence/search.hpp"
#include "likely/runs/picture_folder.hpp"

namespace likely::sequences {

// "ancestral", "greedy", "beam", "stochastic-beam".
enum class SearchMethod : std::uint8_t { ancestral, greedy, beam, stochastic_beam };
// Refuses other names.
SearchMethod search_method(const std::string& name);
std::string name_of(SearchMethod method);

struct SequenceRequest {
  SearchMethod method = SearchMethod::stochastic_beam;
  std::int64_t count = 10;
  std::int64_t max_length = 100;
  TokenFilter filter{};
  double length_penalty = 0.0;
  std::string counted{};  // a state: how often it comes is one of the means
  std::uint64_t seed = 1;
  CancelTest cancelled{};
};

// The mean of a function of sequences.
struct MeanEstimate {
  std::string of;  // "length", "entropy" or "count of STATE"
  double exact;
  double mean, error;  // of ancestral samples; unbiased and normalised of stochastic beams; NaN of the others
  double normalised, normalised_error;
};

struct SequenceStudy {
  SequenceRequest request;
  std::vector<std::vector<std::string>> sequences;  // in the order found
  std::vector<double> log_probabilities;
  std::vector<double> perturbed;  // of stochastic beams
  double kappa;                   // likewise; -inf where all sequences were found, NaN of the others
  std::vector<MeanEstimate> means;
};

// Refuses a state that is none, and options as the searches do.
SequenceStudy sequence_study(const NamedChain& chain, const SequenceRequest& request);
std::string sequences_text(const SequenceStudy& study);
// method, count, seed; sequences: states, log_probability, perturbed; kappa; means.
std::string sequences_json(const SequenceStudy& study);

// Estimators side by side, over `runs` searches: the mean of the count that is asked for, else the entropy.
struct CompareRequest {
  SequenceRequest search{};                            // its count takes no part
  std::vector<std::int64_t> counts{2, 5, 10, 20, 50};  // rising
  std::vector<double> temperatures{1.0, 0.5, 0.25};
  std::int64_t runs = 200;
};
struct Compared {
  double temperature;
  std::int64_t count;
  std::string estimator;                // "unbiased", "normalised", "with replacement", "beam"
  double exact, mean, low, high, rmse;  // low and high: of 90 % of the runs
};
struct CompareStudy {
  std::string of;
  CompareRequest request;
  std::vector<Compared> rows;
};
// Refuses runs < 2 and what sequence_study refuses.
CompareStudy compare_searches(const NamedChain& chain, const CompareRequest& request);
std::string compare_text(const CompareStudy& study);
std::string compare_json(const CompareStudy& study);
// estimators.csv and figures/estimators, into a folder that is there.
runs::Drawn write_comparison(const CompareStudy& study, const std::filesystem::path& folder,
                             bool figures = true);

}  // namespace likely::sequences
