#include "likely/train/losses.hpp"

#include <utility>

#include "likely/core/error.hpp"

namespace likely::train {

NamedLoss::NamedLoss(std::string called, double number) : name(std::move(called)), value(number) {}

NamedLoss::NamedLoss(std::string called, const Tensor& number) : name(std::move(called)), value(0.0) {
  if (!number.defined() || number.size() != 1) {
    refuse("Losses", "\"" + name + "\" must be one number, got " +
                         (number.defined() ? "shape " + number.shape().string() : "an empty tensor"));
  }
  value = number.item();
}

}  // namespace likely::train
