// Likelihoods of choice models as a user of likely computes them.
#pragma once

#include "bench/workload.hpp"

namespace bench {

void add_choice(Workloads& all);

}  // namespace bench
