// Chains from tables, and what searches say of them.
#include "likely/models/softmax/search_experiment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "likely/core/create.hpp"
#include "likely/core/error.hpp"
#include "likely/ops/math.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::sequences {
namespace {

using likely::testing::expect_refusal;
using likely::testing::TemporaryFolder;
using likely::testing::write_bytes;

const std::string kWeather = "state,sun,rain,end\nrain,0.4,0.4,0.2\nstart,0.5,0.5,0\nsun,0.7,0.2,0.1\n";

NamedChain chain_of(const std::string& text) {
  const TemporaryFolder folder;
  write_bytes(folder / "chain.csv", text);
  return read_chain(folder / "chain.csv");
}

void refuses(const std::string& text, const std::string& told) {
  const TemporaryFolder folder;
  const std::string path = (folder / "chain.csv").string();
  write_bytes(path, text);
  expect_refusal([&] { read_chain(path); }, "[read_chain] " + path + told);
}

TEST(ChainFile, HasItsStatesAndItsEnd) {
  for (const std::string& text : {kWeather, std::string("\xEF\xBB\xBFsep=;\nstate;\"sun\";rain;end\n\nstart;."
                                                        "5;.5;0\nsun;0.7;2e-1;+0.1\nrain;0.4;0.4;0.2\n")}) {
    const NamedChain named = chain_of(text);
    EXPECT_EQ(named.states, (std::vector<std::string>{"sun", "rain", "end"}));
    EXPECT_EQ(named.chain.end_token(), 2);
    EXPECT_TRUE(allclose(named.chain.initial(), tensor({0.5, 0.5, 0.0}, DType::f64)));
    EXPECT_NEAR(std::exp(named.chain.log_rows.at({1, 0})), 0.4, 1e-15);
    EXPECT_TRUE(named.notes.empty());
    EXPECT_EQ(named.state("rain"), 1);
  }
  const NamedChain endless = chain_of("x,a,b\nstart,1,0\na,0.333,0.667\nb,0.33,0.66\n");
  EXPECT_EQ(endless.chain.end_token(), -1);
  ASSERT_EQ(endless.notes.size(), 1U);
  EXPECT_EQ(endless.notes[0], "line 4: the probabilities add up to 0.99, and are rescaled");
  EXPECT_NEAR(endless.chain.transition().at({1, 1}), 2.0 / 3.0, 1e-15);
}

TEST(ChainFile, TakesAStateThatLeadsToItselfForTheEnd) {
  const NamedChain named = chain_of("x,a,b,end\nstart,1,0,0\na,.2,.3,.5\nb,.5,.5,0\nend,0,0,1\n");
  const NamedChain plain = chain_of("x,a,b,end\nstart,1,0,0\na,.2,.3,.5\nb,.5,.5,0\n");
  EXPECT_EQ(named.chain.end_token(), 2);
  EXPECT_TRUE(array_equal(named.chain.log_rows, plain.chain.log_rows));
  EXPECT_EQ(named.notes, std::vector<std::string>{
                             "\"end\" leads only to itself: it is taken for the state where sequences end"});
  EXPECT_TRUE(plain.notes.empty());
  const NamedChain two = chain_of("x,a,b\nstart,.5,.5\na,1,0\nb,0,1\n");
  EXPECT_EQ(two.chain.end_token(), -1);
  EXPECT_EQ(two.notes,
            std::vector<std::string>{"2 states, \"a\" among them, lead only to themselves, and none "
                                     "is the end: every sequence is cut at the longest length"});
}

TEST(SequenceStudy, OneSequenceHasNoError) {
  const NamedChain chain = chain_of(kWeather);
  const SequenceStudy one = sequence_study(chain, {.count = 1, .max_length = 6});
  const SequenceStudy two = sequence_study(chain, {.count = 2, .max_length = 6});
  for (std::size_t i = 0; i < one.means.size(); ++i) {
    EXPECT_TRUE(std::isnan(one.means[i].error) && std::isnan(one.means[i].normalised_error));
    EXPECT_TRUE(std::isfinite(one.means[i].normalised) && std::isfinite(two.means[i].error));
  }
  EXPECT_EQ(sequences_text(one).find("+-"), std::string::npos) << sequences_text(one);
  EXPECT_NE(sequences_text(two).find("+-"), std::string::npos);
}

TEST(ChainFile, RefusesWhatIsNoChain) {
  refuses("", " is empty");
  refuses("state\nstart\n",
          ", line 1: a column for each state is needed after the first, separated by commas");
  refuses("state,a,a\n", ", line 1: two columns are called \"a\"");
  refuses("state,a,\n", ", line 1: column 3 has no name");
  refuses("state,a,start\n", ", line 1: a state cannot be called \"start\": that is the row that begins");
  refuses("state,a,b\nstart,0.5,x\n", ", line 2: \"x\" under \"b\" is no probability");
  refuses("state,a,b\nstart,1.5,-0.5\n", ", line 2: \"1.5\" under \"a\" is no probability");
  refuses("state,a,b\nstart,0.5,nan\n", ", line 2: \"nan\" under \"b\" is no probability");
  refuses("state,a,b\nstart,0.5,0.4\n", ", line 2: the probabilities add up to 0.9, not to 1");
  refuses("state,a,b\nc,0.5,0.5\n", ", line 2: there is no column for \"c\"");
  refuses("state,a,b\na,0.5,0.5\na,0.5,0.5\n", ", line 3: a second row for \"a\"");
  refuses("state,a,b\na,0.5,0.5\n", ": no row \"start\" says how sequences begin");
  refuses("state,a,b,c\nstart,1,0,0\na,1,0,0\n",
          ": neither \"b\" nor \"c\" has a row; one state may have none, where sequences end");
  expect_refusal([] { chain_of(kWeather).state("rein"); },
                 "there is no state \"rein\"; did you mean \"rain\"?");
}

// The means that the study calls exact, by summing over all sequences.
TEST(SequenceStudy, KnowsTheMeansOfAChain) {
  const NamedChain chain = chain_of(kWeather);
  for (const double temperature : {1.0, 0.5}) {
    SequenceRequest request{
        .count = 2000, .max_length = 6, .filter = {.temperature = temperature}, .counted = "rain"};
    const SequenceStudy study = sequence_study(chain, request);
    ASSERT_EQ(study.means.size(), 3U);
    ASSERT_TRUE(std::isinf(study.kappa));  // there are fewer sequences
    double length = 0.0, entropy = 0.0, rain = 0.0, total = 0.0;
    for (std::size_t i = 0; i < study.sequences.size(); ++i) {
      const auto& states = study.sequences[i];
      double log_p = 0.0;  // by hand, from the table
      std::string before = "start";
      const std::map<std::string, std::vector<double>> rows{
          {"start", {0.5, 0.5, 0.0}}, {"sun", {0.7, 0.2, 0.1}}, {"rain", {0.4, 0.4, 0.2}}};
      for (const std::string& state : states) {
        double all = 0.0;
        for (const double q : rows.at(before)) all += std::pow(q, 1.0 / temperature);
        log_p += std::log(
            std::pow(rows.at(before)[static_cast<std::size_t>(chain.state(state))], 1.0 / temperature) / all);
        before = state;
      }
      EXPECT_NEAR(study.log_probabilities[i], log_p, 1e-12);
      const double p = std::exp(log_p);
      total += p;
      length += p * static_cast<double>(states.size());
      entropy -= p * log_p;
      rain += p * static_cast<double>(std::count(states.begin(), states.end(), "rain"));
    }
    EXPECT_NEAR(total, 1.0, 1e-12);
    const double expected[] = {length, entropy, rain};
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(study.means[i].exact, expected[i], 1e-12) << study.means[i].of;
      EXPECT_NEAR(study.means[i].mean, expected[i], 1e-12);
      EXPECT_NEAR(study.means[i].normalised, expected[i], 1e-12);
      EXPECT_EQ(study.means[i].error, 0.0);
    }
  }
}

