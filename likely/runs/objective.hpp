// Objective: what the outputs of a model mean, and how they are judged.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "likely/core/tensor.hpp"
#include "likely/runs/recipe.hpp"

namespace likely::runs {

// A number that says how good outputs are, the mean over rows, taken after every epoch.
struct OutputMetric {
  std::string name;
  std::function<Tensor(const Tensor& output, const Tensor& y)> of;
  bool higher_is_better;
};

struct Objective {
  // What the outputs are; pictures are chosen by it.
  enum class Kind : std::uint8_t {
    classes,  // logits (rows, classes)
    binary,   // one logit a row: that of class 1
    numbers,  // the prediction itself
    normals   // (rows, 2): mean and unconstrained standard deviation, made positive by softplus
  };

  Kind kind = Kind::classes;
  // One number, to be made small.
  std::function<Tensor(const Tensor& output, const Tensor& y)> loss{};
  std::vector<OutputMetric> metrics{};
  // Over all rows of a data set.
  std::function<std::vector<Measured>(const Tensor& output, const Tensor& y)> figures{};
  std::function<Predictions(const Tensor& output)> predictions{};
};

// -log softmax of the label (5.24). Figures: accuracy, loss. `names` of the classes appear in predictions.
Objective classification(const std::vector<std::string>& names = {});
// -log probability of labels 0 and 1 (5.20). Figures: accuracy, loss.
Objective binary_classification();
// The mean squared error: least squares (2.5, 5.11). Figures: RMSE and R2.
Objective regression();
// -log Normal(y; mean, sd) where the model says both (5.15). Figures: loss, RMSE, and the share of targets
// within two standard deviations.
Objective normal_regression();

// For outputs of normal_regression: the means and the standard deviations, each (rows,).
struct MeanAndSpread {
  Tensor mean, spread;
};
MeanAndSpread mean_and_spread(const Tensor& output);

}  // namespace likely::runs
