// Whole numbers on the command line, and sizes that no machine has.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/command/command.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {
namespace {

using Words = std::vector<std::string>;

class Numbers : public ::testing::Test {
 protected:
  void refuses(const Words& words, const std::string& line) {
    const Ran ran = likely_command(folder_.path().string(), words);
    EXPECT_EQ(ran.code, 2) << line;
    EXPECT_EQ(ran.err, line + "\n");
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(folder_.list(), "") << line;
  }
  // `more` of a command is followed by an option that takes whole numbers from `low` to `high`.
  void takes_whole_numbers(const std::string& command, const Words& more, const std::string& option,
                           const std::string& low, const std::string& high) {
    for (const std::string text :
         {"", " 1", "+1", "1.5", "1e3", "0x10", "-1", "one", "99999999999999999999"}) {
      Words words = more;
      words.push_back(option + "=" + text);
      if (text.empty()) {
        words.back() = option;
        words.push_back(text);
      }
      refuses(words, "likely " + command + ": " + option + ": must be a whole number from " + low + " to " +
                         high + ", got \"" + text + "\"; see `likely " + command + " --help`");
    }
  }

  TemporaryFolder folder_;
};

TEST_F(Numbers, OfOptionsAreTakenAsTheyAreOrRefused) {
  const std::string most = "18446744073709551615";
  takes_whole_numbers("train moons", {"train", "moons"}, "--seed", "0", most);
  takes_whole_numbers("train moons", {"train", "moons"}, "--seeds", "0", most);
  takes_whole_numbers("train moons", {"train", "moons"}, "--repeats", "1", "1000");
  takes_whole_numbers("train moons", {"train", "moons"}, "--threads", "1", "1024");
  takes_whole_numbers("resume", {"resume", "run"}, "--epochs", "1", "1000000000");
  takes_whole_numbers("predict", {"predict", "run", "--in", "x"}, "--threads", "1", "1024");
  takes_whole_numbers("bench", {"bench"}, "--threads", "1", "1024");
  takes_whole_numbers("sweep", {"sweep", "moons"}, "--seed", "0", most);
  takes_whole_numbers("sweep", {"sweep", "moons"}, "--trials", "1", "100000");
  takes_whole_numbers("sweep", {"sweep", "moons"}, "--threads", "1", "1024");
  takes_whole_numbers("fit", {"fit", "x"}, "--seed", "0", most);
  takes_whole_numbers("fit", {"fit", "x"}, "--options", "2", "16");
  takes_whole_numbers("fit", {"fit", "x"}, "--starts", "0", "10000");
  takes_whole_numbers("fit", {"fit", "x"}, "--skip", "0", "1000000000");
  takes_whole_numbers("compare", {"compare", "x"}, "--chains", "1", "1000");
  takes_whole_numbers("compare", {"compare", "x"}, "--samples", "1", "1000000000");
  takes_whole_numbers("compare", {"compare", "x"}, "--warm-up", "1", "1000000000");
  const Words simulate{"simulate", "--out", "x.tsv"};
  takes_whole_numbers("simulate", simulate, "--seed", "0", most);
  takes_whole_numbers("simulate", simulate, "--subjects", "1", "100000000");
  takes_whole_numbers("simulate", simulate, "--trials", "1", "1000000000");
  takes_whole_numbers("simulate", simulate, "--blocks", "1", "1000000000");
  takes_whole_numbers("simulate", simulate, "--reversal", "0", "1000000000");
  takes_whole_numbers("simulate", simulate, "--offered", "0", "16");
  takes_whole_numbers("recover", {"recover"}, "--seed", "0", most);
  takes_whole_numbers("recover", {"recover"}, "--subjects", "2", "100000000");
  takes_whole_numbers("recover", {"recover"}, "--starts", "0", "10000");
}

TEST_F(Numbers, HaveNoOctalOnes) {
  const Ran ran = likely_command(folder_.path().string(), {"simulate", "--subjects", "010", "--trials", "3",
                                                           "--out", "x.tsv", "--seed", "08"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(ran.out.starts_with("rw: 10 subjects, 30 trials, 2 options\n")) << ran.out;
}

TEST_F(Numbers, OfSeedsEndSomewhere) {
  refuses({"train", "moons", "--seed", "18446744073709551614", "--repeats", "3"},
          "likely: --repeats 3 from --seed 18446744073709551614 on: the last seed there is is "
          "18446744073709551615");
}

TEST_F(Numbers, OfTrialsThatNoMemoryHoldsAreRefused) {
  const std::string sizes =
      "likely: --subjects 100000000, --trials 1000000000 and --blocks 1 make 100000000000000000 trials, "
      "which "
      "need 1.2e+09 GB: more memory than there is";
  const Words large{"--subjects", "100000000", "--trials", "1000000000"};
  Words words{"simulate", "--out", "x.tsv"};
  words.insert(words.end(), large.begin(), large.end());
  refuses(words, sizes);
  words = {"recover"};
  words.insert(words.end(), large.begin(), large.end());
  refuses(words, sizes);
  refuses({"simulate", "--out", "x.tsv", "--trials", "1000000000", "--blocks", "1000000000"},
          "likely: --trials 1000000000 in --blocks 1000000000: a subject has at most 2147483647 trials");
}

TEST_F(Numbers, OfTrialsThatFindNoRoomAreRefused) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer cannot start where so little memory may be addressed";
#endif
  const Ran ran = shell(folder_.path().string(),
                        "ulimit -v 2000000; likely simulate --out x.tsv --subjects 2 --trials 300000000");
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(
      ran.err,
      "likely: --subjects 2, --trials 300000000 and --blocks 1 make 600000000 trials, which need 7.2 GB: "
      "more memory than there is\n");
}

TEST_F(Numbers, OfATensorThatFindsNoRoomAreNoBadInput) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer cannot start where so little memory may be addressed";
#endif
  const Ran ran = shell(folder_.path().string(),
                        "ulimit -v 2000000; likely train moons --units 100000 --rows 100000 --batch 100000 "
                        "--epochs 1 --threads 1 --quiet");
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.err,
            "likely: [tensor] out of memory: 40000000000 bytes wanted, in layer \"hidden\" (Linear)\n");
}

}  // namespace
}  // namespace likely::testing
