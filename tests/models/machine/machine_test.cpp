#include "likely/models/machine/machine.hpp"

#include <gtest/gtest.h>

#include <set>

#include "likely/core/threads.hpp"
#include "likely/io/json.hpp"
#include "tests/support/check_gradients.hpp"

namespace likely::machine {
namespace {

using testing::expect_refusal;

TEST(Machine, RunsEveryWorkload) {
  std::set<std::string> names;
  for (const Workload& workload : workloads()) {
    EXPECT_TRUE(names.insert(workload.name).second) << workload.name;
    if (workload.name == "add" || workload.name == "product f64") continue;  // long under sanitizers
    workload.run(1);
    EXPECT_GT(workload.figure(0.5), 0.0) << workload.name;
  }
  EXPECT_GE(names.size(), 10U);
}

TEST(Machine, MakesItsFigureFromTheTimeOfOneCall) {
  std::int64_t calls = 0;
  const Workload counted{"counted", "a counter", "ns", [&](std::int64_t count) { calls += count; },
                         [](double seconds) { return 1e9 * seconds; }};
  const Measurement measured = measure(counted, 1e-3);
  EXPECT_GT(calls, 5);
  EXPECT_DOUBLE_EQ(measured.value, 1e9 * measured.seconds);
  EXPECT_LT(measured.seconds, 1e-3);
}

TEST(Machine, WritesATableAndJson) {
  const std::vector<Measurement> measured{{"op", "tiny", "ns an op", 12.5, 1e-8}};
  EXPECT_NE(table_of(measured).find("op                   12.5 ns an op   tiny\n"), std::string::npos)
      << table_of(measured);
  const auto json = io::parse_json<io::SortedJson>(json_of(measured));
  EXPECT_EQ(json["measured"][0]["value"], 12.5);
  EXPECT_EQ(json["threads"], threads());
}

TEST(Machine, RefusesNoTime) {
  expect_refusal([] { measure(workloads()[0], 0.0); }, "[bench] seconds must be above 0, got 0");
}

}  // namespace
}  // namespace likely::machine
