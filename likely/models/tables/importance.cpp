#include "likely/models/tables/importance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "likely/ops/join.hpp"

namespace likely::tables {

namespace {

// Larger is worse.
double badness(const Scores& scores) {
  if (const auto* classes = std::get_if<ClassScores>(&scores)) return classes->log_loss;
  return -std::get<NumberScores>(scores).r2;
}

// With the values of one column in other places.
Tensor shuffled(const Tensor& x, std::size_t column, Rng& rng) {
  const auto at = static_cast<std::int64_t>(column);
  const std::vector<std::int64_t> order = rng.permutation(x.dim(0)).to_vector<std::int64_t>();
  Tensor result = x.copy();
  for (std::size_t row = 0; row < order.size(); ++row)
    result.set({static_cast<std::int64_t>(row), at}, x.at({order[row], at}));
  return result;
}

// To which input each feature of a model belongs.
std::vector<std::size_t> inputs_of_features(const TableModel& model) {
  std::vector<std::size_t> expanded;
  for (std::size_t i = 0; i < model.schema.inputs.size(); ++i) {
    const Column& column = model.schema.inputs[i];
    expanded.insert(expanded.end(), column.holds_words ? column.words.size() : 1, i);
  }
  std::vector<std::size_t> inputs;
  for (const std::int64_t place : model.encoder.used.to_vector<std::int64_t>())
    inputs.push_back(expanded[static_cast<std::size_t>(place)]);
  return inputs;
}

// Adds the squares of the weights by which a committee's members take each input in.
void add_weights(const train::Ensemble<Network>& committee, double share,
                 const std::vector<std::size_t>& inputs, std::vector<double>& weights) {
  for (const Network& member : committee.members) {
    const std::vector<double> first = member.layers.front().weight.to_vector<double>();  // (units, features)
    const double units = static_cast<double>(first.size()) / static_cast<double>(inputs.size());
    for (std::size_t i = 0; i < first.size(); ++i)
      weights[inputs[i % inputs.size()]] += share * first[i] * first[i] / units;
  }
}

}  // namespace

std::vector<std::size_t> heaviest_columns(const std::vector<Judged>& judged, std::size_t most) {
  std::vector<double> weights(judged.front().model.schema.inputs.size());
  std::vector<std::size_t> columns(weights.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  if (columns.size() <= most) return columns;
  for (const auto& [model, rows] : judged) {
    const std::vector<std::size_t> inputs = inputs_of_features(model);
    const double share = model.weight.item();
    add_weights(model.linear, 1.0 - share, inputs, weights);
    add_weights(model.network, share, inputs, weights);
  }
  std::stable_sort(columns.begin(), columns.end(),
                   [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  columns.resize(most);
  std::sort(columns.begin(), columns.end());
  return columns;
}

std::vector<Importance> permutation_importance(const std::vector<Judged>& judged,
                                               const std::vector<std::size_t>& columns, std::int64_t repeats,
                                               Rng rng, const CancelTest& cancelled) {
  const Tensor y = targets(judged);
  const double before = badness(score(judged, y));
  std::vector<Importance> all;
  for (const std::size_t column : columns) {
    double rise = 0.0;
    for (std::int64_t i = 0; i < repeats; ++i) {
      give_up_if(cancelled);
      std::vector<Tensor> said;
      for (const auto& [model, rows] : judged) said.push_back(model.predict(shuffled(rows.x, column, rng)));
      rise += badness(score(judged, concat(said, 0), y)) - before;
    }
    all.push_back({judged.front().model.schema.inputs[column].name, rise / static_cast<double>(repeats)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Importance& a, const Importance& b) { return a.value > b.value; });
  return all;
}

}  // namespace likely::tables
