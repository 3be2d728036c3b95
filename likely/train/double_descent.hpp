// Double descent (chapter 8): test error against the size of a model, through and beyond the size at which it
// can fit its training data exactly. Noise in the training labels makes the peak between the two descents
// visible.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "likely/data/data.hpp"
#include "likely/ops/rng.hpp"
#include "likely/train/interrupt.hpp"
#include "likely/train/metrics.hpp"
#include "likely/train/options.hpp"
#include "likely/tree/tree.hpp"

namespace likely::train {

struct DoubleDescentOptions {
  double label_noise = 0.0;  // data::label_noise of the training labels
  std::int64_t classes = 0;  // needed for label noise
  std::uint64_t seed = 0;
};

// One size of model. `on_train` (with its noisy labels) and `on_test` hold the metrics in their order.
struct DescentPoint {
  std::int64_t width = 0;
  std::int64_t parameters = 0;
  std::vector<double> on_train{};
  std::vector<double> on_test{};
};

namespace detail {
data::Dataset with_noisy_labels(const data::Dataset& train, const DoubleDescentOptions& options, Rng rng);
void check_widths(const std::vector<std::int64_t>& widths);
[[noreturn]] void refuse_interrupted(std::size_t done, std::size_t all);
}  // namespace detail

// Trains one model for each width: train_one(width, training data, rng) returns it. Every model is trained on
// the same noisy labels. metric(model, batch) are measured on the training and on the test data; here they
// are given as train::Metric with the type of model that train_one returns. Refuses no widths, and data
// without a test part (Data::validation).
template <class TrainOne, class Model = std::remove_cvref_t<
                              std::invoke_result_t<TrainOne&, std::int64_t, const data::Dataset&, Rng>>>
std::vector<DescentPoint> double_descent(const std::vector<std::int64_t>& widths, const Data& data,
                                         TrainOne&& train_one,
                                         const std::type_identity_t<std::vector<Metric<Model>>>& metrics,
                                         const DoubleDescentOptions& options = {}) {
  detail::check_widths(widths);
  if (!data.validation) refuse("double_descent", "test data are needed: Data::validation");
  const detail::CatchInterrupt interrupt(true);
  Rng rng(options.seed);
  const data::Dataset noisy = detail::with_noisy_labels(data.train, options, rng.split());
  std::vector<DescentPoint> points;
  for (const std::int64_t width : widths) {
    const Model model = train_one(width, noisy, rng.split());
    DescentPoint point{.width = width, .parameters = count_parameters(model)};
    for (const Metric<Model>& metric : metrics) {
      point.on_train.push_back(evaluate(model, noisy, metric.of));
      point.on_test.push_back(evaluate(model, *data.validation, metric.of));
    }
    points.push_back(std::move(point));
    if (interrupt.arrived()) detail::refuse_interrupted(points.size(), widths.size());
  }
  return points;
}

}  // namespace likely::train
