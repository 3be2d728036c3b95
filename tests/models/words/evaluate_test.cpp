#include "likely/models/words/evaluate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "likely/core/create.hpp"
#include "likely/ops/rng.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::words {

namespace {

using likely::testing::expect_refusal;
using likely::testing::TemporaryFolder;
using likely::testing::write_bytes;

WordVectors some(const std::vector<std::string>& names, const Tensor& matrix) {
  WordVectors vectors;
  for (const std::string& name : names) vectors.words.add(name);
  vectors.matrix = matrix;
  return vectors;
}

// By hand, and as SciPy's spearmanr has it.
TEST(Spearman, IsPearsonOfTheRanks) {
  EXPECT_NEAR(spearman({1, 2, 3, 4}, {10, 100, 1000, 1e6}), 1.0, 1e-15);
  EXPECT_NEAR(spearman({1, 2, 3}, {3, 2, 1}), -1.0, 1e-15);
  EXPECT_NEAR(spearman({1, 2, 2, 3}, {1, 3, 2, 4}), 4.5 / std::sqrt(22.5), 1e-15);
  EXPECT_NEAR(
      spearman({106, 100, 86, 101, 99, 103, 97, 113, 112, 110}, {7, 27, 2, 50, 28, 29, 20, 12, 6, 17}),
      -29.0 / 165.0, 1e-15);
  EXPECT_TRUE(std::isnan(spearman({1, 1}, {1, 2})));
  EXPECT_TRUE(std::isnan(spearman({}, {})));
  expect_refusal([] { spearman({1}, {}); }, "[spearman] 1 numbers beside 0: there must be as many of both");
}

TEST(Nearest, OrdersByCosine) {
  const WordVectors vectors =
      some({"a", "long", "b", "zero", "c", "Far"},
           tensor({{1.0, 0.0}, {500.0, 50.0}, {0.5, 0.5}, {0.0, 0.0}, {0.0, 1e-20}, {-1.0, 0.1}}));
  const std::vector<Neighbour> found = nearest(vectors, "a", 10);
  ASSERT_EQ(found.size(), 5U);
  const std::vector<std::string> order{"long", "b", "zero", "c", "Far"};
  const std::vector<double> cosines{500.0 / std::hypot(500.0, 50.0), std::sqrt(0.5), 0.0, 0.0,
                                    -1.0 / std::hypot(1.0, 0.1)};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(found[i].word, order[i]);
    EXPECT_NEAR(found[i].cosine, cosines[i], 1e-6);
  }
  EXPECT_EQ(nearest(vectors, "A", 1).at(0).word, "long");  // in small letters
  EXPECT_EQ(nearest(vectors, "b", 1).at(0).word, "long");
  expect_refusal([&] { nearest(vectors, "far", 1); },
                 "[nearest] no vector is called \"far\"; 6 words have one");
  expect_refusal([&] { nearest(vectors, "a", 0); },
                 "[nearest] the number of words must be at least 1, got 0");
  expect_refusal([&] { analogy(vectors, "a", "b", "d", 1); },
                 "[analogy] no vector is called \"d\"; 6 words have one");
}