TEST(SequenceStudy, ComparesEstimatorsOfLittleSpread) {
  const NamedChain chain = chain_of(kWeather);
  CompareRequest request;
  request.search.max_length = 5;
  request.runs = 300;
  request.counts = {4, 16};
  request.temperatures = {1.0, 0.25};
  const CompareStudy study = compare_searches(chain, request);
  ASSERT_EQ(study.rows.size(), 16U);
  const auto row = [&](double temperature, std::int64_t count, const std::string& name) {
    for (const Compared& r : study.rows) {
      if (r.temperature == temperature && r.count == count && r.estimator == name) return r;
    }
    throw Error("no row " + name);
  };
  for (const double temperature : request.temperatures) {
    for (const std::int64_t count : request.counts) {
      const Compared unbiased = row(temperature, count, "unbiased"),
                     replaced = row(temperature, count, "with replacement");
      EXPECT_NEAR(unbiased.mean, unbiased.exact, 4.5 * unbiased.rmse / std::sqrt(300.0));
      EXPECT_NEAR(replaced.mean, replaced.exact, 4.5 * replaced.rmse / std::sqrt(300.0));
      EXPECT_LE(unbiased.low, unbiased.high);
      EXPECT_LT(row(temperature, count, "normalised").rmse, replaced.rmse);
      EXPECT_NEAR(row(temperature, count, "beam").rmse,
                  std::abs(row(temperature, count, "beam").mean - replaced.exact), 1e-12);
    }
  }
  // At a low temperature sequences come again and again with replacement.
  EXPECT_LT(row(0.25, 16, "unbiased").rmse, 0.3 * row(0.25, 16, "with replacement").rmse);
  request.runs = 1;
  expect_refusal([&] { compare_searches(chain, request); }, "`runs` must be at least 2, got 1");
  expect_refusal(
      [] { search_method("beams"); },
      "`method`: there is no method \"beams\"; did you mean \"beam\"?; there are ancestral, greedy, beam, "
      "stochastic-beam");
}

}  // namespace
}  // namespace likely::sequences
