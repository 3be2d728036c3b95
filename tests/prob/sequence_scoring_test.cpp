// How probable given sequences are: values, gradients, models that read many tokens at once, and refusals.
#include <gtest/gtest.h>

#include <cmath>

#include "likely/likely.hpp"
#include "likely/prob/sequence/scoring.hpp"
#include "tests/prob/sequence_tree.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/refusal.hpp"

namespace likely {
namespace {

using testing::check_gradients;
using testing::expect_refusal;
using testing::numbers;
using testing::random_tree;
using testing::sequences_of;
using testing::Tokens;
using testing::TreeModel;

TEST(Scoring, SumsWhatTheSearchSummed) {
  const TreeModel tree = random_tree(41, 5, 4);
  const auto drawn = sample_sequences(tree, 30, Rng(8));
  const Scores scores = score_sequences(tree, drawn.tokens, drawn.lengths);
  EXPECT_TRUE(allclose(scores.log_probabilities, reshape(drawn.log_probabilities, {30}), 1e-13, 1e-13));
  EXPECT_TRUE(allclose(sum(scores.tokens, {-1}), scores.log_probabilities, 1e-13, 1e-13));
  const double tokens = sum(drawn.lengths).item();
  EXPECT_NEAR(perplexity(scores), std::exp(-sum(drawn.log_probabilities).item() / tokens), 1e-12);
  // Of uniform tokens it is their number.
  const MarkovChain uniform(full({8}, 0.125), full({8, 8}, 0.125));
  EXPECT_NEAR(perplexity(score_sequences(uniform, Rng(1).randint(0, 8, {4, 9}))), 8.0, 1e-12);
}

TEST(Scoring, RefusesWhatIsNoSequence) {
  const MarkovChain uniform(full({4}, 0.25), full({4, 4}, 0.25));
  expect_refusal(
      [&] {
        score_sequences(uniform, tensor({{0, 4}}));
      },
      "[score_sequences] tokens[0, 1] is 4, but there are 4 tokens");
  expect_refusal(
      [&] {
        score_sequences(uniform, tensor({{0.0, 1.0}}));
      },
      "[score_sequences] tokens must be (..., length) i64 and not empty, got (1, 2) f32");
  expect_refusal(
      [&] {
        score_sequences(uniform, tensor({{0, 1}}), tensor({3}));
      },
      "[score_sequences] lengths must be in [0, 2], got 3 at 0");
  expect_refusal(
      [&] {
        score_sequences(uniform, tensor({{0, 1}}), tensor({1, 1}));
      },
      "[score_sequences] lengths must be i64, one for each of 1 sequences, got (2,) i64");
  expect_refusal(
      [&] {
        perplexity(score_sequences(uniform, tensor({{0, 1}}), tensor({0})));
      },
      "[perplexity] there are no tokens");
}

// A recurrent network over the tokens 0 ... 3; 4 is what it reads first.
struct Recurrent {
  Tensor table, weight, out;
  mutable std::int64_t steps = 0;

