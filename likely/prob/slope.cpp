#include "likely/prob/slope.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "likely/core/create.hpp"

namespace likely::detail {

Slope slope_or_nothing(const SlopeFunction& slope, const std::vector<double>& position) {
  try {
    return slope(position);
  } catch (const Error&) {
    return {-std::numeric_limits<double>::infinity(), {}};
  }
}

bool is_finite(const Slope& slope) {
  return std::isfinite(slope.log_density) &&
         std::all_of(slope.gradient.begin(), slope.gradient.end(), [](double v) { return std::isfinite(v); });
}

std::vector<double> flat_numbers(const std::vector<const Tensor*>& leaves) {
  std::vector<double> numbers;
  for (const Tensor* leaf : leaves) {
    const std::vector<double> values = leaf->to_vector<double>();
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  return numbers;
}

void set_numbers(const std::vector<Tensor*>& leaves, const std::vector<double>& numbers) {
  std::size_t begin = 0;
  for (Tensor* leaf : leaves) {
    const auto size = static_cast<std::size_t>(leaf->size());
    *leaf = tensor(std::span(numbers).subspan(begin, size), leaf->shape()).to(leaf->dtype());
    begin += size;
  }
}

}  // namespace likely::detail
