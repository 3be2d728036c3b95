// The table: likely and its peers on the same numbers, taking turns, as times, ratios and shares of the
// limit.
//   table LIKELY_SERVER [PEER_NAME=PEER_SERVER[@LIBRARY_PATH]]... [--only LETTERS] [--seconds S] [--repeats
//   N]
//         [--threads 1,2] [--json FILE]
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/limits.hpp"

namespace {

struct Options {
  std::string likely;
  struct Peer {
    std::string name, program, library_path;
  };
  std::vector<Peer> peers;
  std::string only;
  double seconds = 0.15;
  int repeats = 7;
  std::vector<int> threads = {1, 2};
  std::string json;
};

// A server process (serve.cpp) and the pipes to it.
class Server {
 public:
  Server(const std::string& program, const std::string& library_path, int threads,
         const std::string& only = "") {
    int to[2];
    int from[2];
    // Closed in later children: a server ends when nobody holds the other end of its input.
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
      throw std::runtime_error("cannot open a pipe");
    child_ = fork();
    if (child_ == 0) {
      dup2(to[0], 0);
      dup2(from[1], 1);
      const std::string count = std::to_string(threads);
      setenv("OMP_NUM_THREADS", count.c_str(), 1);
      if (!library_path.empty()) setenv("LD_LIBRARY_PATH", library_path.c_str(), 1);
      execl(program.c_str(), program.c_str(), count.c_str(), only.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    out_ = fdopen(to[1], "w");
    in_ = fdopen(from[0], "r");
  }
  ~Server() {
    fclose(out_);
    fclose(in_);
    waitpid(child_, nullptr, 0);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string ask(const std::string& line) {
    fputs((line + "\n").c_str(), out_);
    fflush(out_);
    return read();
  }
  std::string read() {
    std::string line;
    for (int c = fgetc(in_); c != '\n'; c = fgetc(in_)) {
      if (c == EOF) throw std::runtime_error("a benchmark process ended early");
      line.push_back(static_cast<char>(c));
    }
    return line;
  }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (std::string name = ask("list"); !name.empty(); name = read()) all.push_back(name);
    return all;
  }
  double time(double seconds, const std::string& name) {
    return std::stod(ask(fmt::format("time {} {}", seconds, name)));
  }
  std::vector<double> check(const std::string& name) {
    std::istringstream words(ask("check " + name));
    std::vector<double> numbers;
    for (double v = 0; words >> v;) numbers.push_back(v);
    return numbers;
  }

 private:
  pid_t child_ = 0;
  FILE* out_ = nullptr;
  FILE* in_ = nullptr;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Single precision in another order of summation: a thousandth of the largest number is far too much to be
// that. Random numbers, of which a check returns mean and deviation, differ by chance: by up to 7 thousandths
// in a million.
bool agree(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size() || a.empty()) return false;
  const double chance = a.size() == 2 ? 1e-2 : 2e-3;
  double largest = 0.0;
  for (const double v : b) largest = std::max(largest, std::abs(v));
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= 1e-3 * std::max(std::abs(b[i]), 1e-3 * largest) + chance)) return false;
  }
  return true;
}

struct Row {
  std::string name;
  int threads = 1;
  std::string peer;
  double seconds = 0.0;
  std::optional<double> peer_seconds;
  std::optional<double> limit_share;
};

void print(const Row& row) {
  const auto time = [](double s) {
    return s < 1e-6   ? fmt::format("{:.1f} ns", s * 1e9)
           : s < 1e-3 ? fmt::format("{:.2f} us", s * 1e6)
                      : fmt::format("{:.2f} ms", s * 1e3);
  };
  fmt::print("{:<58} {:>2} {:>11} {:>11} {:>7} {:>7}  {}\n", row.name, row.threads, time(row.seconds),
             row.peer_seconds ? time(*row.peer_seconds) : "-",
             row.peer_seconds ? fmt::format("{:.2f}x", *row.peer_seconds / row.seconds) : "-",
             row.limit_share ? fmt::format("{:.0f} %", 100 * *row.limit_share) : "-", row.peer);
  std::fflush(stdout);
}

