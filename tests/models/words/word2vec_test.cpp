#include "likely/models/words/word2vec.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "likely/core/cancel.hpp"
#include "likely/core/threads.hpp"
#include "likely/models/words/learner.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::words {

namespace {

using likely::testing::expect_refusal;
using likely::testing::TemporaryFolder;
using likely::testing::write_bytes;

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.size() == b.size() && std::memcmp(a.data<float>(), b.data<float>(),
                                             static_cast<std::size_t>(a.size()) * sizeof(float)) == 0;
}

double cosine(const WordVectors& vectors, const std::string& a, const std::string& b) {
  const Tensor directions = vectors.directions();
  double sum = 0.0;
  for (std::int64_t i = 0; i < vectors.dimension(); ++i)
    sum += directions.at({*vectors.find(a), i}) * directions.at({*vectors.find(b), i});
  return sum;
}

// Lines of ten words, all of one of two topics with eight words each, and of words that are in both.
std::string two_topics(std::int64_t lines) {
  Rng rng(11);
  const std::vector<std::int64_t> drawn = rng.randint(0, 1 << 20, {lines, 11}).to_vector<std::int64_t>();
  std::string text;
  for (std::size_t line = 0; line < drawn.size(); line += 11) {
    const std::string topic = drawn[line] % 2 == 0 ? "sea" : "sky";
    for (std::size_t i = 1; i < 11; ++i) {
      const std::int64_t number = drawn[line + i] % 12;
      text += number < 8 ? topic + std::to_string(number) : "both" + std::to_string(number);
      text += i == 10 ? '\n' : ' ';
    }
  }
  return text;
}

// How much closer words of one topic are than words of two.
double separation(const WordVectors& vectors) {
  double within = 0.0, across = 0.0;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      if (i != j) within += cosine(vectors, "sea" + std::to_string(i), "sea" + std::to_string(j)) / 56.0;
      across += cosine(vectors, "sea" + std::to_string(i), "sky" + std::to_string(j)) / 64.0;
    }
  }
  return within - across;
}

class Word2Vec : public ::testing::Test {
 protected:
  std::filesystem::path text(const std::string& contents) {
    write_bytes(folder_ / "text", contents);
    return folder_ / "text";
  }
  TemporaryFolder folder_;
};

TEST_F(Word2Vec, LearnsTwoTopics) {
  const auto path = text(two_topics(3000));
  for (const bool cbow : {false, true}) {
    for (const bool nce : {false, true}) {
      Word2VecOptions options{.dimension = 16, .epochs = 3, .sample = 0.0, .cbow = cbow, .nce = nce};
      options.rate = 0.1;
      const Learned learned = word2vec(path, options);
      EXPECT_EQ(learned.vectors.size(), 20);
      EXPECT_EQ(learned.read, 30'000);
      EXPECT_GT(separation(learned.vectors), 0.5) << cbow << nce;
      // Without a look at the text: ln 2 for each of the six, with negative sampling.
      EXPECT_LT(learned.loss, 6.0 * std::log(2.0)) << cbow << nce;
      EXPECT_GT(learned.loss, 0.5) << cbow << nce;
    }
  }
}

TEST_F(Word2Vec, LearnsTheSameBitsFromTheSameSeedOnOneThread) {
  const auto path = text(two_topics(8000));  // more than a piece
  for (const bool cbow : {false, true}) {
    const Word2VecOptions options{.dimension = 10, .epochs = 2, .cbow = cbow};
    const Learned once = word2vec(path, options);
    const int before = threads();
    set_threads(2);  // of the library: of no importance
    const Learned again = word2vec(path, options);
    set_threads(before);
    EXPECT_TRUE(same_bits(once.vectors.matrix, again.vectors.matrix)) << cbow;
    EXPECT_EQ(once.loss, again.loss);
    Word2VecOptions other = options;
    other.seed = 2;
    EXPECT_FALSE(same_bits(once.vectors.matrix, word2vec(path, other).vectors.matrix));
  }
}

TEST_F(Word2Vec, LearnsOnSeveralThreads) {
  const auto path = text(two_topics(8000));
  const int before = threads();
  set_threads(3);
  const Learned learned =
      word2vec(path, {.dimension = 16, .epochs = 2, .sample = 0.0, .rate = 0.1, .threads = 3});
  set_threads(before);
  EXPECT_GT(separation(learned.vectors), 0.5);
}

// A grid of two features: each of four words is seen among words of its rank and words of its gender.
TEST_F(Word2Vec, SolvesTheAnalogyOfAGrid) {
  Rng rng(3);
  const std::int64_t lines = 6000;
  const std::vector<std::int64_t> drawn = rng.randint(0, 1 << 20, {lines * 5}).to_vector<std::int64_t>();
  const std::vector<std::string> names{"man", "woman", "king", "queen"};
  std::string all;
  for (std::size_t at = 0; at < drawn.size(); at += 5) {
    const auto who = static_cast<std::size_t>(drawn[at] % 4);
    const auto of = [&](const char* kind, std::size_t i) {
      return kind + std::to_string(drawn[at + i] % 6) + " ";
    };
    const char* const rank = who < 2 ? "common" : "royal";
    const char* const gender = who % 2 == 0 ? "he" : "she";
    all += of(rank, 1) + of(gender, 2) + names[who] + " " + of(rank, 3) + of(gender, 4) + "\n";
  }
  const Learned learned = word2vec(text(all), {.dimension = 12, .epochs = 5, .sample = 0.0, .rate = 0.05});
  EXPECT_EQ(analogy(learned.vectors, "man", "king", "woman", 1).at(0).word, "queen");
  EXPECT_EQ(analogy(learned.vectors, "queen", "woman", "king", 1).at(0).word, "man");
}

TEST_F(Word2Vec, KnowsWithWhatProbabilityWordsAreKeptAndDrawn) {
  EXPECT_EQ(keep_probability(0.5, 0.0), 1.0);
  EXPECT_NEAR(keep_probability(0.04, 1e-3), std::sqrt(0.025) + 0.025, 1e-15);
  EXPECT_EQ(keep_probability(1e-3, 1e-3), 1.0);
  const Lexicon lexicon =
      read_lexicon(text("a a a a a a a a b b c c c c c c c c c c c c c c c c"), {.min_count = 1});
  const Word2VecOptions options{.dimension = 4, .min_count = 1, .sample = 0.1};
  const Shared shared(lexicon, options, Rng(1));
  double sum = 0.0;
  const std::vector<double> counts{16, 8, 2};
  for (const double count : counts) sum += std::pow(count, 0.75);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(shared.noise.probabilities()[i], std::pow(counts[i], 0.75) / sum, 1e-9);
    const double f = counts[i] / 26.0;
    EXPECT_NEAR(static_cast<double>(shared.keep[i]) / 4294967296.0,
                std::min(1.0, std::sqrt(0.1 / f) + 0.1 / f), 1e-9);
  }
  EXPECT_EQ(shared.rate_at(0), 0.025);
  EXPECT_NEAR(shared.rate_at(65), 0.0125, 1e-15);  // of 5 x 26
  EXPECT_NEAR(shared.rate_at(130), 0.025e-4, 1e-15);
}

