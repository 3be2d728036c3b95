#include "likely/tree/learned_numbers.hpp"

#include <span>

#include "likely/core/create.hpp"

namespace likely::detail {

std::vector<double> numbers_of(const std::vector<const Tensor*>& tensors) {
  std::vector<double> numbers;
  for (const Tensor* tensor : tensors) {
    const std::vector<double> values = tensor->to_vector<double>();
    numbers.insert(numbers.end(), values.begin(), values.end());
  }
  return numbers;
}

void set_numbers(const std::vector<Tensor*>& tensors, const std::vector<double>& numbers) {
  std::size_t begin = 0;
  for (Tensor* each : tensors) {
    const auto size = static_cast<std::size_t>(each->size());
    *each = tensor(std::span(numbers).subspan(begin, size), each->shape()).to(each->dtype());
    begin += size;
  }
}

}  // namespace likely::detail
