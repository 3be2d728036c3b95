// Small problems whose expectations and gradients are sums by hand, and estimates repeated.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "likely/autodiff/custom.hpp"
#include "likely/core/create.hpp"
#include "likely/likely.hpp"
#include "likely/prob/expectation/expectation.hpp"

namespace likely::testing {

using Numbers = std::vector<double>;

inline const Numbers kClassLogits = {0.4, -0.7, 1.1, 0.0};
inline const Numbers kWeights = {0.9, -0.4, 0.1, 1.6};
inline constexpr double kFactor = 1.3;  // a parameter of f

// What is averaged, of one number: not linear, so that relaxed samples are biased.
inline double curve(double s) { return (s - 0.3) * (s - 0.3) + 0.5 * s * s * s; }
inline Tensor curve(const Tensor& s) { return square(s - 0.3) + 0.5 * s * s * s; }

inline Numbers softmax_by_hand(const Numbers& logits) {
  double total = 0.0;
  for (const double x : logits) total += std::exp(x);
  Numbers p;
  for (const double x : logits) p.push_back(std::exp(x) / total);
  return p;
}

// Value and gradient of sum_k p_k f_k by the logits.
inline std::pair<double, Numbers> sum_over_classes(const Numbers& logits, const Numbers& f) {
  const Numbers p = softmax_by_hand(logits);
  double value = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) value += p[k] * f[k];
  Numbers gradient;
  for (std::size_t k = 0; k < p.size(); ++k) gradient.push_back(p[k] * (f[k] - value));
  return {value, gradient};
}

inline Numbers class_values() {
  Numbers f;
  for (const double w : kWeights) f.push_back(kFactor * curve(w));
  return f;
}

inline Tensor f64(const Numbers& values) { return tensor(values); }

// f of labels and of one-hot or relaxed rows.
inline Tensor of_labels(const Tensor& labels, const Tensor& factor) {
  return factor * curve(reshape(index_select(f64(kWeights), 0, flatten(labels)), labels.shape()));
}
inline Tensor of_rows(const Tensor& rows, const Tensor& factor) {
  return factor * curve(sum(rows * f64(kWeights), -1));
}

// Many estimates of a gradient, one a row: their mean and its standard error, element by element.
struct Repeated {
  Tensor mean, error, variance;
};
inline Repeated repeated(const Tensor& estimates) {
  const Tensor v = var(estimates, 0, false, 1.0);
  return {mean(estimates, 0), sqrt(v / static_cast<double>(estimates.shape()[0])), v};
}

// |mean - exact| <= deviations * error, element by element. (Where an estimator has no variance, rounding.)
inline void expect_unbiased(const std::string& name, const Tensor& estimates, const Numbers& exact,
                            double deviations = 4.5) {
  const Repeated found = repeated(estimates);
  const Numbers m = found.mean.to_vector<double>(), e = found.error.to_vector<double>();
  ASSERT_EQ(m.size(), exact.size()) << name;
  for (std::size_t i = 0; i < m.size(); ++i) {
    EXPECT_TRUE(std::isfinite(m[i])) << name << " " << i;
    EXPECT_NEAR(m[i], exact[i], deviations * e[i] + 1e-12) << name << ", element " << i << ", error " << e[i];
  }
}

// One set of parameters for each repetition.
inline Tensor copies(const Numbers& parameters, std::int64_t repetitions) {
  return contiguous(expand(f64(parameters), {repetitions, static_cast<std::int64_t>(parameters.size())}));
}

}  // namespace likely::testing
