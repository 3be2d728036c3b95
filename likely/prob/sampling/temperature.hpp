// How the temperature of relaxed samples falls while a model learns.
#pragma once

#include <cstdint>

namespace likely {

// max(floor, first e^(-rate t)) with t the step, counted from 0, of the last change: every so many steps
// (Jang, Gu and Poole, 2017). A schedule as those of optim/schedule.hpp. Refuses steps below 0 and, when
// called, a floor or first that are not finite and above 0, a rate that is not finite and not below 0, and
// `every` below 1.
struct TemperatureSchedule {
  double first = 1.0;
  double rate = 1e-4;
  double floor = 0.5;
  std::int64_t every = 1;
  double operator()(std::int64_t step) const;
};

}  // namespace likely
