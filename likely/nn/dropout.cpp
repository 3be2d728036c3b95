#include "likely/nn/dropout.hpp"

#include <fmt/format.h>

#include <cmath>

#include "likely/nn/untrained_calls.hpp"
#include "likely/ops/arithmetic.hpp"

namespace likely::nn {

Dropout::Dropout(double probability) : p(probability) {
  if (!(p >= 0.0 && p < 1.0)) refuse("Dropout", fmt::format("p must lie in [0, 1), got {}", p));
}

Tensor Dropout::operator()(const Tensor& x) const {
  if (changes_in_training()) detail::tell_of_untrained_call(this);
  return x;
}

GaussianNoise::GaussianNoise(double chosen) : stddev(chosen) {
  if (!(stddev >= 0.0 && std::isfinite(stddev))) {
    refuse("GaussianNoise", fmt::format("stddev must be >= 0, got {}", stddev));
  }
}

Tensor GaussianNoise::operator()(const Tensor& x) const {
  if (changes_in_training()) detail::tell_of_untrained_call(this);
  return x;
}

Tensor GaussianNoise::operator()(const Tensor& x, const Training& training) const {
  return x + training.split().normal(x.shape(), 0.0, stddev, x.dtype());
}

}  // namespace likely::nn
