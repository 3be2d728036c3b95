// Calibration: a small map from the logits of a trained classifier to logits whose softmax can be believed,
// fitted on rows that the classifier has not learned from (Guo et al., 2017).
//
//   const auto fit = confidence::fit_temperature(logits, labels);
//   const Tensor p = softmax(fit.scaler(new_logits));
//   io::save("temperature.safetensors", fit.scaler);
//
// All work in f64. All refuse what check_scores refuses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/core/parts.hpp"
#include "likely/models/softmax/calibration_measures.hpp"
#include "likely/optim/loss_function.hpp"

namespace likely::confidence {

// z / T: the most probable class stays what it was.
struct TemperatureScaler {
  Tensor log_temperature = zeros({}, DType::f64);

  double temperature() const;
  Tensor operator()(const Tensor& logits) const;
  LIKELY_PARTS(log_temperature)
};

// z_k scale_k + shift_k
struct VectorScaler {
  Tensor scale, shift;  // (classes,)

  explicit VectorScaler(std::int64_t classes);
  Tensor operator()(const Tensor& logits) const;
  LIKELY_PARTS(scale, shift)
};

// W z + shift
struct MatrixScaler {
  Tensor weight, shift;  // (classes, classes), (classes,)

  explicit MatrixScaler(std::int64_t classes);
  Tensor operator()(const Tensor& logits) const;
  LIKELY_PARTS(weight, shift)
};

struct TemperatureFit {
  // Where the mean negative log-likelihood has its minimum in T.
  enum class At : std::uint8_t {
    inside,    // at a temperature, as usual
    zero,      // at T = 0: every true class has the largest logit of its row
    infinity,  // at T = infinity or below 0: true classes have no larger logits than others on average
    anywhere   // each row's logits are all the same: T means nothing, and is 1
  };

  TemperatureScaler scaler{};
  At at = At::inside;
  double nll = 0.0;             // at T
  double standard_error = 0.0;  // of log T, 1 / sqrt(information); NaN where it is not inside
  int iterations = 0;
  std::string note{};  // what to know where it is not inside, or was not found
};

// The T > 0 that makes -mean log softmax(z / T)_y smallest, where the mean true-class logit is the mean
// expected logit,
//   mean_i z_{i, y_i} = mean_i sum_k softmax(z_i / T)_k z_{i, k}:
// of all probabilities with that property these have the largest entropy. Found by Newton's method on log T,
// kept between bounds that are halved where a step leaves them. A minimum at T = 0 is not believed: T is then
// such that the mean loss is log((n + 2) / (n + 1)) above what it has there, as if of n + 2 rows one were
// wrong. Where it is at infinity, T is 1000 times the largest difference between logits of a row: all classes
// are equally probable.
TemperatureFit fit_temperature(const Tensor& logits, const Tensor& labels);

// Weights of penalties 1/2 weight (sum of squares), added to the loss that is summed over the rows, in units
// of the logits divided by the best temperature: of the scales' distance from 1, of the other entries of a
// matrix, and of the shifts. 0: none; then there may be no minimum, as where a class has no rows. Refused:
// weights < 0.
struct ScalingOptions {
  double scale = 1.0;
  double off_diagonal = 10.0;
  double shift = 1.0;
  int max_iterations = 500;
  CancelTest cancelled{};                  // asked at each look at the rows
  std::vector<std::string> class_names{};  // for the notes; empty: their numbers
};

// The names of those classes that no label is.
std::vector<std::string> names_without_rows(const Tensor& labels, const std::vector<std::string>& classes);

template <class Scaler>
struct ScalingFit {
  Scaler scaler;
  double nll = 0.0;  // without the penalty
  optim::Minimum end{};
  std::vector<std::string> notes{};  // classes without rows, and that it did not converge
};

// By L-BFGS, from the best temperature on.
ScalingFit<VectorScaler> fit_vector(const Tensor& logits, const Tensor& labels,
                                    const ScalingOptions& options = {});
ScalingFit<MatrixScaler> fit_matrix(const Tensor& logits, const Tensor& labels,
                                    const ScalingOptions& options = {});

}  // namespace likely::confidence
