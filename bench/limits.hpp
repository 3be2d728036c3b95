// What the machine can do, and what each workload asks of it at the least.
#pragma once

#include <string>

namespace bench {

struct Limits {
  double flops;   // single-precision multiply-adds, counted as two, a second
  double memory;  // bytes a second, from memory (triad)
  double cache;   // bytes a second, from the last-level cache (triad on 12 MiB)
};

Limits measure_limits(int threads);

// The least time that the arithmetic and the traffic of a workload need; 0 where neither says anything.
double limit_seconds(const std::string& name, const Limits& limits);

// Why some rows stay above twice their limit.
std::string remarks();

}  // namespace bench
