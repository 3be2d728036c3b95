#include "likely/train/metrics.hpp"

#include <string>

#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/train/losses.hpp"

namespace likely::train {

double detail::mean_over_batches(const char* caller, const data::Dataset& dataset, std::int64_t batch,
                                 const std::function<Tensor(const data::Batch&)>& of) {
  if (dataset.size() == 0) refuse(caller, "the dataset has no rows");
  double total = 0.0;
  for (const data::Batch& rows : dataset.batches(batch)) {
    total += one_number(caller, "metric", of(rows)) * static_cast<double>(rows.x.dim(0));
  }
  return total / static_cast<double>(dataset.size());
}

Tensor share_of_right_labels(const Tensor& scores, const Tensor& labels) {
  const Tensor best = argmax(scores, -1);
  if (!labels.defined()) refuse("accuracy", "the data have no labels");
  if (labels.dtype() != DType::i64)
    refuse("accuracy", "labels must be i64, got " + std::string(name_of(labels.dtype())));
  if (!(best.shape() == labels.shape()))
    refuse("accuracy",
           "outputs " + scores.shape().string() + " do not fit labels " + labels.shape().string());
  const std::int64_t classes = scores.dim(-1);
  if (classes < 2)
    refuse("accuracy", "outputs " + scores.shape().string() + " need a score for each of 2 classes or more");
  if (labels.size() > 0 && (min(labels).item() < 0.0 || max(labels).item() >= static_cast<double>(classes)))
    refuse("accuracy", "labels must be from 0 to " + std::to_string(classes - 1) + ", got " +
                           std::to_string(min(labels).to_vector<std::int64_t>()[0]) + " to " +
                           std::to_string(max(labels).to_vector<std::int64_t>()[0]));
  // Scores that are not numbers are right about nothing.
  const Tensor known = logical_not(is_nan(max(scores, -1)));
  return mean(logical_and(best == labels, known).to(DType::f64));
}

Tensor mean_squared_difference(const Tensor& a, const Tensor& b) {
  if (!b.defined()) refuse("mean_squared_error", "the data have no targets");
  if (!(a.shape() == b.shape()))
    refuse("mean_squared_error",
           "outputs have shape " + a.shape().string() + ", targets " + b.shape().string());
  return mean(square(a - b));
}

}  // namespace likely::train
