// Ancestral sampling, and greedy choice.
#include <limits>

#include "likely/core/create.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/prob/sequence/search_parts.hpp"
#include "likely/prob/sequence/token_draws.hpp"

namespace likely::detail {

namespace {

// About what a draw from a row costs, in nanoseconds.
constexpr double kDraw = 2000.0;

// Sequences that each go their own way.
class OneByOne : public Search {
 public:
  OneByOne(const char* operation, std::int64_t count, const SearchOptions& options, std::int64_t end_token)
      : beams_(operation, count, options, end_token) {}

  Frontier advance(const Tensor& log_probabilities) override {
    const Tensor x = beams_.filtered(log_probabilities);
    if (steps_ == 0) {
      // The first step has one row for all sequences of a start.
      for (auto& of_one : beams_.of_start) of_one.assign(static_cast<std::size_t>(beams_.count()), of_one[0]);
    }
    std::vector<Beam*> going;
    for (auto& of_one : beams_.of_start) {
      for (Beam& beam : of_one) {
        if (beam.goes_on()) going.push_back(&beam);
      }
    }
    const std::vector<Choice> choices = choose(x, going);
    std::vector<std::int64_t> told(static_cast<std::size_t>(beams_.options().starts * beams_.count()), -1);
    std::size_t at = 0, place = 0;
    for (auto& of_one : beams_.of_start) {
      for (Beam& beam : of_one) {
        if (beam.goes_on()) {
          told[place] = choices[at].token;
          beam = beams_.extended(beam, choices[at].token, choices[at].log_probability);
          beam.rank = beam.log_probability;
          ++at;
        }
        ++place;
      }
    }
    ++steps_;
    if (beams_.options().on_tokens)
      beams_.options().on_tokens(steps_, tensor(told, Shape{beams_.options().starts, beams_.count()}));
    return beams_.frontier();
  }

  PerturbedSequences result() const { return beams_.result({}); }

 protected:
  struct Choice {
    std::int64_t token;
    double log_probability;
  };
  virtual std::vector<Choice> choose(const Tensor& x, const std::vector<Beam*>& going) = 0;
  const Beams& beams() const { return beams_; }
  std::int64_t steps() const { return steps_; }

 private:
  Beams beams_;
  std::int64_t steps_ = 0;
};

class Ancestral final : public OneByOne {
 public:
  Ancestral(std::int64_t count, Rng rng, const SearchOptions& options, std::int64_t end_token)
      : OneByOne("sample_sequences", count, options, end_token), rng_(rng) {}

 private:
  std::vector<Choice> choose(const Tensor& x, const std::vector<Beam*>& going) override {
    const TokenMasses masses(beams().operation(), x, beams().rows());
    const Rng of_step = rng_.fold_in(static_cast<std::uint64_t>(steps()));
    std::vector<Choice> choices(going.size());
    const auto n = std::ssize(going);
    parallel_tiles(n, kDraw * static_cast<double>(n), [&](std::int64_t i) {
      give_up_if(beams().options().cancelled);
      const auto place = static_cast<std::size_t>(i);
      Uniforms random(of_step.fold_in(static_cast<std::uint64_t>(i)).draw());
      const std::int64_t token = masses.draw(going[place]->row, random);
      choices[place] = {token, masses.log_probability(going[place]->row, token)};
    });
    return choices;
  }

  Rng rng_;
};

class Greedy final : public OneByOne {
 public:
  Greedy(const SearchOptions& options, std::int64_t end_token)
      : OneByOne("greedy_sequences", 1, options, end_token) {}

 private:
  std::vector<Choice> choose(const Tensor& x, const std::vector<Beam*>& going) override {
    const TokenMasses masses(beams().operation(), x, beams().rows());  // refuses what are no probabilities
    const Tensor best = argmax(x, -1);
    std::vector<Choice> choices;
    for (const Beam* beam : going) {
      const auto token = static_cast<std::int64_t>(best.at({beam->row}));
      choices.push_back({token, masses.log_probability(beam->row, token)});
    }
    return choices;
  }
};

template <class S>
Drawn drawn_by(std::unique_ptr<S> search) {
  auto result = [seen = search.get()] { return seen->result(); };
  return {std::move(search), result};
}

}  // namespace

Drawn sampling(std::int64_t count, Rng rng, const SearchOptions& options, std::int64_t end_token) {
  check_search("sample_sequences", count, options, true, false);
  return drawn_by(std::make_unique<Ancestral>(count, rng, options, end_token));
}

Drawn greedy(const SearchOptions& options, std::int64_t end_token) {
  check_search("greedy_sequences", 1, options, true, false);
  return drawn_by(std::make_unique<Greedy>(options, end_token));
}

}  // namespace likely::detail
