#include "likely/train/bias_variance.hpp"

#include <string>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/train/interrupt.hpp"

namespace likely::train {

data::Dataset draw(const RegressionProblem& problem, std::int64_t rows, Rng rng) {
  const Tensor x = problem.inputs(rows, rng.split());
  const Tensor mean = problem.mean(x);
  return {x, mean + problem.noise(x) * rng.normal(mean.shape(), 0.0, 1.0, mean.dtype())};
}

BiasVariance bias_variance(const RegressionProblem& problem, const Tensor& at,
                           const std::function<Predictor(const data::Dataset&, Rng)>& train_one,
                           const BiasVarianceOptions& options) {
  if (options.datasets < 2)
    refuse("bias_variance", "at least 2 datasets are needed, got " + std::to_string(options.datasets));
  if (options.rows < 1)
    refuse("bias_variance", "datasets need at least 1 row, got " + std::to_string(options.rows));
  const detail::CatchInterrupt interrupt(true);
  const Tensor mu = problem.mean(at);
  std::vector<Tensor> predictions;
  Rng rng(options.seed);
  for (std::int64_t i = 0; i < options.datasets; ++i) {
    const data::Dataset dataset = draw(problem, options.rows, rng.split());
    predictions.push_back(train_one(dataset, rng.split())(at));
    if (!(predictions.back().shape() == mu.shape())) {
      refuse("bias_variance", "a prediction has shape " + predictions.back().shape().string() +
                                  ", the mean " + mu.shape().string());
    }
    if (interrupt.arrived()) {
      refuse("bias_variance", "interrupted after " + std::to_string(i + 1) + " of " +
                                  std::to_string(options.datasets) + " datasets");
    }
  }
  const Tensor all = stack(predictions);
  const Tensor mean_prediction = mean(all, 0);
  return {.mean_prediction = mean_prediction,
          .noise = square(problem.noise(at)) + zeros_like(mu),
          .bias = square(mean_prediction - mu),
          .variance = var(all, 0)};
}

}  // namespace likely::train
