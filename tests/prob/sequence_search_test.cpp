// Do searches find and draw what a tree that can be listed says they must?
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "likely/core/threads.hpp"
#include "likely/likely.hpp"
#include "likely/prob/sequence/markov_chain.hpp"
#include "likely/prob/sequence/search.hpp"
#include "tests/kernels/random_checks.hpp"
#include "tests/prob/sequence_tree.hpp"
#include "tests/support/refusal.hpp"

namespace likely {
namespace {

using kernels::chi_square;
using testing::all_sequences;
using testing::expect_refusal;
using testing::random_tree;
using testing::sequences_of;
using testing::Tokens;
using testing::TreeModel;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Keys are fixed: a probability above this one is the same in every run.
constexpr double kLeast = 0.001;

// The chi-square probability of counts, rare ones taken together.
double fit_of(const std::vector<double>& counts, const std::vector<double>& expected) {
  std::vector<double> many{0.0}, of{0.0};
  double rest = 0.0, rest_expected = 0.0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (expected[i] >= 10.0) {
      many.push_back(counts[i]);
      of.push_back(expected[i]);
    } else {
      rest += counts[i];
      rest_expected += expected[i];
    }
  }
  many[0] = rest;
  of[0] = rest_expected;
  if (rest_expected < 5.0) {
    many.erase(many.begin());
    of.erase(of.begin());
  }
  EXPECT_GT(many.size(), 1U);
  return chi_square(many, of);
}

// The probability of this ordered sample without replacement.
double ordered_probability(const std::map<Tokens, double>& all, const std::vector<Tokens>& sample) {
  double left = 1.0, probability = 1.0;
  for (const Tokens& tokens : sample) {
    const double p = std::exp(all.at(tokens));
    probability *= p / left;
    left -= p;
  }
  return probability;
}

// The first tree of these seeds that has 12 to 30 sequences.
TreeModel tree_of_some(unsigned seed, std::int64_t vocabulary, int depth, double sharpness = 1.0) {
  while (true) {
    TreeModel tree = random_tree(seed++, vocabulary, depth, sharpness);
    const std::size_t count = all_sequences(tree).size();
    if (count >= 12 && count <= 30) return tree;
  }
}

// Flat and peaked, deep and broad.
std::vector<TreeModel> trees() {
  return {tree_of_some(1, 3, 3), tree_of_some(5, 4, 2), tree_of_some(9, 3, 4, 2.5), tree_of_some(11, 24, 1)};
}

TEST(StochasticBeam, OrderedPairsFollowTheExactLaw) {
  for (const TreeModel& tree : trees()) {
    const auto all = all_sequences(tree);
    constexpr std::int64_t kRuns = 12'000;
    const auto found = stochastic_beam_search(tree, 2, Rng(17), {.starts = kRuns});
    const auto sequences = sequences_of(found.tokens, found.lengths);
    std::map<std::pair<Tokens, Tokens>, double> counts;
    for (std::size_t i = 0; i < sequences.size(); i += 2) counts[{sequences[i], sequences[i + 1]}] += 1.0;
    std::vector<double> seen, expected;
    for (const auto& [first, p] : all) {
      for (const auto& [second, q] : all) {
        if (first == second) continue;
        const auto count = counts.find({first, second});
        seen.push_back(count == counts.end() ? 0.0 : count->second);
        expected.push_back(kRuns * ordered_probability(all, {first, second}));
      }
    }
    EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0.0), static_cast<double>(kRuns))
        << "a pair that is none";
    EXPECT_NEAR(std::accumulate(expected.begin(), expected.end(), 0.0), kRuns, 1e-6 * kRuns);
    EXPECT_GT(fit_of(seen, expected), kLeast);
  }
}

