// What this machine does with likely: a few workloads, measured in seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace likely::machine {

// One thing to do, and how its time is said.
struct Workload {
  std::string name;  // "product 1024"
  std::string what;  // one line
  std::string unit;  // "GFLOP/s", "ns an op"
  // Called until the time is up; does its work `count` times.
  std::function<void(std::int64_t count)> run;
  // The figure, from the seconds that once took.
  std::function<double(double seconds)> figure;
};

struct Measurement {
  std::string name, what, unit;
  double value = 0.0;
  double seconds = 0.0;  // that once took: the median over the repetitions
};

// Overhead of tiny ops and gradients, products, exponentials, random numbers, a softmax loss and a training
// step. Inputs are made when a workload is first run.
std::vector<Workload> workloads();

// Runs one for about so long, in at least five repetitions. Refuses seconds <= 0.
Measurement measure(const Workload& workload, double seconds);

// For people, and as JSON; both say how many threads and which instructions were used.
std::string table_of(const std::vector<Measurement>& measured);
std::string json_of(const std::vector<Measurement>& measured);

}  // namespace likely::machine
