#include "likely/optim/loss_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "likely/core/dispatch.hpp"

namespace likely::optim {

void detail::unpack(const std::vector<double>& numbers, const std::vector<Tensor*>& parameters) {
  std::size_t wanted = 0;
  for (const Tensor* parameter : parameters) wanted += static_cast<std::size_t>(parameter->size());
  if (wanted != numbers.size()) {
    refuse("minimize", fmt::format("the model had {} numbers to be learned when it began, has {} now",
                                   numbers.size(), wanted));
  }
  likely::detail::set_numbers(parameters, numbers);
}

double detail::rounding_of(const Tensor& value) {
  return likely::detail::limits_of("minimize", value.dtype()).epsilon;
}

bool detail::are_finite(const std::vector<Tensor*>& parameters) {
  return std::all_of(parameters.begin(), parameters.end(),
                     [](const Tensor* each) { return likely::detail::non_finite_in(*each) == 0; });
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
