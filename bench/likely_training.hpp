// Whole training steps as a user of likely writes them.
#pragma once

#include <vector>

#include "bench/workload.hpp"
#include "likely/core/tensor.hpp"

namespace bench {

void add_training(Workloads& all);

// The first elements of a tensor, then the sum of all.
std::vector<double> list(const likely::Tensor& t, std::int64_t most = 64);

}  // namespace bench