// The reach of a window is uniform on 1 ... window: so many pairs of words come out of a line. One in sixteen
// is counted.
TEST_F(Word2Vec, DrawsItsWindows) {
  std::string line;
  for (int i = 0; i < 40; ++i) line += i % 2 == 0 ? "a " : "b ";
  line += "\n";
  const Lexicon lexicon = read_lexicon(text(line), {.min_count = 1});
  for (const std::int64_t window : {1, 2, 5}) {
    const Word2VecOptions options{.dimension = 2, .window = window, .min_count = 1, .sample = 0.0};
    Shared shared(lexicon, options, Rng(1));
    Learner learner(shared);
    const std::int64_t lines = 4000;
    Rng rng(2);
    for (std::int64_t i = 0; i < lines; ++i) learner.learn(line, rng.draw());
    double expected = 0.0, variance = 0.0;
    const auto w = static_cast<double>(window);
    for (int d = 1; d <= window; ++d) expected += 2.0 * (40.0 - d) * (w - d + 1.0) / w;
    variance = 40.0 * 4.0 * (w * w - 1.0) / 12.0;  // at most: pairs of a word are twice its reach
    const double found = 16.0 * static_cast<double>(learner.take_losses().count);
    const auto n = static_cast<double>(lines);
    EXPECT_NEAR(found, expected * n, 5.0 * std::sqrt(variance * n) + 16.0) << window;
  }
}

TEST_F(Word2Vec, DrawsKeptWordsAsOftenAsItShould) {
  std::string line;
  for (int i = 0; i < 50; ++i) line += i % 5 == 0 ? "rare " : "often ";
  line += "\n";
  const Lexicon lexicon = read_lexicon(text(line), {.min_count = 1});
  const Word2VecOptions options{.dimension = 2, .window = 1, .min_count = 1, .sample = 0.05};
  Shared shared(lexicon, options, Rng(1));
  Learner learner(shared);
  const std::int64_t lines = 4000;
  Rng rng(2);
  for (std::int64_t i = 0; i < lines; ++i) learner.learn(line, rng.draw());
  // A line of n words that are kept gives 2 (n - 1) pairs.
  const double often = keep_probability(0.8, 0.05), rare = keep_probability(0.2, 0.05);
  const double expected = 2.0 * (40.0 * often + 10.0 * rare - 1.0);
  const double variance = 4.0 * (40.0 * often * (1.0 - often) + 10.0 * rare * (1.0 - rare));
  const double found = 16.0 * static_cast<double>(learner.take_losses().count) / static_cast<double>(lines);
  EXPECT_NEAR(found, expected, 5.0 * std::sqrt(variance / static_cast<double>(lines)) + 0.01);
}

