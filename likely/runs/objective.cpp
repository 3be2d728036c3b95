#include "likely/runs/objective.hpp"

#include <fmt/format.h>

#include "likely/core/error.hpp"
#include "likely/ops/activation.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/ops/view.hpp"
#include "likely/prob/distributions/normal.hpp"
#include "likely/train/metrics.hpp"

namespace likely::runs {

namespace {

// Targets in the shape of the outputs: (rows,) and (rows, 1) mean the same, anything else does not fit.
Tensor targets_like(const Tensor& output, const Tensor& y) {
  if (!y.defined()) refuse("train", "the data have no targets");
  if (y.size() != output.size())
    refuse("train",
           fmt::format("outputs {} do not fit targets {}", output.shape().string(), y.shape().string()));
  return reshape(y, output.shape());
}

Tensor flat(const Tensor& x) { return reshape(x, {x.size()}); }

Tensor squared_error(const Tensor& output, const Tensor& y) {
  return train::mean_squared_difference(output, targets_like(output, y));
}

Tensor binary_accuracy(const Tensor& logits, const Tensor& y) {
  const Tensor said = (flat(logits) > 0.0).to(DType::i64);
  return mean((said == flat(targets_like(logits, y)).to(DType::i64)).to(DType::f64));
}

Tensor normal_loss(const Tensor& output, const Tensor& y) {
  const auto [center, spread] = mean_and_spread(output);
  return -mean(Normal(center, spread).log_prob(targets_like(center, y)));
}

double root_of_squares(const Tensor& prediction, const Tensor& y) {
  return sqrt(mean(square(prediction.to(DType::f64) - y.to(DType::f64)))).item();
}

std::vector<Measured> regression_figures(const Tensor& output, const Tensor& y) {
  const Tensor truth = targets_like(output, y).to(DType::f64);
  const Tensor error = square(output.to(DType::f64) - truth);
  const double spread = sum(square(truth - mean(truth, 0, true))).item();
  std::vector<Measured> figures{{.name = "RMSE", .better = Better::lower, .value = sqrt(mean(error)).item()}};
  // Of targets that are all the same, one row among them, no part can be explained.
  if (spread != 0.0)
    figures.push_back({.name = "R2", .better = Better::higher, .value = 1.0 - sum(error).item() / spread});
  return figures;
}

std::vector<Measured> normal_figures(const Tensor& output, const Tensor& y) {
  const auto [center, spread] = mean_and_spread(output);
  const Tensor truth = targets_like(center, y);
  const Tensor inside = abs(truth - center) <= spread * 2.0;
  return {{.name = "loss", .better = Better::lower, .value = normal_loss(output, y).item()},
          {.name = "RMSE", .better = Better::lower, .value = root_of_squares(center, truth)},
          {.name = "within 2 sd",
           .better = Better::neither,
           .value = mean(inside.to(DType::f64)).item(),
           .percent = true}};
}

Predictions class_predictions(const Tensor& logits, const std::vector<std::string>& names) {
  const Tensor probability = softmax(logits, -1);
  Predictions columns;
  columns.push_back({"prediction", argmax(logits, -1), names});
  columns.push_back({"probability", max(probability, -1)});
  for (std::int64_t k = 0; k < logits.dim(1); ++k) {
    const auto place = static_cast<std::size_t>(k);
    const std::string name = place < names.size() ? names[place] : std::to_string(k);
    columns.push_back({"p_" + name, select(probability, 1, k)});
  }
  return columns;
}

}  // namespace

MeanAndSpread mean_and_spread(const Tensor& output) {
  if (output.rank() != 2 || output.dim(1) != 2)
    refuse("normal_regression", "outputs must be (rows, 2), got " + output.shape().string());
  const Tensor center = select(output, 1, 0);
  // A smallest spread keeps the density of a row that is met exactly from growing without end.
  return {center, softplus(select(output, 1, 1)) + 1e-3};
}

Objective classification(const std::vector<std::string>& names) {
  const auto loss = [](const Tensor& output, const Tensor& y) { return softmax_cross_entropy(output, y); };
  return {.kind = Objective::Kind::classes,
          .loss = loss,
          .metrics = {{"accuracy", train::share_of_right_labels, true}},
          .figures =
              [loss](const Tensor& output, const Tensor& y) {
                const double right = train::share_of_right_labels(output, y).item();
                return std::vector<Measured>{
                    {.name = "accuracy", .better = Better::higher, .value = right, .percent = true},
                    {.name = "loss", .better = Better::lower, .value = loss(output, y).item()}};
              },
          .predictions = [names](const Tensor& output) { return class_predictions(output, names); }};
}

Objective binary_classification() {
  const auto loss = [](const Tensor& output, const Tensor& y) {
    return binary_cross_entropy_from_logits(flat(output), flat(targets_like(output, y)));
  };
  return {.kind = Objective::Kind::binary,
          .loss = loss,
          .metrics = {{"accuracy", binary_accuracy, true}},
          .figures =
              [loss](const Tensor& output, const Tensor& y) {
                const double right = binary_accuracy(output, y).item();
                return std::vector<Measured>{
                    {.name = "accuracy", .better = Better::higher, .value = right, .percent = true},
                    {.name = "loss", .better = Better::lower, .value = loss(output, y).item()}};
              },
          .predictions =
              [](const Tensor& output) {
                const Tensor one = flat(output);
                return Predictions{{"prediction", (one > 0.0).to(DType::i64)}, {"p_1", sigmoid(one)}};
              }};
}

Objective regression() {
  return {.kind = Objective::Kind::numbers,
          .loss = squared_error,
          .figures = regression_figures,
          .predictions = [](const Tensor& output) {
            const Tensor rows = output.rank() == 2 ? output : reshape(output, {output.dim(0), -1});
            if (rows.dim(1) == 1) return Predictions{{"prediction", flat(rows)}};
            Predictions columns;
            for (std::int64_t k = 0; k < rows.dim(1); ++k)
              columns.push_back({fmt::format("prediction_{}", k), select(rows, 1, k)});
            return columns;
          }};
}

Objective normal_regression() {
  return {.kind = Objective::Kind::normals,
          .loss = normal_loss,
          .figures = normal_figures,
          .predictions = [](const Tensor& output) {
            const auto [center, spread] = mean_and_spread(output);
            return Predictions{{"prediction", center}, {"sd", spread}};
          }};
}

}  // namespace likely::runs
