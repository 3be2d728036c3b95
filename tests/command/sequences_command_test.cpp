// `likely sequences`, run as a user would.
#include <gtest/gtest.h>

#include "likely/io/json.hpp"
#include "tests/command/command.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

namespace {

using Words = std::vector<std::string>;
using Json = io::SortedJson;

class Chain {
 public:
  Chain() {
    write_bytes(folder / "chain.csv", "state,a,b,end\nstart,0.5,0.5,0\na,0.25,0.5,0.25\nb,0.4,0,0.6\n");
  }
  Ran run(const Words& more) const {
    Words words{"sequences", "--model", "chain.csv"};
    words.insert(words.end(), more.begin(), more.end());
    return likely_command(folder.path().string(), words);
  }
  void refuses(const Words& more, const std::string& line) const {
    const std::string before = folder.list();
    const Ran ran = run(more);
    EXPECT_EQ(ran.code, 2) << line;
    EXPECT_EQ(ran.err, line + "\n");
    EXPECT_EQ(ran.out, "") << line;
    EXPECT_EQ(folder.list(), before) << line;
  }

  TemporaryFolder folder;
};

}  // namespace

TEST(SequencesCommand, FindsDrawsAndEstimates) {
  const Chain chain;
  const Ran best = chain.run({"--method", "beam", "--k", "2"});
  EXPECT_EQ(best.code, 0) << best.err;
  EXPECT_EQ(best.out.substr(0, best.out.find("\n\n")),
            "beam: 2 sequences\n     log p  sequence\n   -1.2040  b end\n   -1.8971  a b end");
  EXPECT_EQ(chain.run({"--method", "greedy", "--quiet"}).code, 0);
  // All of the ten sequences of at most three states; their probabilities add up to 1, and means are exact.
  const Ran all = chain.run({"--k", "30", "--max-length", "3", "--count", "b", "--json"});
  ASSERT_EQ(all.code, 0) << all.err;
  const Json json = io::parse_json<Json>(all.out);
  EXPECT_EQ(json["count"], 10);
  EXPECT_TRUE(json["complete"]);
  double total = 0.0;
  for (const Json& one : json["sequences"]) total += std::exp(one["log_probability"].get<double>());
  EXPECT_NEAR(total, 1.0, 1e-12);
  ASSERT_EQ(json["means"].size(), 3U);
  EXPECT_EQ(json["means"][2]["of"], "count of b");
  for (const Json& mean : json["means"])
    EXPECT_NEAR(mean["exact"].get<double>(), mean["mean"].get<double>(), 1e-12);
  // The same seed, the same sequences, on any number of threads.
  const Ran drawn =
      chain.run({"--method", "ancestral", "--seed", "7", "--top-p", "0.9", "--temperature", "0.7"});
  EXPECT_EQ(drawn.out, chain
                           .run({"--method", "ancestral", "--seed", "7", "--top-p", "0.9", "--temperature",
                                 "0.7", "--threads", "3"})
                           .out);
  EXPECT_NE(
      drawn.out,
      chain.run({"--method", "ancestral", "--seed", "8", "--top-p", "0.9", "--temperature", "0.7"}).out);
  EXPECT_EQ(chain.folder.list(), "chain.csv");
}

TEST(SequencesCommand, ComparesInAFolder) {
  const Chain chain;
  const Words compare{"--compare", "--runs", "4", "--max-length", "4", "--out", "compared", "--no-figures"};
  const Ran ran = chain.run(compare);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out.substr(0, ran.out.find('\n')), "entropy of sequences, 4 runs");
  EXPECT_TRUE(ran.out.ends_with("\ntables: compared\n"));
  EXPECT_EQ(io::parse_json<Json>(read_bytes(chain.folder / "compared/sequences.json"))["rows"].size(), 60U);
  EXPECT_TRUE(read_bytes(chain.folder / "compared/sequences.csv")
                  .starts_with("temperature,k,estimator,exact,mean,low,high,rmse\n1,2,unbiased,"));
  const Ran again = chain.run(compare);
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("--force"), std::string::npos) << again.err;
}

// Both compare estimators, of other things: neither takes the results of the other for its own.
TEST(SequencesCommand, LeavesTheResultsOfEstimatorsAlone) {
  const Chain chain;
  const Words sequences{"--compare", "--runs", "4", "--max-length", "4", "--no-figures", "--force", "--out"};
  const Words estimators{"estimators", "--repetitions", "20", "--no-figures", "--force", "--out"};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const auto estimate = [&](const std::string& folder) {
    return likely_command(chain.folder.path().string(), with(estimators, {folder}));
  };
  ASSERT_EQ(estimate("gradients").code, 0);
  ASSERT_EQ(chain.run(with(sequences, {"searches"})).code, 0);
  const std::string gradients = read_bytes(chain.folder / "gradients/estimators.json");
  const std::string searches = read_bytes(chain.folder / "searches/sequences.json");
  const Ran over = chain.run(with(sequences, {"gradients"}));
  EXPECT_EQ(over.code, 2);
  EXPECT_NE(over.err.find("gradients"), std::string::npos) << over.err;
  const Ran back = estimate("searches");
  EXPECT_EQ(back.code, 2);
  EXPECT_NE(back.err.find("searches"), std::string::npos) << back.err;
  EXPECT_EQ(read_bytes(chain.folder / "gradients/estimators.json"), gradients);
  EXPECT_EQ(read_bytes(chain.folder / "searches/sequences.json"), searches);
}

TEST(SequencesCommand, RefusesWhatItCannotDo) {
  const Chain chain;
  chain.refuses({"--method", "beams"},
                "likely: --method: there is no method \"beams\"; did you mean \"beam\"?; there are "
                "ancestral, greedy, beam, stochastic-beam");
  chain.refuses({"--count", "zebra"}, "likely: there is no state \"zebra\"");
  chain.refuses({"--temperature", "0"},
                "likely: [stochastic_beam_search] the temperature must be above 0 and finite, got 0");
  chain.refuses({"--out", "x"},
                "likely: --out, --force and --no-figures are of --compare: else nothing is written");
  chain.refuses({"--length-penalty", "1"}, "likely: --length-penalty is of --method beam alone");
  write_bytes(chain.folder / "bad.csv", "state,a\nstart,0.5\n");
  const Ran bad = likely_command(chain.folder.path().string(), {"sequences", "--model", "bad.csv"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_EQ(bad.err, "likely: [read_chain] bad.csv, line 2: the probabilities add up to 0.5, not to 1\n");
}

}  // namespace likely::testing