TEST(StochasticBeam, InclusionAndLastPlaceFollowTheExactLaw) {
  const TreeModel tree = trees()[1];
  const auto all = all_sequences(tree);
  std::vector<Tokens> leaves;
  for (const auto& [tokens, p] : all) leaves.push_back(tokens);
  std::map<Tokens, double> inclusion, third;
  for (const Tokens& a : leaves) {
    for (const Tokens& b : leaves) {
      for (const Tokens& c : leaves) {
        if (a == b || b == c || a == c) continue;
        const double p = ordered_probability(all, {a, b, c});
        inclusion[a] += p, inclusion[b] += p, inclusion[c] += p, third[c] += p;
      }
    }
  }
  constexpr std::int64_t kRuns = 12'000;
  // Starts one by one have keys of their own; many at once share a key. Both must do.
  const auto found = stochastic_beam_search(tree, 3, Rng(23), {.starts = kRuns});
  const auto sequences = sequences_of(found.tokens, found.lengths);
  std::map<Tokens, double> in, at_third;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    in[sequences[i]] += 1.0;
    if (i % 3 == 2) at_third[sequences[i]] += 1.0;
  }
  std::vector<double> seen, expected;
  for (const Tokens& leaf : leaves) {
    seen.push_back(at_third[leaf]);
    expected.push_back(kRuns * third[leaf]);
    const double p = inclusion[leaf];
    EXPECT_NEAR(in[leaf], kRuns * p, 5.0 * std::sqrt(kRuns * p * (1.0 - p)) + 1.0);
  }
  EXPECT_GT(fit_of(seen, expected), kLeast);
  std::map<Tokens, double> one_by_one;
  Rng rng(29);
  for (int run = 0; run < 2000; ++run) {
    const auto one = stochastic_beam_search(tree, 1, rng.split());
    one_by_one[sequences_of(one.tokens, one.lengths)[0]] += 1.0;
  }
  seen.clear(), expected.clear();
  for (const auto& [leaf, p] : all)
    seen.push_back(one_by_one[leaf]), expected.push_back(2000.0 * std::exp(p));
  EXPECT_GT(fit_of(seen, expected), kLeast);
}

// The perturbed values have the law of the largest of independent Gumbels around the log-probabilities, kappa
// that of the one after them.
TEST(StochasticBeam, PerturbedValuesAreOrderedGumbels) {
  const TreeModel tree = trees()[2];
  const auto all = all_sequences(tree);
  constexpr std::int64_t kRuns = 4000;
  const auto found = stochastic_beam_search(tree, 3, Rng(31), {.starts = kRuns});
  const std::vector<double> perturbed = found.perturbed.to_vector<double>(),
                            kappa = found.kappa.to_vector<double>();
  std::vector<double> first, gap;
  const auto sequences = sequences_of(found.tokens, found.lengths);
  for (std::size_t run = 0; run < kRuns; ++run) {
    const double* p = &perturbed[3 * run];
    ASSERT_TRUE(p[0] >= p[1] && p[1] >= p[2] && p[2] >= kappa[run]);
    first.push_back(p[0]);
    // e^-kappa - e^-third is exponential at the rate of what is not in the sample: so is its product, at
    // rate 1.
    double left = 1.0;
    for (std::size_t i = 0; i < 3; ++i) left -= std::exp(all.at(sequences[3 * run + i]));
    gap.push_back(left * (std::exp(-kappa[run]) - std::exp(-p[2])));
  }
  EXPECT_GT(kernels::kolmogorov_smirnov(first, [](double x) { return std::exp(-std::exp(-x)); }), kLeast);
  EXPECT_GT(kernels::kolmogorov_smirnov(gap, [](double x) { return -std::expm1(-x); }), kLeast);
}

TEST(StochasticBeam, AllSequencesOnceWhereThereAreNoMore) {
  for (const TreeModel& tree : trees()) {
    const auto all = all_sequences(tree);
    for (const std::int64_t more : {0, 3}) {
      const auto count = std::ssize(all) + more;
      const auto found = stochastic_beam_search(tree, count, Rng(7), {.starts = 4});
      const auto sequences = sequences_of(found.tokens, found.lengths);
      for (std::int64_t start = 0; start < 4; ++start) {
        std::set<Tokens> different;
        for (std::int64_t i = 0; i < count; ++i) {
          const Tokens& tokens = sequences[static_cast<std::size_t>(start * count + i)];
          if (i >= std::ssize(all)) {
            EXPECT_TRUE(tokens.empty());
            EXPECT_EQ(found.log_probabilities.at({start, i}), -kInfinity);
            EXPECT_EQ(found.perturbed.at({start, i}), -kInfinity);
            continue;
          }
          different.insert(tokens);
          ASSERT_TRUE(all.contains(tokens));
          EXPECT_NEAR(found.log_probabilities.at({start, i}), all.at(tokens), 1e-12);
        }
        EXPECT_EQ(different.size(), all.size());
        EXPECT_EQ(found.kappa.at({start}), -kInfinity);
      }
    }
    const auto but_one = stochastic_beam_search(tree, std::ssize(all) - 1, Rng(7));
    EXPECT_GT(but_one.kappa.at({0}), -kInfinity);
  }
}

