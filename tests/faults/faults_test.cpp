// Every call by which a command changes files fails in turn, or the command is killed there. Afterwards there
// are the old results or the new ones, never neither; who goes on gets the same bits as if nothing had
// happened; nothing is left lying about; and a command that did not do its work says so.
//
// As a test, some calls of each command; with LIKELY_FAULTS=all every call, in every way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <set>

#include "likely/io/safetensors.hpp"
#include "tests/faults/supervisor.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::faults {
namespace {

namespace fs = std::filesystem;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;
using Command = std::vector<std::string>;

// Something that a user does.
struct Scenario {
  std::string name;
  std::vector<Command> before{};  // what was done earlier
  Command command{};
  // What the user does when that has failed, to have the results after all.
  std::function<Command(const fs::path& folder)> after{};
  // The results that are in a folder; "" for none.
  std::function<std::string(const fs::path& folder)> results{};
  // Whether going on may also mean that the old results stay.
  bool old_is_fine = false;
  // Whether the results appear all at once, so that nothing in between is ever seen.
  bool at_once = false;
};

void prepare_files(const fs::path& folder) {
  std::string table = "height,species,y\n";
  for (int i = 0; i < 20; ++i)
    table += std::to_string(i % 7) + "." + std::to_string(i) + (i % 2 == 0 ? ",cat" : ",dog") +
             (i % 3 == 0 ? ",a\n" : ",b\n");
  write_bytes(folder / "table.csv", table);
  std::string trials = "subjID\tchoice\toutcome\n";
  for (int i = 0; i < 30; ++i)
    trials +=
        std::string(i < 15 ? "a" : "b") + (i % 3 == 0 ? "\t1\t" : "\t2\t") + (i % 2 == 0 ? "1\n" : "0\n");
  write_bytes(folder / "trials.tsv", trials);
  write_bytes(folder / "rows.csv", "x\n0.5\n1.5\n");
  write_bytes(folder / "predictions.csv", "old\n");
}

// The numbers of a model, which are the same bits whenever it is trained in the same way.
std::string model_in(const fs::path& run) {
  const fs::path file = run / "model.safetensors";
  if (!fs::exists(file)) return "";
  std::string bytes;
  for (const auto& [name, tensor] : io::load_safetensors(file).tensors) {
    bytes += name + tensor.shape().string();
    for (const double value : tensor.to_vector<double>())
      bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  return bytes;
}

Command train(const std::string& seed, const std::string& epochs) {
  return {"train", "shallow-regression", "--rows", "20",    "--units", "3",      "--seed",
          seed,    "--epochs",           epochs,   "--out", "run",     "--quiet"};
}
Command with(Command command, const Command& more) {
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

std::vector<Scenario> scenarios() {
  const Command resume{"resume", "run", "--quiet"};
  const Command longer{"resume", "run", "--epochs", "3", "--quiet"};
  const Command csv{"train",   "csv", "--in",     "table.csv", "--epochs", "2",   "--members", "1",
                    "--folds", "0",   "--hidden", "3",         "--out",    "run", "--quiet"};
  const Command fit{"fit", "trials.tsv", "--model", "rw", "--out", "fitted", "--no-figures", "--quiet"};
  const Command simulate{"simulate", "--model", "rw",    "--subjects",    "3",
                         "--trials", "10",      "--out", "simulated.tsv", "--quiet"};
  const auto run_model = [](const fs::path& folder) { return model_in(folder / "run"); };
  const auto has_run = [](const fs::path& folder) { return fs::exists(folder / "run" / "recipe.json"); };
  const auto file = [](const std::string& name) {
    return [name](const fs::path& folder) { return read_bytes(folder / name); };
  };
  return {
      {.name = "Train",
       .command = train("1", "2"),
       .after = [=](const fs::path& folder) { return has_run(folder) ? resume : train("1", "2"); },
       .results = run_model},
      {.name = "TrainInstead",
       .before = {train("2", "2")},
       .command = with(train("1", "2"), {"--force"}),
       .after = [=](const fs::path&) { return resume; },
       .results = run_model,
       .old_is_fine = true},
      {.name = "Resume",
       .before = {train("1", "2")},
       .command = longer,
       .after = [=](const fs::path&) { return longer; },
       .results = run_model},
      {.name = "Table",
       .command = csv,
       .after = [=](const fs::path& folder) { return has_run(folder) ? with(csv, {"--force"}) : csv; },
       .results = run_model},
      {.name = "Fit",
       .command = fit,
       .after =
           [=](const fs::path& folder) {
             return fs::exists(folder / "fitted") ? with(fit, {"--force"}) : fit;
           },
       .results = file("fitted/subjects-rw.csv"),
       .at_once = true},
      {.name = "Simulate",
       .command = simulate,
       .after =
           [=](const fs::path& folder) {
             const bool any =
                 fs::exists(folder / "simulated.tsv") || fs::exists(folder / "simulated-parameters.csv");
             return any ? with(simulate, {"--force"}) : simulate;
           },
       .results = file("simulated.tsv"),
       .at_once = true},
      {.name = "Predict",
       .before = {train("1", "2")},
       .command = {"predict", "run", "--in", "rows.csv", "--to", "predictions.csv"},
       .after =
           [](const fs::path&) {
             return Command{"predict", "run", "--in", "rows.csv", "--to", "predictions.csv"};
           },
       .results = file("predictions.csv"),
       .at_once = true},
  };
}

// What lies in a folder and should not.
std::vector<std::string> left_behind(const fs::path& folder) {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.') || name.ends_with(".tmp") || name.ends_with(".part") ||
        name.find("replaced-") != std::string::npos)
      found.push_back(fs::relative(entry.path(), folder).string());
  }
  return found;
}

// One scenario, again and again in the same place: paths are part of some results.
class Stage {
 public:
  explicit Stage(Scenario scenario) : scenario_(std::move(scenario)) {
    fs::create_directory(tools_ / "bin");
    // Drawing takes longer than everything else together; who cannot draw goes on without pictures.
    write_bytes(tools_ / "bin" / "gnuplot", "#!/bin/sh\nexit 1\n");
    fs::permissions(tools_ / "bin" / "gnuplot", fs::perms::owner_all);
    set();
    for (const Command& command : scenario_.before) {
      const Outcome outcome = run(command);
      if (outcome.code != 0) throw std::runtime_error(outcome.errors);
    }
    fs::copy(work_.path(), start_.path(), fs::copy_options::recursive);
    old_ = scenario_.results(work_.path());
    whole_ = run(scenario_.command);
    new_ = scenario_.results(work_.path());
  }

