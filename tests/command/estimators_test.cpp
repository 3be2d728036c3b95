// `likely estimators`: what it prints, keeps and refuses, and Ctrl-C.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "likely/io/json.hpp"
#include "tests/command/command.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

namespace {

TEST(EstimatorsCommand, PrintsBothTables) {
  const TemporaryFolder folder;
  const Ran ran =
      likely_command(folder.path().string(), {"estimators", "--repetitions", "50", "--theta", "-1.5"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("z ~ N(2 theta + 3, 1), at theta = -1.5: 100 samples an estimate, 50 estimates"),
            std::string::npos)
      << ran.out;
  for (const char* word : {"reparameterised", "score, leave-one-out", "score, optimal", "REBAR",
                           "without replacement, normalised", "straight-through", "Gumbel-softmax"})
    EXPECT_NE(ran.out.find(word), std::string::npos) << word;
  EXPECT_EQ(folder.list(), "");
}

TEST(EstimatorsCommand, PrintsJson) {
  const TemporaryFolder folder;
  const Ran ran = likely_command(
      folder.path().string(), {"estimators", "--repetitions", "200", "--samples", "20", "--json", "--quiet"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  const io::Json json = io::parse_json(ran.out);
  EXPECT_EQ(json["samples"], 20);
  const io::Json& first = json["estimators"][0];
  EXPECT_EQ(first["estimator"], "reparameterised");
  EXPECT_EQ(first["exact"], 20.0);
  // 16 / 20 samples; 200 estimates.
  EXPECT_NEAR(first["mean"].get<double>(), 20.0, 4.5 * first["standard_error"].get<double>());
  EXPECT_NEAR(first["variance"].get<double>(), 0.8, 0.4);
}

TEST(EstimatorsCommand, KeepsAllOrNothingAndAsksBeforeItReplaces) {
  const TemporaryFolder folder;
  const std::string at = folder.path().string();
  const std::vector<std::string> words = {"estimators", "--repetitions", "20", "--out", "kept", "--quiet"};
  const Ran first = likely_command(at, words);
  EXPECT_EQ(first.code, 0) << first.err;
  for (const char* file :
       {"estimators.json", "estimators.csv", "errors.csv", "spread.csv", "figures/spread.gp"})
    EXPECT_TRUE(std::filesystem::exists(folder / "kept" / file)) << file;
  EXPECT_NE(first.out.find("tables: "), std::string::npos);
  const std::string before = read_bytes(folder / "kept/estimators.csv");
  const Ran again = likely_command(at, words);
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("--force"), std::string::npos) << again.err;
  EXPECT_EQ(read_bytes(folder / "kept/estimators.csv"), before);
  std::vector<std::string> forced = words;
  for (const char* word : {"--force", "--seed", "2", "--no-figures"}) forced.emplace_back(word);
  EXPECT_EQ(likely_command(at, forced).code, 0);
  EXPECT_NE(read_bytes(folder / "kept/estimators.csv"), before);
  EXPECT_FALSE(std::filesystem::exists(folder / "kept/figures"));
}

TEST(EstimatorsCommand, RefusesNumbersThatAreNone) {
  const TemporaryFolder folder;
  const std::string at = folder.path().string();
  for (const std::vector<std::string>& bad : std::vector<std::vector<std::string>>{{"--samples", "1"},
                                                                                   {"--samples", "2000000"},
                                                                                   {"--repetitions", "1"},
                                                                                   {"--seed", "-1"},
                                                                                   {"--theta", "x"}}) {
    const Ran ran = likely_command(at, {"estimators", bad[0], bad[1], "--out", "none"});
    EXPECT_EQ(ran.code, 2) << bad[0];
    EXPECT_NE(ran.err.find(bad[0]), std::string::npos) << ran.err;
  }
  const Ran far = likely_command(at, {"estimators", "--theta", "1001", "--out", "none"});
  EXPECT_EQ(far.code, 2);
  EXPECT_EQ(far.err, "likely: --theta must be in [-1000, 1000], got 1001\n");
  EXPECT_EQ(folder.list(), "");
}

TEST(EstimatorsCommand, IsEndedByAnInterrupt) {
  const TemporaryFolder folder, output;
  const pid_t child =
      start_command(folder.path().string(),
                    {"estimators", "--samples", "1000000", "--repetitions", "10000000", "--out", "results"},
                    (output / "out").string(), (output / "err").string());
  const auto is_working = [&] {
    return std::filesystem::exists(output / "err") &&
           read_bytes(output / "err").find(": estimating") != std::string::npos;
  };
  for (int i = 0; i < 16000 && !is_working(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(is_working());
  kill(child, SIGINT);
  EXPECT_EQ(wait_for(child), 130);
  EXPECT_TRUE(("\n" + read_bytes(output / "err")).ends_with("\ninterrupted; nothing was written\n"));
  EXPECT_EQ(read_bytes(output / "out"), "");
  EXPECT_EQ(folder.list(), "");
}

}  // namespace

}  // namespace likely::testing
