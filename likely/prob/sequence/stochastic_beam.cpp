// Stochastic beam search (Kool, van Hoof and Welling, 2019).
#include <algorithm>
#include <cmath>
#include <limits>

#include "likely/core/threads.hpp"
#include "likely/prob/sequence/search_parts.hpp"
#include "likely/prob/sequence/token_draws.hpp"

namespace likely::detail {

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
// About what the draws from a row cost, in nanoseconds.
constexpr double kDraws = 6000.0;

// `rank` is the perturbed log-probability of a prefix: the largest of all sequences that begin with it.
class TopDown final : public Search {
 public:
  TopDown(std::int64_t count, Rng rng, const SearchOptions& options, std::int64_t end_token)
      : beams_("stochastic_beam_search", count, options, end_token), rng_(rng) {
    Uniforms random(rng_.fold_in(0).draw());
    for (auto& of_one : beams_.of_start) of_one[0].rank = -std::log(random.exponential());
    kappa_.assign(static_cast<std::size_t>(options.starts), kNone);
  }

  Frontier advance(const Tensor& log_probabilities) override {
    const TokenMasses masses(beams_.operation(), beams_.filtered(log_probabilities), beams_.rows());
    const std::vector<Extensions> found = extensions(masses, rng_.fold_in(++steps_));
    std::size_t at = 0;
    for (std::size_t start = 0; start < beams_.of_start.size(); ++start) {
      auto& of_one = beams_.of_start[start];
      std::vector<Candidate> candidates;
      for (const Beam& beam : of_one) {
        if (!beam.goes_on()) {
          candidates.push_back({&beam, nullptr, beam.rank});
          continue;
        }
        for (const PerturbedToken& token : found[at]) candidates.push_back({&beam, &token, token.perturbed});
        ++at;
      }
      of_one = best(candidates, kappa_[start]);
    }
    return beams_.frontier();
  }

  PerturbedSequences result() const { return beams_.result(kappa_); }

 private:
  using Extensions = std::vector<PerturbedToken>;
  struct Candidate {
    const Beam* beam;
    const PerturbedToken* token;  // none: a beam that has ended
    double perturbed;
    bool known() const { return token == nullptr || token->token >= 0; }
  };

  // Of each beam that goes on, what can be among the best of its start, and one more.
  std::vector<Extensions> extensions(const TokenMasses& masses, const Rng& of_step) const {
    struct Row {
      const Beam* beam;
      double enough;
    };
    std::vector<Row> rows;
    for (const auto& of_one : beams_.of_start) {
      // Each beam has an extension as high as itself: where there are enough of them, nothing below the
      // lowest can be among the best.
      const bool full = std::ssize(of_one) == beams_.count();
      for (const Beam& beam : of_one) {
        if (beam.goes_on()) rows.push_back({&beam, full ? of_one.back().rank : kNone});
      }
    }
    std::vector<Extensions> found(rows.size());
    const auto n = std::ssize(rows);
    parallel_tiles(n, kDraws * static_cast<double>(n), [&](std::int64_t i) {
      give_up_if(beams_.options().cancelled);
      const auto place = static_cast<std::size_t>(i);
      const Beam& beam = *rows[place].beam;
      Uniforms random(of_step.fold_in(static_cast<std::uint64_t>(i)).draw());
      found[place] = masses.perturbed(beam.row, beam.log_probability, beam.rank, rows[place].enough,
                                      beams_.count() + 1, random);
    });
    return found;
  }

  // The highest, falling; kappa rises to the highest of the others.
  std::vector<Beam> best(std::vector<Candidate>& candidates, double& kappa) {
    // Of equals those that were looked up: of the others it is only known that nothing needs them.
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      return a.perturbed != b.perturbed ? a.perturbed > b.perturbed : a.known() && !b.known();
    });
    const std::size_t kept = std::min(candidates.size(), static_cast<std::size_t>(beams_.count()));
    if (kept < candidates.size()) kappa = std::max(kappa, candidates[kept].perturbed);
    std::vector<Beam> beams;
    for (std::size_t i = 0; i < kept; ++i) {
      const Candidate& c = candidates[i];
      beams.push_back(
          c.token == nullptr ? *c.beam : beams_.extended(*c.beam, c.token->token, c.token->log_probability));
      beams.back().rank = c.perturbed;
    }
    return beams;
  }

  Beams beams_;
  Rng rng_;
  std::uint64_t steps_ = 0;
  std::vector<double> kappa_;
};

}  // namespace

Drawn stochastic_beam(std::int64_t count, Rng rng, const SearchOptions& options, std::int64_t end_token) {
  check_search("stochastic_beam_search", count, options, false, false);
  auto search = std::make_unique<TopDown>(count, rng, options, end_token);
  auto result = [seen = search.get()] { return seen->result(); };
  return {std::move(search), result};
}

}  // namespace likely::detail
