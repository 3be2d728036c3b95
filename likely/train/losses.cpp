#include "likely/train/losses.hpp"

#include <utility>

#include "likely/core/error.hpp"

namespace likely::train {

NamedLoss::NamedLoss(std::string called, double number) : name(std::move(called)), value(number) {}

NamedLoss::NamedLoss(std::string called, const Tensor& number)
    : name(std::move(called)), value(detail::one_number("Losses", name, number)) {}

double detail::one_number(const char* caller, const std::string& name, const Tensor& value) {
  if (!value.defined() || value.size() != 1) {
    refuse(caller, "\"" + name + "\" must be one number, got " +
                       (value.defined() ? "shape " + value.shape().string() : "an empty tensor"));
  }
  return value.item();
}

}  // namespace likely::train
