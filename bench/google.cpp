// likely's workloads under Google Benchmark, for its filters, repetitions and counters. Threads: the first
// argument that is a number, else 1.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "bench/workload.hpp"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const int threads = argc > 1 ? std::max(1, std::atoi(argv[1])) : 1;
  const bench::Workloads made = bench::workloads(threads);
  for (const bench::Workload& work : made.all()) {
    benchmark::RegisterBenchmark(work.name.c_str(), [work](benchmark::State& state) {
      for (auto _ : state) work.run();
      state.counters["seconds_per_unit"] = benchmark::Counter(
          work.units, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
    });
  }
  benchmark::RunSpecifiedBenchmarks();
}