void write_json(const std::string& path, const std::vector<Row>& rows) {
  nlohmann::json all = nlohmann::json::array();
  for (const Row& row : rows) {
    nlohmann::json entry = {
        {"name", row.name}, {"threads", row.threads}, {"peer", row.peer}, {"seconds", row.seconds}};
    entry["peer_seconds"] = row.peer_seconds ? nlohmann::json(*row.peer_seconds) : nlohmann::json();
    entry["ratio"] = row.peer_seconds ? nlohmann::json(*row.peer_seconds / row.seconds) : nlohmann::json();
    entry["limit_share"] = row.limit_share ? nlohmann::json(*row.limit_share) : nlohmann::json();
    all.push_back(entry);
  }
  const std::string temporary = path + ".part";
  {
    std::ofstream file(temporary);
    file << all.dump(1) << '\n';
    if (!file) throw std::runtime_error("cannot write " + temporary);
  }
  std::filesystem::rename(temporary, path);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= argc) throw std::runtime_error(word + " needs a value");
      return argv[++i];
    };
    if (word == "--only") {
      options.only = value();
    } else if (word == "--seconds") {
      options.seconds = std::stod(value());
    } else if (word == "--repeats") {
      options.repeats = std::stoi(value());
    } else if (word == "--json") {
      options.json = value();
    } else if (word == "--threads") {
      options.threads.clear();
      std::istringstream list(value());
      for (std::string n; std::getline(list, n, ',');) options.threads.push_back(std::stoi(n));
    } else if (word.find('=') != std::string::npos) {
      const std::size_t equals = word.find('=');
      const std::size_t at = word.find('@');
      options.peers.push_back({word.substr(0, equals), word.substr(equals + 1, at - equals - 1),
                               at == std::string::npos ? "" : word.substr(at + 1)});
    } else {
      options.likely = word;
    }
  }
  if (options.likely.empty()) throw std::runtime_error("the path of likely's benchmark server is missing");
  return options;
}

// One process for likely and one for every peer, with this workload alone.
struct Sides {
  Server mine;
  std::vector<std::unique_ptr<Server>> peers;

  Sides(const Options& options, int threads, const std::string& name)
      : mine(options.likely, "", threads, name) {
    for (const Options::Peer& peer : options.peers) {
      peers.push_back(std::make_unique<Server>(peer.program, peer.library_path, threads, name));
    }
  }
};

void check_that_all_agree(const Options& options, int threads, const std::string& name) {
  Sides sides(options, threads, name);
  for (std::size_t i = 0; i < options.peers.size(); ++i) {
    if (!agree(sides.mine.check(name), sides.peers[i]->check(name))) {
      throw std::runtime_error(name + ": likely and " + options.peers[i].name +
                               " do not compute the same numbers");
    }
  }
}

// Times one workload on likely and on every peer in turns, in processes that did nothing before; the peer in
// the row is the fastest one.
Row measure(const std::string& name, int threads, const Options& options) {
  Sides sides(options, threads, name);
  std::vector<double> own;
  std::vector<std::vector<double>> others(sides.peers.size());
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    // A short rest lets the other process's idle threads fall asleep.
    const auto rest = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
    rest();
    own.push_back(sides.mine.time(options.seconds, name));
    for (std::size_t i = 0; i < sides.peers.size(); ++i) {
      rest();
      others[i].push_back(sides.peers[i]->time(options.seconds, name));
    }
  }
  Row row{name, threads, "", median(own), std::nullopt, std::nullopt};
  for (std::size_t i = 0; i < sides.peers.size(); ++i) {
    const double time = median(others[i]);
    if (!row.peer_seconds || time < *row.peer_seconds) {
      row.peer_seconds = time;
      row.peer = options.peers[i].name;
    }
  }
  return row;
}

int run(const Options& options) {
  std::vector<Row> rows;
  fmt::print("{:<58} {:>2} {:>11} {:>11} {:>7} {:>7}  {}\n", "workload", "t", "likely", "peer", "ratio",
             "limit", "peer");
  for (const int threads : options.threads) {
    const bench::Limits limits = bench::measure_limits(threads);
    for (const std::string& name : Server(options.likely, "", threads).names()) {
      if (!options.only.empty() && name.compare(0, options.only.size(), options.only) != 0) continue;
      check_that_all_agree(options, threads, name);
      Row row = measure(name, threads, options);
      if (const double limit = bench::limit_seconds(name, limits); limit > 0)
        row.limit_share = limit / row.seconds;
      print(row);
      rows.push_back(row);
    }
    fmt::print("limits with {} thread{}: {:.0f} GFLOP/s, {:.0f} GB/s from memory, {:.0f} GB/s from cache\n",
               threads, threads == 1 ? "" : "s", limits.flops * 1e-9, limits.memory * 1e-9,
               limits.cache * 1e-9);
  }
  fmt::print("{}", bench::remarks());
  if (!options.json.empty()) {
    write_json(options.json, rows);
    fmt::print("rows: {}\n", options.json);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const std::exception& error) {
    std::cerr << "bench: " << error.what() << '\n';
    return 2;
  }
}
