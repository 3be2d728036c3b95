// word2vec on one thread beside the same learning written down plainly, in f64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "likely/kernels/random/philox.hpp"
#include "likely/models/words/text_pieces.hpp"
#include "likely/models/words/word2vec.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/sampling/alias_table.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::words {

namespace {

using likely::testing::TemporaryFolder;
using likely::testing::write_bytes;

using Row = std::vector<double>;

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

double dot(const Row& a, const Row& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The words of a text, line by line.
std::vector<std::vector<std::string>> lines_of(const std::string& text) {
  std::vector<std::vector<std::string>> lines(1);
  std::string word;
  for (const char byte : text + "\n") {
    if (byte != ' ' && byte != '\n') {
      word += byte;
      continue;
    }
    if (!word.empty()) lines.back().push_back(word);
    word.clear();
    if (byte == '\n') lines.emplace_back();
  }
  return lines;
}

// Written from the equations of word2vec.hpp; the random numbers are drawn in the library's order.
class Plain {
 public:
  Plain(const std::string& text, const Word2VecOptions& options) : options_(options) {
    std::map<std::string, std::int64_t> counts;
    for (const auto& line : lines_of(text)) {
      for (const std::string& word : line) ++counts[word];
    }
    std::vector<std::pair<std::int64_t, std::string>> order;
    for (const auto& [word, count] : counts) {
      if (count >= options.min_count) order.emplace_back(-count, word);
    }
    std::sort(order.begin(), order.end());
    std::vector<double> weights;
    double total = 0.0;
    for (const auto& [negative, word] : order) {
      ids_[word] = static_cast<std::uint32_t>(ids_.size());
      words.push_back(word);
      counts_.push_back(static_cast<double>(-negative));
      known_ += counts_.back();
      weights.push_back(std::pow(counts_.back(), 0.75));
      total += weights.back();
    }
    noise_ = std::make_unique<AliasTable>(weights);
    for (std::size_t i = 0; i < words.size(); ++i) {
      biases_.push_back(options.nce ? std::log(counts_[i] / known_) : 0.0);
      offsets_.push_back(options.nce ? std::log(static_cast<double>(options.negative) * weights[i] / total)
                                     : 0.0);
    }
    outputs_.assign(words.size(), Row(static_cast<std::size_t>(options.dimension), 0.0));
  }

  double learn(const std::filesystem::path& path) {
    Rng rng(options_.seed);
    const auto n = static_cast<std::int64_t>(words.size());
    const double half = 0.5 / static_cast<double>(options_.dimension);
    const Tensor first = rng.split().split().uniform({n, options_.dimension}, -half, half);
    for (std::int64_t i = 0; i < n; ++i) {
      inputs.emplace_back();
      for (std::int64_t j = 0; j < options_.dimension; ++j) inputs.back().push_back(first.at({i, j}));
    }
    for (std::int64_t epoch = 0; epoch < options_.epochs; ++epoch) {
      Rng of_pieces = rng.split();
      TextPieces pieces("test", path);
      std::string piece;
      steps_ = 0, looked_ = 0;
      loss_ = 0.0;
      while (pieces.next(piece)) learn_piece(piece, of_pieces.split().draw());
    }
    return loss_ / static_cast<double>(looked_);
  }

  std::vector<std::string> words;
  std::vector<Row> inputs;

 private:
  struct Pair {
    std::uint32_t center;
    std::vector<std::uint32_t> told;  // from it; the rest is noise
  };

  std::uint32_t draw() { return kernels::philox_word(key_, drawn_++); }
  std::vector<std::uint32_t> with_noise(std::uint32_t word) {
    std::vector<std::uint32_t> all{word};
    for (std::int64_t j = 0; j < options_.negative; ++j) {
      const std::uint64_t low = draw();
      all.push_back((*noise_)(low | (std::uint64_t{draw()} << 32)));
    }
    return all;
  }

  void learn_piece(const std::string& piece, kernels::RandomKey key) {
    key_ = key;
    drawn_ = 0;
    for (const auto& line : lines_of(piece)) {
      std::vector<std::uint32_t> kept;
      for (const std::string& word : line) {
        if (!ids_.contains(word)) continue;
        const std::uint32_t id = ids_[word];
        ++done_;
        const double f = counts_[id] / known_;
        const double keep =
            options_.sample > 0.0 ? std::sqrt(options_.sample / f) + options_.sample / f : 1.0;
        if (keep >= 1.0 || draw() < keep * 4294967296.0) kept.push_back(id);
      }
      if (kept.size() < 2) continue;
      const double all = known_ * static_cast<double>(options_.epochs);
      rate_ = options_.rate * std::max(1e-4, 1.0 - done_ / all);
      learn_line(kept);
    }
    learn_waiting();
  }

  void learn_line(const std::vector<std::uint32_t>& line) {
    const auto n = static_cast<std::int64_t>(line.size());
    for (std::int64_t at = 0; at < n; ++at) {
      const auto reach = 1 + static_cast<std::int64_t>(std::floor(static_cast<double>(draw()) / 4294967296.0 *
                                                                  static_cast<double>(options_.window)));
      std::vector<std::uint32_t> around;
      for (std::int64_t other = at - reach; other <= at + reach; ++other) {
        if (other >= 0 && other < n && other != at) around.push_back(line[static_cast<std::size_t>(other)]);
      }
      const std::uint32_t center = line[static_cast<std::size_t>(at)];
      if (options_.cbow) {
        learn_bag(around, with_noise(center));
        continue;
      }
      for (const std::uint32_t word : around) {
        if (waiting_.size() == 64) learn_waiting();
        waiting_.push_back({center, with_noise(word)});
      }
    }
  }

  void learn_waiting() {
    for (const Pair& pair : waiting_) {
      const Row step = contrast(inputs[pair.center], pair.told);
      for (std::size_t i = 0; i < step.size(); ++i) inputs[pair.center][i] += step[i];
    }
    waiting_.clear();
  }

  void learn_bag(const std::vector<std::uint32_t>& around, const std::vector<std::uint32_t>& told) {
    Row mean(static_cast<std::size_t>(options_.dimension), 0.0);
    const auto share = 1.0 / static_cast<double>(around.size());
    for (const std::uint32_t word : around) {
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += share * inputs[word][i];
    }
    const Row step = contrast(mean, told);
    for (const std::uint32_t word : around) {
      for (std::size_t i = 0; i < mean.size(); ++i) inputs[word][i] += share * step[i];
    }
  }

  // Moves u and the biases; returns how h is to move.
  Row contrast(const Row& hidden, const std::vector<std::uint32_t>& told) {
    std::vector<double> by;
    const bool looks = steps_++ % 16 == 0;
    for (std::size_t j = 0; j < told.size(); ++j) {
      const double score = dot(hidden, outputs_[told[j]]) + biases_[told[j]] - offsets_[told[j]];
      by.push_back(rate_ * ((j == 0 ? 1.0 : 0.0) - sigmoid(score)));
      if (looks) loss_ -= std::log(sigmoid(j == 0 ? score : -score));
    }
    looked_ += looks ? 1 : 0;
    Row step(hidden.size(), 0.0);
    for (std::size_t j = 0; j < told.size(); ++j) {
      for (std::size_t i = 0; i < step.size(); ++i) {
        step[i] += by[j] * outputs_[told[j]][i];
        outputs_[told[j]][i] += by[j] * hidden[i];
      }
      if (options_.nce) biases_[told[j]] += by[j];
    }
    return step;
  }

  Word2VecOptions options_;
  std::map<std::string, std::uint32_t> ids_;
  std::vector<double> counts_;
  double known_ = 0.0;
  std::unique_ptr<AliasTable> noise_;
  std::vector<double> biases_, offsets_;
  std::vector<Row> outputs_;
  kernels::RandomKey key_{};
  std::uint64_t drawn_ = 0;
  double done_ = 0.0, rate_ = 0.0, loss_ = 0.0;
  std::int64_t steps_ = 0, looked_ = 0;
  std::vector<Pair> waiting_;
};

// Words so long that few lines fill a piece, of very different frequencies, and a third of them too rare.
std::string long_words(std::int64_t lines) {
  Rng rng(5);
  const std::vector<double> drawn = rng.uniform({lines, 9}, 0.0, 1.0, DType::f64).to_vector<double>();
  std::string text;
  std::int64_t rare = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const auto which = static_cast<std::int64_t>(12.0 * drawn[i] * drawn[i]);
    text += i % 3 == 2 ? "rare" + std::to_string(rare++) : std::string(60, 'x') + std::to_string(which);
    text += i % 9 == 8 || i % 9 == 4 ? "\n" : " ";
  }
  return text;
}

TEST(PlainWord2Vec, LearnsTheSameVectors) {
  const TemporaryFolder folder;
  const std::string text = long_words(450);
  ASSERT_GT(text.size(), 2 * TextPieces::kPiece);
  write_bytes(folder / "text", text);
  for (const bool cbow : {false, true}) {
    for (const bool nce : {false, true}) {
      for (const double sample : {0.0, 0.02}) {
        SCOPED_TRACE(::testing::Message() << "cbow " << cbow << " nce " << nce << " sample " << sample);
        const Word2VecOptions options{.dimension = 6,
                                      .window = 3,
                                      .negative = 4,
                                      .epochs = 2,
                                      .sample = sample,
                                      .rate = 0.3,
                                      .cbow = cbow,
                                      .nce = nce};
        const Learned learned = word2vec(folder / "text", options);
        Plain plain(text, options);
        const double loss = plain.learn(folder / "text");
        ASSERT_EQ(learned.vectors.size(), static_cast<std::int64_t>(plain.words.size()));
        EXPECT_NEAR(learned.loss, loss, 1e-5);
        double largest = 0.0, furthest = 0.0;
        for (std::int64_t i = 0; i < learned.vectors.size(); ++i) {
          const auto at = static_cast<std::size_t>(i);
          EXPECT_EQ(learned.vectors.words[static_cast<std::uint32_t>(i)], plain.words[at]);
          for (std::int64_t j = 0; j < 6; ++j) {
            const double expected = plain.inputs[at][static_cast<std::size_t>(j)];
            largest = std::max(largest, std::abs(expected));
            furthest = std::max(furthest, std::abs(learned.vectors.matrix.at({i, j}) - expected));
          }
        }
        EXPECT_GT(largest, 0.15);   // half a sixth before
        EXPECT_LT(furthest, 1e-5);  // f32 against f64
      }
    }
  }
}

}  // namespace

}  // namespace likely::words