// One step of many tokens, peaked as at a low temperature: what is left beside the first falls below the
// smallest numbers, and every token is found all the same.
struct OneStep {
  Tensor log_probabilities;
  std::int64_t start_token() const { return 0; }
  NoStates start(std::int64_t) const { return {}; }
  SequenceStep<NoStates> step(NoStates states, const Tensor& tokens) const {
    return {expand(log_probabilities, {tokens.size(), log_probabilities.size()}), states};
  }
  NoStates select(NoStates states, const Tensor&) const { return states; }
};

TEST(StochasticBeam, FindsWhatIsHardlyProbable) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    const Tensor logits = arange(600, dtype) * -7.0;  // down to e^-4193
    const OneStep model{log_softmax(logits)};
    const auto found = stochastic_beam_search(model, 600, Rng(3), {.max_length = 1});
    std::set<std::int64_t> different;
    for (const std::int64_t token : found.tokens.to_vector<std::int64_t>()) different.insert(token);
    EXPECT_EQ(different.size(), 600U);
    EXPECT_EQ(*different.begin(), 0);
    // Around its log-probability each is a standard Gumbel.
    std::vector<double> gumbels = (found.perturbed - found.log_probabilities).to_vector<double>();
    EXPECT_GT(kernels::kolmogorov_smirnov(gumbels, [](double x) { return std::exp(-std::exp(-x)); }), kLeast);
  }
}

// The same law as the plain Gumbel-top-k trick, where a row has many blocks of tokens.
TEST(StochasticBeam, DrawsFromLongRowsAsProbabilitiesSay) {
  constexpr std::int64_t kTokens = 1000, kRuns = 30'000;
  const Tensor p = log_softmax(Rng(5).normal({kTokens}, 0.0, 2.5, DType::f32));
  const auto found = stochastic_beam_search(OneStep{p}, 2, Rng(13), {.max_length = 1, .starts = kRuns});
  std::vector<double> first(kTokens), second(kTokens), expected(kTokens), expected_second(kTokens);
  const Tokens tokens = found.tokens.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < tokens.size(); i += 2) {
    first[static_cast<std::size_t>(tokens[i])] += 1.0;
    second[static_cast<std::size_t>(tokens[i + 1])] += 1.0;
  }
  const std::vector<double> exact = exp(p.to(DType::f64)).to_vector<double>();
  double ratios = 0.0;
  for (const double q : exact) ratios += q / (1.0 - q);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    expected[i] = kRuns * exact[i];
    expected_second[i] = kRuns * exact[i] * (ratios - exact[i] / (1.0 - exact[i]));
  }
  EXPECT_GT(fit_of(first, expected), kLeast);
  EXPECT_GT(fit_of(second, expected_second), kLeast);
}

TEST(BeamSearch, FullWidthFindsTheMostProbable) {
  for (const TreeModel& tree : trees()) {
    const auto all = all_sequences(tree);
    std::vector<std::pair<double, Tokens>> sorted;
    for (const auto& [tokens, p] : all) sorted.emplace_back(-p, tokens);
    std::sort(sorted.begin(), sorted.end());
    const auto width = static_cast<std::int64_t>(tree.rows.size()) + std::ssize(all);
    const auto found = beam_search(tree, width);
    const auto sequences = sequences_of(found.tokens, found.lengths);
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      EXPECT_EQ(sequences[i], sorted[i].second);
      EXPECT_NEAR(found.log_probabilities.at({0, static_cast<std::int64_t>(i)}), -sorted[i].first, 1e-12);
    }
    EXPECT_TRUE(sequences[sorted.size()].empty());
  }
}

