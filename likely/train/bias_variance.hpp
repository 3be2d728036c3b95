// Noise, bias and variance (8.2-8.7): why a model is wrong on new data, measured on a problem that is known.
#pragma once

#include <cstdint>
#include <functional>

#include "likely/core/tensor.hpp"
#include "likely/data/data.hpp"
#include "likely/ops/rng.hpp"

namespace likely::train {

// y = mean(x) + noise(x) * a standard normal number, where x (rows, 1) is drawn by `inputs`.
struct RegressionProblem {
  std::function<Tensor(const Tensor& x)> mean;
  std::function<Tensor(const Tensor& x)> noise;  // the standard deviation
  std::function<Tensor(std::int64_t rows, Rng rng)> inputs;
};

// A data set of the problem.
data::Dataset draw(const RegressionProblem& problem, std::int64_t rows, Rng rng);

using Predictor = std::function<Tensor(const Tensor& x)>;

struct BiasVarianceOptions {
  std::int64_t rows = 15;       // of each training set
  std::int64_t datasets = 100;  // training sets, and models
  std::uint64_t seed = 0;
};

// Each a tensor of the shape of y at the places asked for. The three parts of the expected squared error add
// up to it: E_D E_y (f - y)^2 = variance + bias + noise.
struct BiasVariance {
  Tensor mean_prediction;  // f_mu[x] = E_D f[x, phi[D]]        (8.4)
  Tensor noise;            // sigma^2[x]
  Tensor bias;             // (f_mu[x] - mu[x])^2, squared as in (8.7)
  Tensor variance;         // E_D (f[x, phi[D]] - f_mu[x])^2
};

// Trains one model on each of many data sets and takes means over them as the expectations. The estimate of
// the bias is too large by variance / datasets. train_one(dataset, rng) gives the trained model as a
// function; predictions must have the shape of mean(x). Refuses datasets < 2, rows < 1 and predictions of
// other shapes.
BiasVariance bias_variance(const RegressionProblem& problem, const Tensor& at,
                           const std::function<Predictor(const data::Dataset&, Rng)>& train_one,
                           const BiasVarianceOptions& options = {});

}  // namespace likely::train
