#include "likely/models/tables/experiment.hpp"

#include <algorithm>
#include <cmath>

#include "likely/core/create.hpp"
#include "likely/data/stratify.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/join.hpp"

namespace likely::tables {

namespace {

// The keys that a seed is split into.
struct Keys {
  explicit Keys(std::uint64_t seed) : Keys(Rng(seed)) {}
  Rng held_out, fit, folds;

 private:
  explicit Keys(Rng rng) : held_out(rng.split()), fit(rng.split()), folds(rng.split()) {}
};

// Larger is worse.
double badness(const Scores& scores) {
  if (const auto* classes = std::get_if<ClassScores>(&scores)) return classes->log_loss;
  return -std::get<NumberScores>(scores).r2;
}

// Lets the values of one column change places.
void shuffle_column(Rows& rows, std::size_t column, Rng& rng) {
  const std::vector<double> values = rows.x.to_vector<double>();
  const auto width = static_cast<std::size_t>(rows.x.dim(1));
  const std::vector<std::int64_t> order = rng.permutation(rows.size()).to_vector<std::int64_t>();
  std::vector<double> shuffled = values;
  for (std::size_t row = 0; row < order.size(); ++row)
    shuffled[row * width + column] = values[static_cast<std::size_t>(order[row]) * width + column];
  rows.x = tensor(shuffled, rows.x.shape());
}

}  // namespace

Tensor predictions(const std::vector<Judged>& judged) {
  std::vector<Tensor> each;
  each.reserve(judged.size());
  for (const auto& [model, rows] : judged) each.push_back(model.predict(rows.x));
  return concat(each, 0);
}

Tensor targets(const std::vector<Judged>& judged) {
  std::vector<Tensor> each;
  each.reserve(judged.size());
  for (const auto& [model, rows] : judged) each.push_back(rows.y);
  return concat(each, 0);
}

Scores score(const std::vector<Judged>& judged, const Tensor& train) {
  const Tensor said = predictions(judged);
  const Tensor y = targets(judged);
  if (judged.front().model.schema.classifies()) return score_classes(said, y, train);
  return score_numbers(said, y, train);
}

double main_figure(const Scores& scores) {
  if (const auto* classes = std::get_if<ClassScores>(&scores)) return classes->accuracy;
  return std::get<NumberScores>(scores).r2;
}

Rows pick(const Rows& rows, const std::vector<std::int64_t>& which) {
  const Tensor chosen = tensor(which);
  Rows result{.schema = rows.schema, .x = index_select(rows.x, 0, chosen)};
  if (rows.y.defined()) result.y = index_select(rows.y, 0, chosen);
  for (const std::int64_t row : which) {
    result.numbers.push_back(rows.numbers[static_cast<std::size_t>(row)]);
    if (!rows.lines.empty()) result.lines.push_back(rows.lines[static_cast<std::size_t>(row)]);
  }
  return result;
}

Halves hold_out(const Rows& rows, double fraction, std::uint64_t seed) {
  if (fraction == 0.0) return {rows, std::nullopt};
  const data::Sample sample = data::stratified_sample(rows.y, fraction, Keys(seed).held_out);
  return {pick(rows, sample.rest), pick(rows, sample.chosen)};
}

std::optional<FittedModel> fit_rows(const Rows& train, const ModelOptions& options, std::uint64_t seed,
                                    const OnEpoch& on_epoch) {
  return fit_model(train.schema, train.x, train.y, options, Keys(seed).fit, on_epoch);
}

std::optional<std::vector<Judged>> fit_folds(const Rows& rows, std::int64_t k, const ModelOptions& options,
                                             std::uint64_t seed, const OnEpoch& on_epoch) {
  Rng rng = Keys(seed).folds;
  const auto folds = data::stratified_parts(rows.y, k, rng.split());
  std::vector<Judged> judged;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    std::vector<std::int64_t> others;
    for (std::size_t j = 0; j < folds.size(); ++j) {
      if (j != i) others.insert(others.end(), folds[j].begin(), folds[j].end());
    }
    std::sort(others.begin(), others.end());
    const Rows train = pick(rows, others);
    auto fitted = fit_model(rows.schema, train.x, train.y, options, rng.split(), on_epoch);
    if (!fitted) return std::nullopt;
    judged.push_back({std::move(fitted->model), pick(rows, folds[i])});
  }
  return judged;
}

std::vector<Importance> permutation_importance(const std::vector<Judged>& judged, std::int64_t repeats,
                                               Rng rng) {
  const Tensor y = targets(judged);
  const double before = badness(score(judged, y));
  const std::vector<Column>& inputs = judged.front().model.schema.inputs;
  std::vector<Importance> all;
  for (std::size_t column = 0; column < inputs.size(); ++column) {
    double rise = 0.0;
    for (std::int64_t i = 0; i < repeats; ++i) {
      std::vector<Judged> changed = judged;
      for (auto& [model, rows] : changed) shuffle_column(rows, column, rng);
      rise += badness(score(changed, y)) - before;
    }
    all.push_back({inputs[column].name, rise / static_cast<double>(repeats)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Importance& a, const Importance& b) { return a.value > b.value; });
  return all;
}

}  // namespace likely::tables
