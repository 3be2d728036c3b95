// Common metrics, and a metric over a whole data set.
#pragma once

#include <cstdint>
#include <functional>

#include "likely/core/layer_error.hpp"
#include "likely/core/tensor.hpp"
#include "likely/data/data.hpp"

namespace likely::train {

// What the metrics below say of outputs. Refuse the same.
Tensor share_of_right_labels(const Tensor& scores, const Tensor& labels);
Tensor mean_squared_difference(const Tensor& outputs, const Tensor& targets);

namespace detail {

// The mean over rows of what `of` says about each batch. Refuses an empty dataset and what is not one number.
double mean_over_batches(const char* caller, const data::Dataset& dataset, std::int64_t batch,
                         const std::function<Tensor(const data::Batch&)>& of);

struct Accuracy {
  static constexpr bool kHigherIsBetter = true;
  template <class Model>
  Tensor operator()(const Model& model, const data::Batch& batch) const {
    return share_of_right_labels(model(batch.x), batch.y);
  }
};

struct MeanSquaredError {
  static constexpr bool kHigherIsBetter = false;
  template <class Model>
  Tensor operator()(const Model& model, const data::Batch& batch) const {
    return mean_squared_difference(model(batch.x), batch.y);
  }
};

}  // namespace detail

// The share of rows whose largest output (the last axis of model(x)) is the label's. Refuses labels that are
// not i64 or have another shape than the outputs without their last axis.
inline constexpr detail::Accuracy accuracy{};  // NOLINT(readability-identifier-naming): is called

// mean (model(x) - y)^2. Refuses outputs and targets of different shapes, which broadcasting would hide.
inline constexpr detail::MeanSquaredError mean_squared_error{};  // NOLINT(readability-identifier-naming)

// The mean of metric(model, batch) over all rows of a dataset: evaluate(model, test, train::accuracy). What
// is refused inside says in which layer of the model.
template <class Model, class Function>
double evaluate(const Model& model, const data::Dataset& dataset, Function&& metric,
                std::int64_t batch = 256) {
  return detail::mean_over_batches("evaluate", dataset, batch, [&](const data::Batch& rows) {
    return naming_layers(model, [&]() -> Tensor { return metric(model, rows); });
  });
}

}  // namespace likely::train
