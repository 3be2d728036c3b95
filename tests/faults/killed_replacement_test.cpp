// Commands that are killed, at every call in turn, while they replace results: old or new, and never of both.
#include <gtest/gtest.h>

#include "tests/faults/stage.hpp"
#include "tests/faults/supervisor.hpp"
#include "tests/faults/workplace.hpp"

namespace likely::faults {
namespace {

namespace fs = std::filesystem;
using testing::read_bytes;

class KilledReplacement : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_supervise()) GTEST_SKIP() << "this system does not let a process supervise another";
  }
  // The names that end in such a way, below a folder.
  std::vector<std::string> ending(const std::string& end) const {
    std::vector<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(work_.path())) {
      if (entry.path().filename().string().find(end) != std::string::npos)
        found.push_back(fs::relative(entry.path(), work_.path()).string());
    }
    return found;
  }

  const Workplace work_;
};

TEST_F(KilledReplacement, OfSimulatedTrialsNeverMixesThem) {
  const auto simulate = [](const std::string& seed) {
    return Command{"simulate", "--seed", seed,    "--subjects", "3",
                   "--trials", "10",     "--out", "s.tsv",      "--quiet"};
  };
  const auto bytes = [&](const std::string& name) {
    return fs::exists(work_.path() / name) ? read_bytes(work_.path() / name) : "";
  };
  ASSERT_EQ(work_.run(simulate("1")).code, 0);
  work_.keep_as_start();
  const std::string old_trials = bytes("s.tsv"), old_people = bytes("s-parameters.csv");
  const Outcome whole = work_.run(with(simulate("2"), {"--force"}));
  ASSERT_EQ(whole.code, 0) << whole.errors;
  const std::string new_trials = bytes("s.tsv"), new_people = bytes("s-parameters.csv");
  ASSERT_NE(old_people, new_people);
  EXPECT_EQ(left_behind(work_.path()), std::vector<std::string>());
  for (const How how : {How::kill, How::error}) {
    for (std::size_t at = 0; at < whole.calls.size(); ++at) {
      SCOPED_TRACE(std::string(name_of(how)) + " " + whole.calls[at]);
      work_.set();
      const Outcome outcome = work_.run(with(simulate("2"), {"--force"}), {how, at});
      const auto expect_one_kind = [&](bool people_may_be_missing) {
        const std::string trials = bytes("s.tsv"), people = bytes("s-parameters.csv");
        ASSERT_TRUE(trials == old_trials || trials == new_trials);
        if (people.empty() && people_may_be_missing) return;
        EXPECT_EQ(people, trials == old_trials ? old_people : new_people) << "of another simulation";
      };
      expect_one_kind(how == How::kill);
      if (outcome.code == 0) {
        EXPECT_EQ(bytes("s.tsv"), new_trials);
      }
      // Also after a command that is refused: it puts the old ones back where the trials are the old ones.
      EXPECT_EQ(work_.run(simulate("2")).code, 2);
      expect_one_kind(bytes("s.tsv") == new_trials);
      const bool lost = bytes("s.tsv") == old_trials && bytes("s-parameters.csv") != old_people;
      EXPECT_FALSE(lost);
      EXPECT_EQ(work_.run(with(simulate("2"), {"--force"})).code, 0);
      EXPECT_EQ(bytes("s.tsv"), new_trials);
      EXPECT_EQ(bytes("s-parameters.csv"), new_people);
      EXPECT_EQ(left_behind(work_.path()), std::vector<std::string>());
    }
  }
}

TEST_F(KilledReplacement, OfATableLeavesAWholeRun) {
  const auto csv = [](const std::string& seed) {
    return Command{"train",     "csv", "--in",    "table.csv", "--epochs", "2",
                   "--members", "1",   "--folds", "0",         "--hidden", "3",
                   "--seed",    seed,  "--out",   "run",       "--quiet"};
  };
  ASSERT_EQ(work_.run(csv("1")).code, 0);
  work_.keep_as_start();
  const std::string old_model = numbers_in(work_.path() / "run" / "model.safetensors");
  const Outcome whole = work_.run(with(csv("2"), {"--force"}));
  ASSERT_EQ(whole.code, 0) << whole.errors;
  const std::string new_model = numbers_in(work_.path() / "run" / "model.safetensors");
  ASSERT_NE(old_model, new_model);
  const std::size_t stride = all_of_them() ? 1 : 2;
  for (std::size_t at = 0; at < whole.calls.size(); at += stride) {
    SCOPED_TRACE("killed before call " + std::to_string(at) + ", " + whole.calls[at]);
    work_.set();
    work_.run(with(csv("2"), {"--force"}), {How::kill, at});
    EXPECT_EQ(work_.run(csv("2")).code, 2);  // refused, and has the folder for a moment
    const std::string model = numbers_in(work_.path() / "run" / "model.safetensors");
    EXPECT_TRUE(model == old_model || model == new_model);
    for (const char* name : {"recipe.json", "columns.json", "table.json"})
      EXPECT_TRUE(fs::exists(work_.path() / "run" / name)) << name;
    EXPECT_EQ(left_behind(work_.path()), std::vector<std::string>());
    EXPECT_EQ(ending(".kept"), std::vector<std::string>());
  }
}

}  // namespace
}  // namespace likely::faults
