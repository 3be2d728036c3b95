#include "likely/models/tables/experiment.hpp"

#include <algorithm>

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
  return score(judged, predictions(judged), train);
}

Scores score(const std::vector<Judged>& judged, const Tensor& said, const Tensor& train) {
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

}  // namespace likely::tables