// A narrow beam against the same search written out: lists of tokens, sorted whole.
TEST(BeamSearch, NarrowBeamsAreThoseOfThePlainSearch) {
  for (const double penalty : {0.0, 0.7}) {
    for (const TreeModel& tree : {random_tree(3, 3, 3), random_tree(41, 5, 4), random_tree(43, 4, 5, 0.3)}) {
      struct Plain {
        Tokens tokens;
        std::int64_t node;
        double log_p, rank;
      };
      std::vector<Plain> beams{{{}, 0, 0.0, 0.0}};
      for (bool more = true; more;) {
        more = false;
        std::vector<Plain> next;
        for (const Plain& beam : beams) {
          if (!beam.tokens.empty() && beam.tokens.back() == 0) {
            next.push_back(beam);
            continue;
          }
          for (std::int64_t t = 0; t < tree.vocabulary; ++t) {
            const auto node = static_cast<std::size_t>(beam.node), at = static_cast<std::size_t>(t);
            if (std::isinf(tree.rows[node][at])) continue;
            Plain child{beam.tokens, tree.children[node][at], beam.log_p + tree.rows[node][at], 0.0};
            child.tokens.push_back(t);
            child.rank = child.log_p / std::pow(static_cast<double>(child.tokens.size()), penalty);
            next.push_back(child);
            more = more || t != 0;
          }
        }
        std::stable_sort(next.begin(), next.end(),
                         [](const Plain& a, const Plain& b) { return a.rank > b.rank; });
        if (next.size() > 3) next.resize(3);
        beams = next;
      }
      const auto found = beam_search(tree, 3, {.length_penalty = penalty});
      const auto sequences = sequences_of(found.tokens, found.lengths);
      ASSERT_EQ(sequences.size(), beams.size());
      for (std::size_t i = 0; i < beams.size(); ++i) EXPECT_EQ(sequences[i], beams[i].tokens);
    }
  }
}

TEST(GreedySearch, TakesTheBestTokenEachTime) {
  const TreeModel tree = random_tree(41, 5, 4);
  Tokens expected;
  std::int64_t node = 0;
  while (expected.empty() || expected.back() != 0) {
    const auto& row = tree.rows[static_cast<std::size_t>(node)];
    expected.push_back(std::max_element(row.begin(), row.end()) - row.begin());
    node = tree.children[static_cast<std::size_t>(node)][static_cast<std::size_t>(expected.back())];
  }
  std::vector<std::string> told;
  const auto found = greedy_sequences(
      tree, {.on_tokens = [&](std::int64_t step, const Tensor& tokens) {
        told.push_back(std::to_string(step) + ":" + std::to_string(static_cast<int>(tokens.at({0, 0}))));
      }});
  EXPECT_EQ(sequences_of(found.tokens, found.lengths)[0], expected);
  EXPECT_NEAR(found.log_probabilities.item(), all_sequences(tree).at(expected), 1e-12);
  ASSERT_EQ(told.size(), expected.size());
  EXPECT_EQ(told.back(), std::to_string(expected.size()) + ":0");
}

TEST(AncestralSampling, FollowsTheExactLaw) {
  for (const TreeModel& tree : trees()) {
    for (const std::int64_t longest : {100, 2}) {
      const auto all = all_sequences(tree, longest);
      const auto found = sample_sequences(tree, 5000, Rng(19), {.max_length = longest, .starts = 2});
      std::map<Tokens, double> counts;
      for (const Tokens& tokens : sequences_of(found.tokens, found.lengths)) counts[tokens] += 1.0;
      std::vector<double> seen, expected;
      for (const auto& [tokens, p] : all)
        seen.push_back(counts[tokens]), expected.push_back(1e4 * std::exp(p));
      EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0.0), 1e4);
      EXPECT_GT(fit_of(seen, expected), kLeast);
    }
  }
}

TEST(SequenceSearch, FiltersAreOfEachStep) {
  const TreeModel tree = trees()[1];
  TreeModel filtered = tree;  // the same by hand: squares, and the best two of them
  for (auto& row : filtered.rows) {
    std::vector<double> sorted = row;
    std::sort(sorted.rbegin(), sorted.rend());
    const double total = std::exp(2.0 * sorted[0]) + std::exp(2.0 * sorted[1]);
    for (double& x : row) x = x >= sorted[1] ? 2.0 * x - std::log(total) : -kInfinity;
  }
  const auto all = all_sequences(filtered);
  const auto found = stochastic_beam_search(tree, 50, Rng(3), {.filter = {.temperature = 0.5, .top_k = 2}});
  const auto sequences = sequences_of(found.tokens, found.lengths);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_TRUE(all.contains(sequences[i]));
    EXPECT_NEAR(found.log_probabilities.at({0, static_cast<std::int64_t>(i)}), all.at(sequences[i]), 1e-12);
  }
  EXPECT_TRUE(sequences[all.size()].empty());
}

