// Losses: what a step of a learner tells, by name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely::train {

// {"critic", loss}. Refuses a tensor that is not one number.
struct NamedLoss {
  std::string name;
  double value;

  NamedLoss(std::string called, double number);
  NamedLoss(std::string called, const Tensor& number);
};

// None where a step has nothing to tell.
using Losses = std::vector<NamedLoss>;

namespace detail {

// What is called so by its maker, as a number; refuses a tensor that is not one.
inline double one_number(const char*, const std::string&, double value) { return value; }
double one_number(const char* caller, const std::string& name, const Tensor& value);

// One of the losses over an epoch.
struct LossSum {
  std::string name;
  double sum = 0.0;  // over rows
  std::int64_t rows = 0;

  double mean() const { return sum / static_cast<double>(rows); }
};

}  // namespace detail

}  // namespace likely::train
