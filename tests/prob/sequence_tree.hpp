// A sequence model whose sequences can all be listed: a small tree with random probabilities and leaves at
// unequal depths.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/ops/index.hpp"
#include "likely/prob/sequence/model.hpp"

namespace likely::testing {

using Tokens = std::vector<std::int64_t>;

// Token 0 ends a sequence. The state is the node of the tree that a row has reached.
struct TreeModel {
  using States = Tensor;
  std::int64_t vocabulary = 4;
  std::vector<std::vector<double>> rows;            // log-probabilities after each node
  std::vector<std::vector<std::int64_t>> children;  // the node after each token; -1: there is none
  DType dtype = DType::f64;
  mutable std::int64_t steps = 0, rows_stepped = 0, selections = 0;

  std::int64_t start_token() const { return vocabulary; }
  std::int64_t end_token() const { return 0; }
  Tensor start(std::int64_t n) const { return full({n}, -1.0, DType::i64); }
  Tensor select(const Tensor& nodes, const Tensor& rows_wanted) const {
    ++selections;
    return index_select(nodes, 0, rows_wanted);
  }
  SequenceStep<Tensor> step(const Tensor& nodes, const Tensor& tokens) const {
    ++steps;
    rows_stepped += nodes.size();
    const Tokens at = nodes.to_vector<std::int64_t>(), read = tokens.to_vector<std::int64_t>();
    Tokens next;
    std::vector<double> found;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const std::int64_t child =
          at[i] < 0 ? 0 : children.at(static_cast<std::size_t>(at[i])).at(static_cast<std::size_t>(read[i]));
      next.push_back(std::max(child, std::int64_t{0}));  // what reads beyond the end is at the root again
      const auto& row = rows.at(static_cast<std::size_t>(next.back()));
      found.insert(found.end(), row.begin(), row.end());
    }
    return {tensor(found, Shape{std::ssize(at), vocabulary}).to(dtype), tensor(next)};
  }
};

// Nodes at depth `depth` can only end. `sharpness` makes probabilities more unequal; every fifth token is
// impossible.
inline TreeModel random_tree(unsigned seed, std::int64_t vocabulary, int depth, double sharpness = 1.0) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  TreeModel tree;
  tree.vocabulary = vocabulary;
  std::vector<int> depths{0};
  for (std::size_t node = 0; node < depths.size(); ++node) {
    std::vector<double> logits;
    for (std::int64_t token = 0; token < vocabulary; ++token) {
      const bool never = token > 0 && (depths[node] == depth || random() % 5 == 0);
      logits.push_back(never ? -std::numeric_limits<double>::infinity() : sharpness * normal(random));
    }
    double total = 0.0;
    for (const double x : logits) total += std::exp(x);
    tree.children.emplace_back(static_cast<std::size_t>(vocabulary), -1);
    for (std::size_t token = 0; token < logits.size(); ++token) {
      logits[token] -= std::log(total);
      if (token == 0 || std::isinf(logits[token])) continue;
      tree.children.back()[token] = std::ssize(depths);
      depths.push_back(depths[node] + 1);
    }
    tree.rows.push_back(logits);
  }
  return tree;
}

// All sequences with their log-probabilities, where `max_length` cuts.
inline std::map<Tokens, double> all_sequences(const TreeModel& tree, std::int64_t max_length = 100) {
  struct Open {
    Tokens tokens;
    std::int64_t node;
    double log_probability;
  };
  std::map<Tokens, double> all;
  std::vector<Open> open{{{}, 0, 0.0}};
  while (!open.empty()) {
    const Open at = open.back();
    open.pop_back();
    for (std::int64_t token = 0; token < tree.vocabulary; ++token) {
      const double p = tree.rows[static_cast<std::size_t>(at.node)][static_cast<std::size_t>(token)];
      if (std::isinf(p)) continue;
      Open next{at.tokens, tree.children[static_cast<std::size_t>(at.node)][static_cast<std::size_t>(token)],
                at.log_probability + p};
      next.tokens.push_back(token);
      if (token == 0 || std::ssize(next.tokens) == max_length)
        all[next.tokens] = next.log_probability;
      else
        open.push_back(next);
    }
  }
  return all;
}

// The sequences of a result, (starts * count), without what is behind their ends.
inline std::vector<Tokens> sequences_of(const Tensor& tokens, const Tensor& lengths) {
  const Tokens all = tokens.to_vector<std::int64_t>(), counts = lengths.to_vector<std::int64_t>();
  const auto longest = static_cast<std::size_t>(tokens.shape().back());
  std::vector<Tokens> found;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(i * longest);
    found.emplace_back(first, first + counts[i]);
  }
  return found;
}

}  // namespace likely::testing