// Against all cosines, one after the other.
TEST(Analogies, AreSolvedAsByPlainLoops) {
  const std::int64_t words = 60, dimension = 5;
  std::vector<std::string> names;
  for (int i = 0; i < words; ++i) names.push_back("w" + std::to_string(i));
  const WordVectors vectors = some(names, Rng(1).normal({words, dimension}));
  std::vector<std::vector<double>> unit(static_cast<std::size_t>(words));
  for (std::int64_t i = 0; i < words; ++i) {
    double length = 0.0;
    for (std::int64_t j = 0; j < dimension; ++j) length += std::pow(vectors.matrix.at({i, j}), 2);
    for (std::int64_t j = 0; j < dimension; ++j)
      unit[static_cast<std::size_t>(i)].push_back(vectors.matrix.at({i, j}) / std::sqrt(length));
  }
  const auto plain = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t among) {
    std::size_t best = 0;
    double most = -1e9;
    for (std::size_t i = 0; i < among; ++i) {
      if (i == a || i == b || i == c) continue;
      double sum = 0.0;
      for (std::size_t j = 0; j < unit[0].size(); ++j)
        sum += unit[i][j] * (unit[b][j] - unit[a][j] + unit[c][j]);
      if (sum > most) {
        most = sum;
        best = i;
      }
    }
    return best;
  };
  const std::vector<std::int64_t> drawn = Rng(2).randint(0, words, {300 * 3}).to_vector<std::int64_t>();
  AnalogySection section{"all", {}};
  std::int64_t right = 0, known = 0;
  for (std::size_t i = 0; i < drawn.size(); i += 3) {
    const auto at = [&](std::size_t j) { return static_cast<std::size_t>(drawn[i + j]); };
    std::size_t d = plain(at(0), at(1), at(2), 60);
    EXPECT_EQ(analogy(vectors, names[at(0)], names[at(1)], names[at(2)], 1).at(0).word, names[d]);
    if (i % 2 == 0) d = (d + 1) % 60;
    const bool in_first = std::max({at(0), at(1), at(2), d}) < 40;
    if (in_first) ++known;
    if (in_first && plain(at(0), at(1), at(2), 40) == d) ++right;
    section.questions.push_back({names[at(0)], names[at(1)], names[at(2)], names[d]});
  }
  section.questions.push_back({"w1", "w2", "w3", "unknown"});
  const auto scores = score_analogies(vectors, {section, {"none", {{"x", "y", "z", "w1"}}}});
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_EQ(scores[0].all, 301);
  EXPECT_EQ(scores[0].asked, 300);
  EXPECT_GE(scores[0].right, 140);
  EXPECT_LE(scores[0].right, 151);  // one may be the word that was put in the place of the right one
  EXPECT_EQ(scores[1].asked, 0);
  EXPECT_EQ(total_of(scores).all, 302);
  const auto first = score_analogies(vectors, {section}, 40);
  EXPECT_EQ(first[0].asked, known);
  EXPECT_EQ(first[0].right, right);
  EXPECT_LT(right, known);
}

TEST(Similarities, AreScoredWithAnInterval) {
  const WordVectors vectors =
      some({"a", "b", "c", "d", "e"}, tensor({{1.0, 0.0}, {0.9, 0.1}, {0.5, 0.5}, {0.0, 1.0}, {-1.0, 0.2}}));
  const SimilarityScore score = score_similarities(
      vectors, {{"a", "b", 9}, {"a", "c", 5}, {"a", "d", 6}, {"a", "E", 1}, {"a", "x", 3}, {"d", "a", 4}});
  EXPECT_EQ(score.asked, 5);
  EXPECT_EQ(score.all, 6);
  // Ranks 5 3 4 1 2 of the judged and 5 4 2.5 1 2.5 of the cosines, by hand.
  const double rho = 8.0 / std::sqrt(10.0 * 9.5);
  EXPECT_NEAR(score.rho, rho, 1e-12);
  const double error = std::sqrt((1.0 + rho * rho / 2.0) / 2.0);
  EXPECT_NEAR(std::atanh(score.high) - std::atanh(rho), 1.959963984540054 * error, 1e-9);
  EXPECT_NEAR(std::atanh(rho) - std::atanh(score.low), 1.959963984540054 * error, 1e-9);
}

TEST(Evaluation, ReadsItsFiles) {
  const TemporaryFolder folder;
  const std::string name = (folder / "file").string();
  write_bytes(name, "a b c d\n: one  two\nA B C D\n\n: empty\n");
  const auto sections = read_analogies(name);
  ASSERT_EQ(sections.size(), 3U);
  EXPECT_EQ(sections[0].name, "");
  EXPECT_EQ(sections[1].name, "one  two");
  EXPECT_EQ(sections[1].questions[0][3], "D");
  write_bytes(name, "# a note\nword1\tword2\tPOS\tscore\tn\nold\tnew\tA\t1.58\t7\nx\ty\tA\t-2\t3\n");
  const auto pairs = read_similarities(name);
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].second, "new");
  EXPECT_EQ(pairs[0].judged, 1.58);
  EXPECT_EQ(pairs[1].judged, -2.0);
  write_bytes(name, ": one\na b c\n");
  expect_refusal([&] { read_analogies(name); },
                 "[read_analogies] " + name + ", line 2: a question has four words, got 3");
  write_bytes(name, ": one\n");
  expect_refusal([&] { read_analogies(name); }, "[read_analogies] " + name + ": there are no questions");
  write_bytes(name, "a b 1\na b c\n");
  expect_refusal(
      [&] { read_similarities(name); },
      "[read_similarities] " + name + ", line 2: two words and a number are expected, got \"a b c\"");
  write_bytes(name, "# a b 1\n\n");
  expect_refusal([&] { read_similarities(name); },
                 "[read_similarities] " + name + ": there are no pairs of words with a number");
}

