// `likely bench`: a few workloads, measured in seconds.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "apps/likely/commands.hpp"
#include "apps/likely/whole_option.hpp"
#include "likely/core/error.hpp"
#include "likely/core/nearest_name.hpp"
#include "likely/core/threads.hpp"
#include "likely/models/machine/machine.hpp"

namespace likely::command {

namespace {

struct BenchOptions {
  std::vector<std::string> names;
  double seconds = 0.3;
  int threads = 0;
  bool json = false;
};

void run_bench(const BenchOptions& options) {
  if (options.threads > 0) set_threads(options.threads);
  const std::vector<machine::Workload> all = machine::workloads();
  std::vector<std::string> known;
  for (const machine::Workload& workload : all) known.push_back(workload.name);
  for (const std::string& name : options.names) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      refuse("bench", "there is no workload \"" + name + "\"" + did_you_mean(name, known));
  }
  std::vector<machine::Measurement> measured;
  for (const machine::Workload& workload : all) {
    const bool wanted = options.names.empty() || std::find(options.names.begin(), options.names.end(),
                                                           workload.name) != options.names.end();
    if (wanted) measured.push_back(machine::measure(workload, options.seconds));
  }
  fmt::print("{}", options.json ? machine::json_of(measured) : machine::table_of(measured));
}

}  // namespace

void add_bench(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* bench = app.add_subcommand("bench", "Measure what this machine does with likely, in seconds");
  bench->add_option("workloads", options->names, "Only these, by name");
  bench->add_option("--seconds", options->seconds, "For each workload")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 3600.0));
  bench->add_option("--threads", options->threads, "Threads; all processors if left out")
      ->transform(whole(1, 1024));
  bench->add_flag("--json", options->json, "Print JSON");
  bench->footer(
      "Each figure is the median of five repetitions. `make bench` in the project's folder is the comparison "
      "with\n"
      "libtorch, side by side and with the results compared; this is the quick look.");
  bench->callback([options] { run_bench(*options); });
}

}  // namespace likely::command
