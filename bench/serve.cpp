// The timing side of a peer: obeys lines on standard input, so that the table can take turns between
// libraries that could not share a process.
// Arguments: the number of threads and the name of the workload, if only that one will be asked for.
//   list             -> the names, one a line, then an empty line
//   check NAME       -> the numbers to agree on, in one line
//   time SECONDS NAME -> seconds for one unit of NAME, measured over at least that long
#include <chrono>
#include <iostream>
#include <sstream>
#include <string>

#include "bench/workload.hpp"

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double seconds_per_unit(const bench::Workload& work, double at_least) {
  long rounds = 1;
  for (;;) {
    const double start = now();
    for (long i = 0; i < rounds; ++i) work.run();
    const double took = now() - start;
    if (took >= at_least) return took / (static_cast<double>(rounds) * work.units);
    const double wanted = 1.2 * at_least / std::max(took, 1e-9) * static_cast<double>(rounds);
    rounds = std::max(rounds + 1, static_cast<long>(std::min(wanted, 1e9)));
  }
}

const bench::Workload* find(const std::vector<bench::Workload>& all, const std::string& name) {
  for (const bench::Workload& work : all) {
    if (work.name == name) return &work;
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::stoi(argv[1]) : 1;
  const bench::Workloads made = bench::workloads(threads, argc > 2 ? argv[2] : "");
  const std::vector<bench::Workload>& all = made.all();
  std::cout.precision(17);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command;
    double seconds = 0.0;
    std::string name;
    words >> command;
    if (command == "list") {
      for (const bench::Workload& work : all) std::cout << work.name << '\n';
      std::cout << std::endl;
      continue;
    }
    if (command == "time") words >> seconds;
    std::getline(words >> std::ws, name);
    const bench::Workload* work = find(all, name);
    if (work == nullptr) {
      std::cout << "unknown" << std::endl;
    } else if (command == "check") {
      for (const double value : work->check()) std::cout << value << ' ';
      std::cout << std::endl;
    } else {
      std::cout << seconds_per_unit(*work, seconds) << std::endl;
    }
  }
}
