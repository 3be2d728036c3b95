// Beam search.
#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/ops/order.hpp"
#include "likely/prob/sequence/search_parts.hpp"
#include "likely/prob/sequence/token_draws.hpp"

namespace likely::detail {

namespace {

class BestFirst final : public Search {
 public:
  BestFirst(std::int64_t count, const SearchOptions& options, std::int64_t end_token)
      : beams_("beam_search", count, options, end_token) {}

  Frontier advance(const Tensor& log_probabilities) override {
    const Tensor x = beams_.filtered(log_probabilities);
    const TokenMasses masses(beams_.operation(), x, beams_.rows());  // refuses what are no probabilities
    const std::int64_t most = std::min(beams_.count(), x.dim(1));
    const TopK best = topk(x, most);
    const std::vector<double> values = best.values.to_vector<double>();
    const Tensor indices = best.indices.contiguous();
    for (auto& of_one : beams_.of_start) {
      std::vector<Candidate> candidates;
      for (std::size_t i = 0; i < of_one.size(); ++i) {
        const Beam& beam = of_one[i];
        if (!beam.goes_on()) {
          candidates.push_back({i, -1, 0.0, beam.rank});
          continue;
        }
        for (std::int64_t j = beam.row * most; j < (beam.row + 1) * most; ++j) {
          const double value = values[static_cast<std::size_t>(j)];
          if (value == -std::numeric_limits<double>::infinity()) break;
          candidates.push_back({i, indices.data<std::int64_t>()[j], value,
                                rank(beam.log_probability + value, beam.length + 1)});
        }
      }
      // Of equals those of the better beam, and the earlier token.
      std::stable_sort(candidates.begin(), candidates.end(),
                       [](const Candidate& a, const Candidate& b) { return a.rank > b.rank; });
      candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(beams_.count())));
      std::vector<Beam> kept;
      for (const Candidate& c : candidates) {
        kept.push_back(c.token < 0 ? of_one[c.beam]
                                   : beams_.extended(of_one[c.beam], c.token, c.log_probability));
        kept.back().rank = c.rank;
      }
      of_one = std::move(kept);
    }
    return beams_.frontier();
  }

  PerturbedSequences result() const { return beams_.result({}); }

 private:
  struct Candidate {
    std::size_t beam;
    std::int64_t token;  // -1: a beam that has ended
    double log_probability;
    double rank;
  };

  double rank(double log_probability, std::int64_t length) const {
    const double penalty = beams_.options().length_penalty;
    return penalty == 0.0 ? log_probability
                          : log_probability / std::pow(static_cast<double>(length), penalty);
  }

  Beams beams_;
};

}  // namespace

Drawn beam(std::int64_t count, const SearchOptions& options, std::int64_t end_token) {
  check_search("beam_search", count, options, false, true);
  auto search = std::make_unique<BestFirst>(count, options, end_token);
  auto result = [seen = search.get()] { return seen->result(); };
  return {std::move(search), result};
}

}  // namespace likely::detail