  const Outcome& whole() const { return whole_; }
  const std::string& new_results() const { return new_; }

  // The command with a fault, and what has to be true then.
  void play(const Fault& fault, const std::map<std::string, std::string>& environment = {}) {
    SCOPED_TRACE(std::string(name_of(fault.how)) + " call " + std::to_string(fault.at) +
                 (fault.at < whole_.calls.size() ? ", " + whole_.calls[fault.at] : ""));
    set();
    const Outcome outcome = run(scenario_.command, fault, environment);
    SCOPED_TRACE("it ended with " + std::to_string(outcome.code) + " and said: " + outcome.errors);
    EXPECT_FALSE(outcome.hung);
    const std::string results = scenario_.results(work_.path());
    if (outcome.code == 0) {
      EXPECT_TRUE(results == new_) << "it says that all is well, and the results are others";
    } else if (fault.how != How::kill) {
      EXPECT_FALSE(outcome.errors.empty()) << "it failed without a word";
    }
    if (fault.how == How::cut_short) {
      EXPECT_EQ(outcome.code, 0);
    }
    if (scenario_.at_once) {
      EXPECT_TRUE(results == old_ || results == new_) << "half of the results";
    }

    const Command next = scenario_.after(work_.path());
    const Outcome then = run(next);
    EXPECT_EQ(then.code, 0) << next[0] << " then says: " << then.errors;
    const std::string finally = scenario_.results(work_.path());
    EXPECT_TRUE(finally == new_ || (scenario_.old_is_fine && finally == old_))
        << "neither the old results nor the new";
    EXPECT_EQ(left_behind(work_.path()), std::vector<std::string>());
  }

 private:
  void set() {
    for (const auto& entry : fs::directory_iterator(work_.path())) fs::remove_all(entry.path());
    if (fs::is_empty(start_.path())) {
      prepare_files(work_.path());
    } else {
      fs::copy(start_.path(), work_.path(), fs::copy_options::recursive);
    }
  }

  Outcome run(const Command& command, const Fault& fault = {},
              std::map<std::string, std::string> environment = {}) const {
    const char* const path = std::getenv("PATH");
    environment.emplace("PATH", (tools_ / "bin").string() + ":" + (path == nullptr ? "" : path));
    environment.emplace("OMP_NUM_THREADS", "1");
    Command whole{LIKELY_COMMAND};
    whole.insert(whole.end(), command.begin(), command.end());
    return supervise(whole, work_.path(), environment, fault);
  }