  std::int64_t start_token() const { return 4; }
  Tensor start(std::int64_t n) const { return zeros({n, 3}, DType::f64); }
  SequenceStep<Tensor> step(const Tensor& h, const Tensor& tokens) const {
    ++steps;
    const Tensor next = tanh(linear(h, weight) + embedding(table, tokens));
    return {log_softmax(linear(next, out)), next};
  }
  Tensor select(const Tensor& h, const Tensor& rows) const { return index_select(h, 0, rows); }
  LIKELY_PARTS(table, weight, out)
};

Recurrent recurrent() { return {numbers({5, 3}), numbers({3, 3}, 0.8, 1), numbers({4, 3}, 1.5, 2)}; }

const Tensor kGiven = tensor({{1, 3, 0, 2}, {2, 2, -1, -1}, {0, 1, 1, 77}, {-1, -1, -1, -1}});
const Tensor kLengths = tensor({4, 2, 3, 0});

TEST(Scoring, HasTheGradientOfTheModel) {
  const Recurrent model = recurrent();
  const auto loss_of = [](const Recurrent& m) {
    return -sum(score_sequences(m, kGiven, kLengths).log_probabilities);
  };
  const auto [loss, gradient] = value_and_grad(model, loss_of);
  const auto compare = [&](const char* name, Tensor Recurrent::*part) {
    const std::vector<double> at = (model.*part).to_vector<double>(),
                              found = (gradient.*part).to_vector<double>();
    bool any = false;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const auto moved = [&](double by) {
        std::vector<double> x = at;
        x[i] += by;
        Recurrent m = model;
        m.*part = tensor(x, (model.*part).shape());
        return loss_of(m).item();
      };
      EXPECT_NEAR(found[i], (moved(1e-5) - moved(-1e-5)) / 2e-5, 1e-8) << name << " " << i;
      any = any || std::abs(found[i]) > 0.01;
    }
    EXPECT_TRUE(any) << name;
  };
  compare("table", &Recurrent::table);
  compare("weight", &Recurrent::weight);
  compare("out", &Recurrent::out);
  // Of single tokens, and second derivatives.
  check_gradients("score_sequences",
                  [](const std::vector<Tensor>& parts) {
                    return score_sequences(Recurrent{parts[0], parts[1], parts[2]}, kGiven, kLengths).tokens;
                  },
                  {model.table, model.weight, model.out});
}

// The rows of a chain as logits: parameters, with 0 as the end.
struct LogitChain {
  Tensor logits;  // (4, 3)
  std::int64_t start_token() const { return 3; }
  std::int64_t end_token() const { return 0; }
  NoStates start(std::int64_t) const { return {}; }
  SequenceStep<NoStates> step(NoStates states, const Tensor& tokens) const {
    return {log_softmax(index_select(logits, 0, tokens)), states};
  }
  NoStates select(NoStates states, const Tensor&) const { return states; }
  LIKELY_PARTS(logits)
};

// E f and its gradient, and the variance of (f - baseline) d log p, summed over all sequences of at most
// three tokens by hand.
TEST(Scoring, ReinforceHasTheEnumeratedGradient) {
  const LogitChain model{numbers({4, 3}, 1.0, 5)};
  constexpr double kBaseline = 2.0;
  constexpr std::int64_t kSamples = 20000;
  const auto reward = [](const Tokens& tokens) {
    double value = static_cast<double>(std::ssize(tokens));
    for (std::size_t i = 0; i < tokens.size(); ++i)
      value += std::sin(2.0 * static_cast<double>(tokens[i]) + static_cast<double>(i));
    return value;
  };
  std::vector<double> p(12), exact(12), square(12);
  for (std::size_t row = 0; row < 4; ++row) {
    double total = 0.0;
    const auto logit = [&](std::size_t v) {
      return model.logits.at({static_cast<std::int64_t>(row), static_cast<std::int64_t>(v)});
    };
    for (std::size_t v = 0; v < 3; ++v) total += std::exp(logit(v));
    for (std::size_t v = 0; v < 3; ++v) p[row * 3 + v] = std::exp(logit(v)) / total;
  }
  std::vector<Tokens> open{{}};
  double all = 0.0;
  while (!open.empty()) {
    const Tokens tokens = open.back();
    open.pop_back();
    if (tokens.size() < 3 && (tokens.empty() || tokens.back() != 0)) {
      for (std::int64_t v = 0; v < 3; ++v) {
        open.push_back(tokens);
        open.back().push_back(v);
      }
      continue;
    }
    double probability = 1.0;
    std::vector<double> slope(12);
    std::size_t row = 3;
    for (const std::int64_t token : tokens) {
      probability *= p[row * 3 + static_cast<std::size_t>(token)];
      for (std::size_t v = 0; v < 3; ++v)
        slope[row * 3 + v] += (static_cast<std::int64_t>(v) == token ? 1.0 : 0.0) - p[row * 3 + v];
      row = static_cast<std::size_t>(token);
    }
    all += probability;
    for (std::size_t i = 0; i < 12; ++i) {
      exact[i] += probability * reward(tokens) * slope[i];
      const double term = (reward(tokens) - kBaseline) * slope[i];
      square[i] += probability * term * term;
    }
  }
  ASSERT_NEAR(all, 1.0, 1e-12);
  const Sequences drawn = sample_sequences(model, kSamples, Rng(17), {.max_length = 3});
  std::vector<double> rewards;
  for (const Tokens& tokens : sequences_of(drawn.tokens, drawn.lengths)) rewards.push_back(reward(tokens));
  const auto [value, gradient] = value_and_grad(model, [&](const LogitChain& m) {
    return score_surrogate(score_sequences(m, drawn.tokens, drawn.lengths).log_probabilities, tensor(rewards),
                           baseline::Constant(kBaseline));
  });
  const std::vector<double> found = gradient.logits.to_vector<double>();
  for (std::size_t i = 0; i < 12; ++i) {
    const double error = std::sqrt((square[i] - exact[i] * exact[i]) / static_cast<double>(kSamples));
    EXPECT_NEAR(found[i], exact[i], 4.5 * error + 1e-12) << i;
    if (i >= 3) {
      EXPECT_GT(std::abs(exact[i]), 5.0 * error) << i;  // row 0 is that of the end: nobody reads it
    }
  }
}

// The same network, which reads many tokens at once.
struct Reader : Recurrent {
  mutable std::int64_t reads = 0, read_at_once = 0;
  SequenceStep<Tensor> read(Tensor h, const Tensor& tokens) const {
    ++reads;
    read_at_once = tokens.dim(1);
    std::vector<Tensor> said;
    for (std::int64_t place = 0; place < tokens.dim(1); ++place) {
      auto next = Recurrent::step(h, likely::select(tokens, 1, place).contiguous());
      said.push_back(next.log_probabilities);
      h = next.states;
    }
    steps = 0;
    return {stack(said, 1), h};
  }
};

TEST(Scoring, AsksAModelThatReadsManyTokensOnce) {
  const Recurrent by_steps = recurrent();
  const Reader reader{recurrent()};
  const Scores expected = score_sequences(by_steps, kGiven, kLengths);
  const Scores found = score_sequences(reader, kGiven, kLengths);
  EXPECT_EQ(by_steps.steps, 4);
  EXPECT_EQ(reader.reads, 1);
  EXPECT_EQ(reader.steps, 0);
  EXPECT_EQ(reader.read_at_once, 4);
  EXPECT_TRUE(array_equal(found.tokens, expected.tokens));
  EXPECT_TRUE(array_equal(found.log_probabilities, expected.log_probabilities));
  EXPECT_EQ(found.tokens.at({1, 2}), 0.0);
  EXPECT_EQ(found.tokens.at({2, 3}), 0.0);
  EXPECT_LT(max(slice(found.tokens, {{0, 3}, {0, 2}})).item(), 0.0);
  EXPECT_EQ(perplexity(found), perplexity(expected));
  const auto of = [](const Tensor& lengths) {
    return [lengths](const std::vector<Tensor>& parts) {
      return score_sequences(Reader{{parts[0], parts[1], parts[2]}}, kGiven, lengths).log_probabilities;
    };
  };
  check_gradients("score_sequences, read", of(kLengths), {reader.table, reader.weight, reader.out});
  // No further than the longest, and not at all where there are no tokens.
  score_sequences(reader, kGiven, tensor({1, 2, 0, 0}));
  EXPECT_EQ(reader.read_at_once, 2);
  const std::int64_t before = reader.reads;
  const Scores none = score_sequences(reader, kGiven, tensor({0, 0, 0, 0}));
  EXPECT_EQ(reader.reads, before);
  EXPECT_TRUE(array_equal(none.tokens, zeros({4, 4}, DType::f64)));
}

TEST(Scoring, RefusesWhatAReadMustNotReturn) {
  // What it says has nothing to do with its tokens, so that nothing else refuses them.
  struct Deaf : MarkovChain {
    Tensor said;
    SequenceStep<NoStates> read(NoStates states, const Tensor&) const { return {said, states}; }
  };
  const MarkovChain uniform(full({3}, 1.0 / 3.0, DType::f64), full({3, 3}, 1.0 / 3.0, DType::f64));
  const Tensor third = full({1, 2, 3}, -std::log(3.0), DType::f64);
  const Deaf deaf{uniform, third};
  EXPECT_NEAR(perplexity(score_sequences(deaf, tensor({{0, 2}}))), 3.0, 1e-12);
  expect_refusal(
      [&] {
        score_sequences(deaf, tensor({{0, 77}}));
      },
      "[score_sequences] tokens[0, 1] is 77, but there are 3 tokens");
  expect_refusal([&] { greedy_sequences(deaf, {.max_length = 1, .prompts = tensor({{77}})}); },
                 "[search] prompts[0, 0] is 77, but there are 3 tokens");
  expect_refusal([&] { greedy_sequences(deaf, {.max_length = 1, .prompts = tensor({{-1}})}); },
                 "[search] prompts[0, 0] is -1, but there are 3 tokens");
  const Deaf last_alone{uniform, select(third, 1, 0)};
  expect_refusal(
      [&] {
        score_sequences(last_alone, tensor({{0, 2}}));
      },
      "[score_sequences] a read of (1, 2) tokens must return log-probabilities (1, 2, V), f32 or "
      "f64, got (1, 3) f64");
  expect_refusal([&] { greedy_sequences(last_alone, {.max_length = 1, .prompts = tensor({{1}})}); },
                 "[search] a read of (1, 2) tokens must return log-probabilities (1, 2, V), f32 or f64, got "
                 "(1, 3) f64");
}

}  // namespace
}  // namespace likely
