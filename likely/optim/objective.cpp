#include "likely/optim/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/create.hpp"

namespace likely::optim {

std::vector<double> detail::pack(const std::vector<const Tensor*>& parameters) {
  std::vector<double> numbers;
  for (const Tensor* parameter : parameters) {
    const std::vector<double> values = parameter->to_vector<double>();
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  return numbers;
}

void detail::unpack(const std::vector<double>& numbers, const std::vector<Tensor*>& parameters) {
  std::size_t wanted = 0;
  for (const Tensor* parameter : parameters) wanted += static_cast<std::size_t>(parameter->size());
  if (wanted != numbers.size()) {
    refuse("minimize", fmt::format("the model had {} numbers to be learned when it began, has {} now",
                                   numbers.size(), wanted));
  }
  const double* from = numbers.data();
  for (Tensor* parameter : parameters) {
    const auto size = static_cast<std::size_t>(parameter->size());
    *parameter = tensor(std::span(from, size), parameter->shape()).to(parameter->dtype());
    from += size;
  }
}

void detail::check_minimize(const char* method, const MinimizeOptions& options) {
  if (options.max_iterations < 0) {
    refuse(method, fmt::format("max_iterations must be >= 0, got {}", options.max_iterations));
  }
  if (!(options.gradient_tolerance >= 0.0)) {
    refuse(method, fmt::format("gradient_tolerance must be >= 0, got {}", options.gradient_tolerance));
  }
}

double detail::dot(const std::vector<double>& a, const std::vector<double>& b) {
  double total = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
  return total;
}

double detail::largest(const std::vector<double>& a) {
  double most = 0.0;
  for (const double value : a) most = std::max(most, std::abs(value));
  return most;
}

std::vector<double> detail::plus(const std::vector<double>& a, double factor, const std::vector<double>& b) {
  std::vector<double> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i] + factor * b[i];
  return result;
}

}  // namespace likely::optim
