// Schedules: how the learning rate changes with the number of steps. A schedule is a function of the step,
// counted from 0, without a state of its own:
//
//   const optim::WarmUp rate{.steps = 500, .then = optim::CosineSchedule{.lr = 1e-3, .steps = 10000}};
//   for (int step = 0; ...; ++step) { adam.options.lr = rate(step); ... }
//
// All refuse steps below 0, and, when called, rates below 0 and lengths below 1.
#pragma once

#include <cstdint>
#include <functional>

namespace likely::optim {

// Any of those below, or a function of your own.
using Schedule = std::function<double(std::int64_t step)>;

// Always the same.
struct ConstantSchedule {
  double lr;
  double operator()(std::int64_t step) const;
};

// lr factor^floor(step / every).
struct StepSchedule {
  double lr;
  std::int64_t every;
  double factor = 0.1;
  double operator()(std::int64_t step) const;
};

// lr factor^step.
struct ExponentialSchedule {
  double lr;
  double factor;
  double operator()(std::int64_t step) const;
};

// Along half a cosine from lr at step 0 to `last` at step `steps`, and `last` from then on (Loshchilov and
// Hutter, 2017).
struct CosineSchedule {
  double lr;
  std::int64_t steps;
  double last = 0.0;
  double operator()(std::int64_t step) const;
};

// Along a line from `first` at step 0 to `last` at step `steps`, and `last` from then on.
struct LinearSchedule {
  double first;
  double last;
  std::int64_t steps;
  double operator()(std::int64_t step) const;
};

// Up along a line to where another schedule begins, which then starts at its own step 0: in step t < steps
// the rate is then(0) (t + 1) / (steps + 1).
struct WarmUp {
  std::int64_t steps;
  Schedule then;
  double operator()(std::int64_t step) const;
};

// One schedule for so many steps, then another from its own step 0.
struct ChainSchedule {
  Schedule first;
  std::int64_t steps;
  Schedule then;
  double operator()(std::int64_t step) const;
};

}  // namespace likely::optim
