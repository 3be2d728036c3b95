#include "likely/optim/schedule.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "likely/core/error.hpp"
#include "likely/optim/check_options.hpp"

namespace likely::optim {

namespace {

void check_step(const char* name, std::int64_t step) {
  if (step < 0) refuse(name, fmt::format("the step must be >= 0, got {}", step));
}

void check_length(const char* name, const char* what, std::int64_t length) {
  if (length < 1) refuse(name, fmt::format("{} must be >= 1, got {}", what, length));
}

void check_schedule(const char* name, const char* what, const Schedule& schedule) {
  if (!schedule) refuse(name, fmt::format("{} is no schedule", what));
}

}  // namespace

double ConstantSchedule::operator()(std::int64_t step) const {
  check_step("ConstantSchedule", step);
  detail::check_at_least_0("ConstantSchedule", "lr", lr);
  return lr;
}

double StepSchedule::operator()(std::int64_t step) const {
  check_step("StepSchedule", step);
  detail::check_at_least_0("StepSchedule", "lr", lr);
  detail::check_at_least_0("StepSchedule", "factor", factor);
  check_length("StepSchedule", "every", every);
  const std::int64_t falls = step / every;
  return lr * std::pow(factor, static_cast<double>(falls));
}

double ExponentialSchedule::operator()(std::int64_t step) const {
  check_step("ExponentialSchedule", step);
  detail::check_at_least_0("ExponentialSchedule", "lr", lr);
  detail::check_at_least_0("ExponentialSchedule", "factor", factor);
  return lr * std::pow(factor, static_cast<double>(step));
}

double CosineSchedule::operator()(std::int64_t step) const {
  check_step("CosineSchedule", step);
  detail::check_at_least_0("CosineSchedule", "lr", lr);
  detail::check_at_least_0("CosineSchedule", "last", last);
  check_length("CosineSchedule", "steps", steps);
  if (step >= steps) return last;
  const double part = static_cast<double>(step) / static_cast<double>(steps);
  return last + 0.5 * (lr - last) * (1.0 + std::cos(std::numbers::pi * part));
}

double LinearSchedule::operator()(std::int64_t step) const {
  check_step("LinearSchedule", step);
  detail::check_at_least_0("LinearSchedule", "first", first);
  detail::check_at_least_0("LinearSchedule", "last", last);
  check_length("LinearSchedule", "steps", steps);
  if (step >= steps) return last;
  return first + (last - first) * static_cast<double>(step) / static_cast<double>(steps);
}

double WarmUp::operator()(std::int64_t step) const {
  check_step("WarmUp", step);
  check_length("WarmUp", "steps", steps);
  check_schedule("WarmUp", "then", then);
  if (step >= steps) return then(step - steps);
  return then(0) * static_cast<double>(step + 1) / static_cast<double>(steps + 1);
}

double ChainSchedule::operator()(std::int64_t step) const {
  check_step("ChainSchedule", step);
  check_length("ChainSchedule", "steps", steps);
  check_schedule("ChainSchedule", "first", first);
  check_schedule("ChainSchedule", "then", then);
  return step < steps ? first(step) : then(step - steps);
}

}  // namespace likely::optim
