#include "likely/ops/attention.hpp"

#include <algorithm>
#include <cmath>

#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"

namespace likely::testing {

namespace {

using plain::Array;
using plain::Extents;
using plain::Number;
using plain::Numbers;
using plain::Real;

struct Mask {
  bool causal = false;
  bool flags = false;   // a third input says which keys are seen
  bool scores = false;  // or is added to the scores
};

// q (batch, queries, depth), k (batch, keys, depth), v (batch, keys, width).
Array attended(const Arrays& t, const Mask& mask, Real scale) {
  const Array &q = t[0], &k = t[1], &v = t[2];
  const std::int64_t batch = q.shape[0], queries = q.shape[1], depth = q.shape[2];
  const std::int64_t keys = k.shape[1], width = v.shape[2];
  Array added;
  if (mask.flags || mask.scores) added = plain::expanded(t[3], {batch, queries, keys});
  Array y({batch, queries, width});
  if (batch * queries > 0 && (keys == 0 || depth == 0)) throw plain::Refused();
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t i = 0; i < queries; ++i) {
      Numbers scores;
      std::vector<std::int64_t> seen;
      for (std::int64_t j = 0; j < keys; ++j) {
        if (mask.causal && j > i + keys - queries) continue;
        if (mask.flags && added.at({b, i, j}).value == 0) continue;
        plain::Sum score;
        for (std::int64_t l = 0; l < depth; ++l)
          score.add_product(q[(b * queries + i) * depth + l], k[(b * keys + j) * depth + l]);
        scores.push_back(score.total() * Number(scale));
        if (mask.scores) scores.back() = scores.back() + added.at({b, i, j});
        seen.push_back(j);
      }
      if (scores.empty()) throw plain::Refused();
      Real largest = scores[0].value;
      for (const Number& score : scores) largest = std::max(largest, score.value);
      for (Number& score : scores) score = exp(score - Number(largest));
      const Number total = plain::sum(scores);
      for (std::int64_t l = 0; l < width; ++l) {
        plain::Sum value;
        for (std::size_t s = 0; s < seen.size(); ++s)
          value.add_product(scores[s], v[(b * keys + seen[s]) * width + l]);
        y[(b * queries + i) * width + l] = value.total() / total;
      }
    }
  }
  return y;
}

Op attention_op(const std::string& name, const Mask& mask, std::vector<std::string> sizes, double scale = 0) {
  Op op = {.name = "attention" + name,
           .declares = {"attention(Tensor, Tensor, Tensor, AttentionOptions)"},
           .inputs = {{.axes = "bqd"}, {.axes = "bkd"}, {.axes = "bkv"}},
           .sizes = std::move(sizes),
           .call =
               [=](const Tensors& t) {
                 AttentionOptions options{.causal = mask.causal};
                 if (mask.flags || mask.scores) options.mask = t[3];
                 if (scale != 0) options.scale = scale;
                 return attention(t[0], t[1], t[2], options);
               },
           .loop =
               [=](const Arrays& t) {
                 return attended(t, mask,
                                 scale != 0 ? scale : 1 / std::sqrt(static_cast<Real>(t[0].shape[2])));
               },
           .slack = 16,
           .gradient_slack = 64};
  if (mask.scores) op.inputs.push_back({.axes = "1qk"});
  if (mask.flags) op.inputs.push_back(flags("bqk"));
  return op;
}

}  // namespace

Ops attention_ops() {
  // Blocks have 64 queries and 128 keys.
  return {
      attention_op("", {}, {"b=3 q=5 k=7 d=4 v=3", "b=1 q=67 k=131 d=5 v=3"}),
      attention_op(", causal", {.causal = true},
                   {"b=3 q=5 k=7 d=4 v=3", "b=1 q=67 k=131 d=5 v=3", "b=2 q=9 k=9 d=17 v=16"}),
      attention_op(" with a scale", {}, {"b=3 q=5 k=7 d=4 v=3"}, 0.25),
      attention_op(" with scores added", {.scores = true}, {"b=3 q=5 k=7 d=4 v=3", "b=1 q=67 k=131 d=3 v=2"}),
      attention_op(" with keys hidden", {.flags = true}, {"b=3 q=5 k=11 d=4 v=3", "b=1 q=67 k=131 d=3 v=2"}),
  };
}

INSTANTIATE_TEST_SUITE_P(Attention, OpProperties, ::testing::ValuesIn(attention_ops()), name_of_op);

}  // namespace likely::testing