  Scenario scenario_;
  TemporaryFolder tools_, start_, work_;
  std::string old_, new_;
  Outcome whole_;
};

bool all_of_them() {
  const char* const wanted = std::getenv("LIKELY_FAULTS");
  return wanted != nullptr && std::string(wanted) == "all";
}

constexpr std::array kWays{How::kill, How::no_room, How::error, How::cut_short};

class Faults : public ::testing::TestWithParam<std::string> {
 protected:
  static Scenario scenario() {
    for (const Scenario& one : scenarios()) {
      if (one.name == GetParam()) return one;
    }
    throw std::logic_error("no such scenario");
  }
  void SetUp() override {
    if (!can_supervise()) GTEST_SKIP() << "this system does not let a process supervise another";
  }
};

TEST_P(Faults, OfTheDisk) {
  Stage stage(scenario());
  ASSERT_EQ(stage.whole().code, 0) << stage.whole().errors;
  ASSERT_FALSE(stage.new_results().empty());
  const std::size_t calls = stage.whole().calls.size();
  ASSERT_GT(calls, 2U);
  if (all_of_them()) {
    for (const How how : kWays) {
      for (std::size_t at = 0; at < calls; ++at) stage.play({how, at});
    }
    return;
  }
  // Spread over the whole, each way in its turn.
  constexpr std::size_t kSome = 12;
  for (std::size_t i = 0; i < std::min(kSome, calls); ++i)
    stage.play({kWays[i % kWays.size()], i * calls / std::min(kSome, calls)});
}

TEST_P(Faults, OfMemory) {
  Stage stage(scenario());
  ASSERT_EQ(stage.whole().code, 0) << stage.whole().errors;
  const TemporaryFolder notes;
  const auto environment = [&](std::uint64_t at) {
    return std::map<std::string, std::string>{{"LD_PRELOAD", LIKELY_FAILING_MEMORY},
                                              {"LIKELY_MEMORY_FAILS_AT", std::to_string(at)},
                                              {"LIKELY_MEMORY_COUNT", (notes / "count").string()}};
  };
  stage.play({}, environment(0));
  const std::uint64_t count = std::strtoull(read_bytes(notes / "count").c_str(), nullptr, 10);
  ASSERT_GT(count, 100U);
  const std::uint64_t trials = all_of_them() ? 400 : 6;
  for (std::uint64_t i = 0; i < trials; ++i) {
    const std::uint64_t at = 1 + (2 * i + 1) * count / (2 * trials);
    SCOPED_TRACE("allocation " + std::to_string(at) + " of " + std::to_string(count));
    stage.play({}, environment(at));
  }
}

INSTANTIATE_TEST_SUITE_P(All, Faults,
                         ::testing::Values("Train", "TrainInstead", "Resume", "Table", "Fit", "Simulate",
                                           "Predict"),
                         [](const auto& name) { return name.param; });

// The supervisor itself: what it promises is so.
TEST(Supervisor, SeesCallsAndLetsThemFail) {
  if (!can_supervise()) GTEST_SKIP() << "this system does not let a process supervise another";
  const TemporaryFolder folder;
  const Command command{"/bin/sh", "-c", "echo one > a; mv a b; echo text > /dev/null"};
  const Outcome whole = supervise(command, folder.path(), {});
  EXPECT_EQ(whole.code, 0);
  ASSERT_EQ(whole.calls.size(), 3U);
  EXPECT_EQ(whole.calls[0], "open a");
  EXPECT_EQ(whole.calls[1], "write " + (folder / "a").string());
  EXPECT_TRUE(whole.calls[2].starts_with("rename a b")) << whole.calls[2];
  fs::remove(folder / "b");

  EXPECT_EQ(supervise(command, folder.path(), {}, {How::kill, 2}).code, -1);
  EXPECT_EQ(folder.list(), "a");
  EXPECT_EQ(read_bytes(folder / "a"), "one\n");

  EXPECT_NE(supervise(command, folder.path(), {}, {How::error, 2}).errors.find("Input/output error"),
            std::string::npos);
  EXPECT_NE(supervise(command, folder.path(), {}, {How::no_room, 0}).errors.find("No space left"),
            std::string::npos);
}

}  // namespace
}  // namespace likely::faults