TEST(Evaluation, ReadsPairsAsProgramsWriteThem) {
  const TemporaryFolder folder;
  const std::string name = (folder / "file").string();
  const auto read = [&](const std::string& text) {
    write_bytes(name, text);
    return read_similarities(name);
  };
  for (const char* text :
       {"Word 1,Word 2,Human (mean)\nlove,sex,6.77\nice cream,tea,1\n",
        "\xEF\xBB\xBFlove\tsex\t6,77\r\nice cream\ttea\t1\r\n", "love;sex;6,77\n\"ice cream\";tea;1\n",
        "#,Word 1,Word 2,Human\nid,word1,word2,x\n1,love,sex,6.77\n2,ice cream,tea,1\n",
        "kind\tword1\tword2\tx\nN\tlove\tsex\t6.77\nN\tice cream\ttea\t1\n"}) {
    const auto pairs = read(text);
    ASSERT_EQ(pairs.size(), 2U) << text;
    EXPECT_EQ(pairs[0].first, "love") << text;
    EXPECT_EQ(pairs[0].second, "sex") << text;
    EXPECT_EQ(pairs[0].judged, 6.77) << text;
    EXPECT_EQ(pairs[1].first, "ice cream") << text;
    EXPECT_EQ(pairs[1].judged, 1.0) << text;
  }
  const auto refused = [&](const std::string& text, const std::string& why) {
    expect_refusal([&] { read(text); }, "[read_similarities] " + name + ", " + why);
  };
  refused("a\tb\tNA\nc\td\t2\n", "line 1: two words and a number are expected, got \"a\\x09b\\x09NA\"");
  refused("a\tb\tx\nc\td\t2\ne\tf\tNA\ng\th\t3\n",
          "line 3: two words and a number are expected, got \"e\\x09f\\x09NA\"");
  refused("a\tb\t1\nc d 2\na\tc\t1\n", "line 2: two words and a number are expected, got \"c d 2\"");
  refused("a,b,1\nc,d,1,5\nc,e,1\n", "line 2: two words and a number are expected, got \"c,d,1,5\"");
  refused("a\tb\t1,5\nc\td\t1.5\n", "line 2: \"1.5\" has another decimal sign than the numbers above it");
  for (const char* text : {"1,love,sex,6.77\n2,a,b,2\n", "N\ta\tb\t1\nN\tc\td\t2\nN\te\tf\t2\n"})
    refused(text, std::string(
                      "line 1: the two words must stand in the first two columns, or in columns called word1 "
                      "and word2; \"") +
                      text[0] + "\" seems to be none");
}

TEST(Evaluation, ReadsThePublishedFiles) {
  LIKELY_SHARED_DATA(analogies, "word_analogy/questions-words.txt.gz");
  LIKELY_SHARED_DATA(similarities, "word_similarity");
  const auto sections = read_analogies(analogies);
  std::size_t questions = 0;
  for (const AnalogySection& section : sections) questions += section.questions.size();
  EXPECT_EQ(sections.size(), 14U);
  EXPECT_EQ(questions, 19544U);
  EXPECT_EQ(read_similarities(similarities / "wordsim353.tsv").size(), 353U);
  EXPECT_EQ(read_similarities(similarities / "simlex999.txt").size(), 999U);
}

}  // namespace

}  // namespace likely::words