TEST(SequenceSearch, SameBitsForAnyNumberOfThreads) {
  const int saved = threads();
  const MarkovChain chain(softmax(Rng(1).normal({1100}, 0, 2, DType::f64)),
                          softmax(Rng(2).normal({1100, 1100}, 0, 2, DType::f64)), 7);
  std::vector<std::vector<Tensor>> results;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    const SearchOptions options{.max_length = 5, .starts = 3};
    const auto some = stochastic_beam_search(chain, 8, Rng(5), options);
    const auto drawn = sample_sequences(chain, 8, Rng(5), options);
    const auto best = beam_search(chain, 8, options);
    results.push_back({some.tokens, some.log_probabilities, some.perturbed, some.kappa, drawn.tokens,
                       drawn.log_probabilities, best.tokens, best.log_probabilities});
  }
  set_threads(saved);
  for (std::size_t i = 0; i < results[0].size(); ++i) {
    EXPECT_TRUE(array_equal(results[0][i], results[1][i])) << i;
    EXPECT_TRUE(array_equal(results[0][i], results[2][i])) << i;
  }
}

TEST(SequenceSearch, StatesMoveOnlyWhereRowsDo) {
  const TreeModel tree = random_tree(41, 5, 4);
  greedy_sequences(tree, {.starts = 1});
  EXPECT_EQ(tree.selections, 0);
  TreeModel endless = random_tree(47, 3, 1);
  for (auto& row : endless.rows) row = {-kInfinity, std::log(0.5), std::log(0.5)};
  for (auto& children : endless.children) children = {-1, 0, 0};
  sample_sequences(endless, 6, Rng(1), {.max_length = 9});
  EXPECT_EQ(endless.selections, 1);  // the one row of the start becomes six
  EXPECT_EQ(endless.steps, 9);
  EXPECT_EQ(endless.rows_stepped, 1 + 8 * 6);
}

TEST(SequenceSearch, PromptsAreReadAndDoNotCount) {
  const MarkovChain chain(tensor({0.5, 0.5, 0.0}, DType::f64),
                          tensor({{0.0, 1.0, 0.0}, {0.25, 0.25, 0.5}, {0.0, 0.0, 1.0}}, DType::f64), 2);
  const Tensor prompts = tensor({{1, 0}, {0, 1}});
  const auto found =
      stochastic_beam_search(chain, 9, Rng(1), {.max_length = 2, .starts = 2, .prompts = prompts});
  const auto sequences = sequences_of(found.tokens, found.lengths);
  std::set<Tokens> of_first(sequences.begin(), sequences.begin() + 9),
      of_second(sequences.begin() + 9, sequences.end());
  EXPECT_EQ(of_first, (std::set<Tokens>{{}, {1, 0}, {1, 1}, {1, 2}}));
  EXPECT_EQ(of_second, (std::set<Tokens>{{}, {0, 1}, {1, 0}, {1, 1}, {1, 2}, {2}}));
  EXPECT_NEAR(sum(exp(found.log_probabilities)).item(), 2.0, 1e-12);
  // A model that reads many tokens at once is handed all of them, and says what comes after each.
  struct Reader : MarkovChain {
    mutable std::int64_t reads = 0, read_at_once = 0;
    SequenceStep<NoStates> read(NoStates states, const Tensor& tokens) const {
      ++reads;
      read_at_once = tokens.dim(1);
      return {embedding(log_rows, tokens), states};
    }
  };
  const Reader reader{chain};
  const auto same =
      stochastic_beam_search(reader, 9, Rng(1), {.max_length = 2, .starts = 2, .prompts = prompts});
  EXPECT_EQ(reader.reads, 1);
  EXPECT_EQ(reader.read_at_once, 3);
  EXPECT_TRUE(array_equal(same.perturbed, found.perturbed));
}