TEST_F(Word2Vec, TellsHowFarItIs) {
  std::vector<train::event::Stage> told;
  Word2VecOptions options{.dimension = 8, .epochs = 2};
  options.events = [&](const train::Event& event) { told.push_back(std::get<train::event::Stage>(event)); };
  const Learned learned = word2vec(text(two_topics(8000)), options);
  ASSERT_GT(told.size(), 4U);
  EXPECT_EQ(told.front().doing, "counting");
  EXPECT_EQ(told.back().done, 1.0);
  const train::event::Stage& last = told[told.size() - 2];
  EXPECT_EQ(last.doing, "learning");
  ASSERT_EQ(last.numbers.size(), 2U);
  EXPECT_EQ(last.numbers[1].second, learned.loss);
}

TEST_F(Word2Vec, CanBeGivenUp) {
  const auto path = text(two_topics(8000));
  int asked = 0;
  Word2VecOptions options{.dimension = 8, .epochs = 1'000'000};
  options.cancelled = [&] { return ++asked > 40; };
  EXPECT_THROW(word2vec(path, options), Cancelled);
}

// Within a piece, too: a step of 257 rows of 65536 numbers takes long.
TEST_F(Word2Vec, CanBeGivenUpWithinALine) {
  std::string line;
  for (int i = 0; i < 100; ++i) line += i % 2 == 0 ? "a " : "b ";
  const Lexicon lexicon = read_lexicon(text(line), {.min_count = 1});
  for (const bool cbow : {false, true}) {
    Word2VecOptions options{.dimension = 4096, .negative = 256, .min_count = 1, .sample = 0.0, .cbow = cbow};
    int asked = 0;
    options.cancelled = [&] { return ++asked > 1; };
    Shared shared(lexicon, options, Rng(1));
    Learner learner(shared);
    EXPECT_THROW(learner.learn(line, Rng(2).draw()), Cancelled) << cbow;
    EXPECT_EQ(asked, 2);
    // At most 2^24 numbers stand between two questions: 16 steps, of which one in 16 is counted.
    EXPECT_LE(learner.take_losses().count, 3) << cbow;
  }
}

TEST_F(Word2Vec, TellsHowManyWordsThereAreBeforeItLearns) {
  std::int64_t words = 0;
  Word2VecOptions options{.dimension = 65536, .min_count = 1};
  options.counted = [&](std::int64_t count) {
    words = count;
    throw Cancelled();
  };
  EXPECT_THROW(word2vec(text("a b c a"), options), Cancelled);
  EXPECT_EQ(words, 3);
}

TEST_F(Word2Vec, Refuses) {
  const auto path = text(two_topics(20));
  const auto with = [&](const std::function<void(Word2VecOptions&)>& change) {
    return [path, change] {
      Word2VecOptions options;
      change(options);
      word2vec(path, options);
    };
  };
  expect_refusal(with([](auto& o) { o.dimension = 0; }),
                 "[word2vec] `dimension` must be from 1 to 65536, got 0");
  expect_refusal(with([](auto& o) { o.negative = 257; }),
                 "[word2vec] `negative` must be from 1 to 256, got 257");
  expect_refusal(with([](auto& o) { o.threads = 0; }), "[word2vec] `threads` must be from 1 to 1024, got 0");
  expect_refusal(with([](auto& o) { o.sample = -1.0; }),
                 "[word2vec] `sample` must be finite and at least 0, got -1");
  expect_refusal(with([](auto& o) { o.rate = std::nan(""); }),
                 "[word2vec] `rate` must be finite and at least 0, got nan");
  expect_refusal(with([](auto& o) { o.rate = 1e38; }),
                 "[word2vec] the vectors are no finite numbers any more; choose a `rate` below 1e+38");
  const auto alone = [](const std::string& file) {
    return "[word2vec] " + file +
           ": no word has another one beside it in its line: join lines, or choose a " +
           "larger `sample` or a smaller `min-count`";
  };
  for (const bool cbow : {false, true}) {
    expect_refusal(with([&](auto& o) { o.sample = 1e-300, o.cbow = cbow; }), alone(path.string()));
    const std::string column = text("a\nb\na\nb\n\na rare\n").string();
    expect_refusal([&] { word2vec(column, {.dimension = 2, .min_count = 2, .cbow = cbow}); }, alone(column));
    text(two_topics(20));
  }
  const std::string name = text("a a a a a b").string();
  expect_refusal([&] { word2vec(name, {.dimension = 2}); },
                 "[word2vec] " + name + ": one word alone, \"a\", comes at least 5 times (`min-count`)");
}

}  // namespace

}  // namespace likely::words
