#include "likely/train/ensemble.hpp"

#include "likely/ops/arithmetic.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/order.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/ops/view.hpp"

namespace likely::train {

namespace detail {

namespace {

Tensor stacked(const char* caller, const std::vector<Tensor>& outputs) {
  if (outputs.empty()) refuse(caller, "the ensemble has no members");
  return stack(outputs);
}

}  // namespace

Tensor mean_of(const std::vector<Tensor>& outputs) { return mean(stacked("Ensemble", outputs), 0); }

Tensor median_of(const std::vector<Tensor>& outputs) {
  const Tensor sorted = sort(stacked("Ensemble", outputs), 0);
  const std::int64_t count = sorted.dim(0);
  return (select(sorted, 0, (count - 1) / 2) + select(sorted, 0, count / 2)) / 2.0;
}

Tensor variance_of(const std::vector<Tensor>& outputs) { return var(stacked("Ensemble", outputs), 0); }

Tensor mean_softmax_of(const std::vector<Tensor>& logits) {
  return mean(softmax(stacked("Ensemble", logits)), 0);
}

void check_members(std::int64_t count) {
  if (count < 1) refuse("ensemble", "at least 1 member is needed, got " + std::to_string(count));
}

}  // namespace detail

data::Dataset bootstrap(const data::Dataset& dataset, Rng rng) {
  const std::int64_t count = dataset.size();
  if (count == 0) refuse("bootstrap", "the dataset has no rows");
  const std::vector<std::int64_t> rows = rng.randint(0, count, {count}).to_vector<std::int64_t>();
  return dataset.subset(rows);
}

}  // namespace likely::train