TEST(SequenceSearch, RefusesWhatItCannotDo) {
  const TreeModel tree = random_tree(3, 3, 3);
  expect_refusal([&] { stochastic_beam_search(tree, 0, Rng(1)); },
                 "[stochastic_beam_search] count must be at least 1, got 0");
  expect_refusal([&] { beam_search(tree, 2, {.max_length = 0}); },
                 "[beam_search] max_length must be at least 1, got 0");
  expect_refusal([&] { sample_sequences(tree, 2, Rng(1), {.starts = 0}); },
                 "[sample_sequences] starts must be at least 1, got 0");
  expect_refusal([&] { greedy_sequences(tree, {.starts = 2, .prompts = tensor({{1}})}); },
                 "[greedy_sequences] prompts must be (2, length) i64, a row for each start, got (1, 1) i64");
  expect_refusal([&] { greedy_sequences(tree, {.prompts = tensor({{3}})}); },
                 "[search] prompts[0, 0] is 3, but there are 3 tokens");
  expect_refusal([&] { sample_sequences(tree, 2, Rng(1), {.filter = {.temperature = 0.0}}); },
                 "[sample_sequences] the temperature must be above 0 and finite, got 0");
  expect_refusal([&] { sample_sequences(tree, 2, Rng(1), {.length_penalty = 1.0}); },
                 "[sample_sequences] has no length_penalty: beam_search has");
  expect_refusal([&] { beam_search(tree, 2, {.length_penalty = -1.0}); },
                 "[beam_search] length_penalty must be finite and not negative, got -1");
  expect_refusal([&] { beam_search(tree, 2, {.on_tokens = [](std::int64_t, const Tensor&) {}}); },
                 "[beam_search] has no on_tokens: its sequences are known at the end alone");
  for (const Tensor& bad :
       {tensor({-0.5, -0.5}), tensor({std::nan(""), 0.0}), tensor({-kInfinity, -kInfinity})}) {
    const OneStep model{bad};
    const SearchOptions once{.max_length = 1};
    const std::string total = bad.at({0}) == -0.5 ? "1.21306" : std::isnan(bad.at({0})) ? "nan" : "0";
    const std::string told = "] the probabilities of row 0 of a step add up to " + total + ", not to 1";
    expect_refusal([&] { sample_sequences(model, 1, Rng(1), once); }, "[sample_sequences" + told);
    expect_refusal([&] { stochastic_beam_search(model, 1, Rng(1), once); }, "[stochastic_beam_search" + told);
    expect_refusal([&] { beam_search(model, 1, once); }, "[beam_search" + told);
    expect_refusal([&] { greedy_sequences(model, once); }, "[greedy_sequences" + told);
  }
  TreeModel wrong = tree;
  wrong.dtype = DType::i64;
  expect_refusal(
      [&] { beam_search(wrong, 1); },
      "[beam_search] a step of 1 rows must return log-probabilities (1, V), f32 or f64, got (1, 3) i64");
  int asked = 0;
  EXPECT_THROW(sample_sequences(tree, 2, Rng(1), {.cancelled = [&] { return ++asked > 1; }}), Cancelled);
}

TEST(MarkovChain, RefusesWhatIsNoChain) {
  const Tensor half = tensor({0.5, 0.5}), rows = tensor({{0.5, 0.5}, {0.5, 0.5}});
  expect_refusal(
      [&] {
        MarkovChain(half, tensor({0.5, 0.5}));
      },
      "[MarkovChain] needs initial (V,) and transition (V, V), got (2,) and (2,)");
  expect_refusal(
      [&] {
        MarkovChain(tensor({0.5, 0.6}, DType::f64), rows);
      },
      "[MarkovChain] initial adds up to 1.1, not to 1");
  expect_refusal(
      [&] {
        MarkovChain(half, tensor({{0.5, 0.5}, {1.5, -0.5}}));
      },
      "[MarkovChain] row 1 of transition has the probability -0.5 at 1");
  expect_refusal([&] { MarkovChain(half, rows, 2); },
                 "[MarkovChain] the end state must be in [0, 2) or -1, got 2");
  const MarkovChain chain(half, tensor({{0.25, 0.75}, {0.0, 0.0}}), 1);
  EXPECT_TRUE(allclose(chain.transition(), tensor({{0.25, 0.75}, {0.0, 0.0}}, DType::f64)));
  EXPECT_TRUE(allclose(chain.initial(), half.to(DType::f64)));
}

}  // namespace
}  // namespace likely
