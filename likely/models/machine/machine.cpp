#include "likely/models/machine/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/io/json.hpp"
#include "likely/kernels/build_info.hpp"

namespace likely::machine {

namespace {

constexpr int kRepetitions = 5;

double seconds_of(const Workload& workload, std::int64_t count) {
  const auto start = std::chrono::steady_clock::now();
  workload.run(count);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Measurement measure(const Workload& workload, double seconds) {
  if (!(seconds > 0.0)) refuse("bench", fmt::format("seconds must be above 0, got {}", seconds));
  const double piece = seconds / kRepetitions;
  workload.run(1);  // inputs are made, memory is touched
  // So many times that a repetition is long beside the clock's grain.
  std::int64_t count = 1;
  double once = seconds_of(workload, count);
  while (once < piece / 10 && count < (std::int64_t{1} << 40)) {
    count *= 4;
    once = seconds_of(workload, count);
  }
  count = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(count) * piece / once));
  std::vector<double> times;
  for (int i = 0; i < kRepetitions; ++i)
    times.push_back(seconds_of(workload, count) / static_cast<double>(count));
  std::nth_element(times.begin(), times.begin() + kRepetitions / 2, times.end());
  const double median = times[kRepetitions / 2];
  return {workload.name, workload.what, workload.unit, workload.figure(median), median};
}

std::string table_of(const std::vector<Measurement>& measured) {
  const BuildInfo info = build_info();
  std::string text = fmt::format("likely {}, {} thread{}, {}\n\n", version(), threads(),
                                 threads() == 1 ? "" : "s", info.vector_instructions);
  for (const Measurement& one : measured) {
    const std::string value =
        one.value < 1000 ? fmt::format("{:.4g}", one.value) : fmt::format("{:.0f}", one.value);
    text += fmt::format("{:<14} {:>10} {:<10} {}\n", one.name, value, one.unit, one.what);
  }
  return text;
}

std::string json_of(const std::vector<Measurement>& measured) {
  const BuildInfo info = build_info();
  io::Json list = io::Json::array();
  for (const Measurement& one : measured) {
    list.push_back({{"name", one.name},
                    {"what", one.what},
                    {"value", one.value},
                    {"unit", one.unit},
                    {"seconds", one.seconds}});
  }
  const io::Json all{{"likely", version()},
                     {"threads", threads()},
                     {"vector_instructions", info.vector_instructions},
                     {"measured", list}};
  return io::json_text(all, 2) + "\n";
}

}  // namespace likely::machine
