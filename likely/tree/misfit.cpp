#include "likely/tree/misfit.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "likely/kernels/elementwise/compare.hpp"

namespace likely {

namespace {

std::string_view demanded(Values values) {
  switch (values) {
    case Values::any: return "anything";
    case Values::not_nan: return "a number";
    case Values::finite: return "finite";
    case Values::not_negative: return "at least 0";
    case Values::at_least_0: return "finite and at least 0";
    case Values::positive: return "finite and above 0";
    case Values::count: return "a count from 0 to 2^53";
  }
  return "?";
}

bool is_fine(double value, Values values) {
  switch (values) {
    case Values::any: return true;
    case Values::not_nan: return !std::isnan(value);
    case Values::finite: return std::isfinite(value);
    case Values::not_negative: return value >= 0.0;
    case Values::at_least_0: return value >= 0.0 && std::isfinite(value);
    case Values::positive: return value > 0.0 && std::isfinite(value);
    case Values::count: return value >= 0.0 && value <= static_cast<double>(kMostCounted);
  }
  return false;
}

template <class T>
std::string misfit_of(std::string_view name, const char* verb, T value, Values values) {
  if (is_fine(static_cast<double>(value), values)) return {};
  return fmt::format("{} {} {}, must be {}", name, verb, value, demanded(values));
}

template <class T>
std::string first_misfit(std::string_view name, const Tensor& part, Values values) {
  for (const T value : part.to_vector<T>()) {
    std::string wrong = misfit_of(name, "holds", value, values);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

}  // namespace

std::string number_misfit(std::string_view name, double value, Values values) {
  return misfit_of(name, "is", value, values);
}
std::string number_misfit(std::string_view name, std::int64_t value, Values values) {
  return misfit_of(name, "is", value, values);
}

std::string shape_and_type(const Tensor& tensor) {
  if (!tensor.defined()) return "empty";
  return fmt::format("{} {}", tensor.shape().string(), name_of(tensor.dtype()));
}

std::string part_misfit(std::string_view name, const Tensor& part, const Shape& shape, DType dtype,
                        Values values) {
  if (!part.defined() || !(part.shape() == shape) || part.dtype() != dtype) {
    return fmt::format("{} is {}, must be {} {}", name, shape_and_type(part), shape.string(), name_of(dtype));
  }
  return values_misfit(name, part, values);
}

std::string empty_misfit(std::string_view name, const Tensor& part) {
  return part.defined() ? std::string() : fmt::format("{} is empty, must be there", name);
}

std::string values_misfit(std::string_view name, const Tensor& part, Values values) {
  if (!part.defined() || values == Values::any) return {};
  if (values == Values::finite && is_floating(part.dtype())) {
    const Tensor dense = part.contiguous();
    if (kernels::all_finite(dense.raw(), dense.size(), dense.dtype())) return {};
  }
  if (!is_floating(part.dtype())) return first_misfit<std::int64_t>(name, part, values);
  return first_misfit<double>(name, part, values);
}

}  // namespace likely
