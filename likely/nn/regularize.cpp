#include "likely/nn/regularize.hpp"

#include <fmt/format.h>

#include <cmath>

#include "likely/core/create.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/index.hpp"
#include "likely/tree/name_pattern.hpp"

namespace likely::nn {

namespace {

template <class Term>
Tensor total(const std::vector<Tensor>& parameters, const Term& term) {
  Tensor result = sum(term(parameters[0]));
  for (std::size_t i = 1; i < parameters.size(); ++i) result = result + sum(term(parameters[i]));
  return result;
}

void check_fraction(const char* caller, const char* what, double value) {
  if (!(value >= 0.0 && value <= 1.0)) {
    refuse(caller, fmt::format("{} must lie in [0, 1], got {}", what, value));
  }
}

}  // namespace

bool detail::fits(const std::string& name, std::string_view pattern) { return name_fits(name, pattern); }

void detail::check_some(const char* caller, std::size_t count, std::string_view pattern) {
  if (count == 0) refuse(caller, fmt::format("no parameter's name fits \"{}\"", pattern));
}

Tensor detail::sum_of_squares(const std::vector<Tensor>& parameters) {
  return total(parameters, [](const Tensor& t) { return square(t); });
}

Tensor detail::sum_of_sizes(const std::vector<Tensor>& parameters) {
  return total(parameters, [](const Tensor& t) { return abs(t); });
}

detail::Spread detail::gradient_spread(const std::vector<std::vector<Tensor>>& gradients) {
  if (gradients.empty()) refuse("implicit_sgd", "no batches");
  check_some("implicit_sgd", gradients[0].size(), "*");
  const auto batches = static_cast<double>(gradients.size());
  std::vector<Tensor> mean = gradients[0];
  for (std::size_t b = 1; b < gradients.size(); ++b) {
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] = mean[i] + gradients[b][i];
  }
  for (Tensor& each : mean) each = each / batches;
  Tensor variance;
  for (const std::vector<Tensor>& gradient : gradients) {
    for (std::size_t i = 0; i < mean.size(); ++i) {
      const Tensor term = sum(square(gradient[i] - mean[i]));
      variance = variance.defined() ? variance + term : term;
    }
  }
  return {sum_of_squares(mean), variance / batches};
}

void detail::check_rate(const char* caller, double lr) {
  if (!(lr >= 0.0 && std::isfinite(lr))) refuse(caller, fmt::format("lr must be >= 0, got {}", lr));
}

void detail::check_stddev(const char* caller, double stddev) {
  if (!(stddev >= 0.0 && std::isfinite(stddev))) {
    refuse(caller, fmt::format("stddev must be >= 0, got {}", stddev));
  }
}

Tensor smooth_labels(const Tensor& labels, std::int64_t classes, double epsilon, DType dtype) {
  check_fraction("smooth_labels", "epsilon", epsilon);
  return one_hot(labels, classes, dtype) * (1.0 - epsilon) + epsilon / static_cast<double>(classes);
}

Tensor noisy_labels(const Tensor& labels, std::int64_t classes, double p, const Training& training) {
  check_fraction("noisy_labels", "p", p);
  static_cast<void>(one_hot(labels, classes));  // for its checks
  const Tensor drawn = training.split().randint(0, classes, labels.shape());
  const Tensor replaced = training.split().bernoulli(labels.shape(), p) > 0.5;
  return where(replaced, drawn, labels);
}

}  // namespace likely::nn
