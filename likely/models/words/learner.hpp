// What the threads of word2vec share, and what one of them does with a piece of text. Internal to words/.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <vector>

#include "likely/core/tensor.hpp"
#include "likely/models/words/contrast_step.hpp"
#include "likely/models/words/lexicon.hpp"
#include "likely/models/words/random_words.hpp"
#include "likely/models/words/word2vec.hpp"
#include "likely/ops/rng.hpp"
#include "likely/prob/sampling/alias_table.hpp"

namespace likely::words {

// The two matrices, and what is known about the words.
struct Shared {
  Shared(const Lexicon& text, const Word2VecOptions& chosen, Rng rng);

  const Lexicon& lexicon;
  const Word2VecOptions& options;
  double rate;  // at the beginning
  std::int64_t stride;
  Tensor inputs, outputs, biases, log_noise;  // v and u, rows of a whole stride
  float* input_rows;
  Outputs output_rows;
  AliasTable noise;
  std::vector<std::uint32_t> keep;    // of 2^32; the largest number: always
  std::atomic<std::int64_t> done{0};  // known words, of all epochs together
  std::atomic<bool> learned{false};   // from any two words that stand together

  double rate_at(std::int64_t words) const;
};

// A sum of losses, of those that were looked at.
struct LossSum {
  double sum = 0.0;
  std::int64_t count = 0;
};

// Learns from pieces of text, on one thread.
class Learner {
 public:
  explicit Learner(Shared& shared);

  // Lines are taken apart after kLongestLine known words, too. Asks `cancelled` now and then.
  void learn(std::string_view piece, kernels::RandomKey key);
  LossSum take_losses();

  static constexpr std::size_t kLongestLine = 1000;

 private:
  void learn_line();
  void learn_pairs();
  void learn_bags();
  void draw_noise(std::uint32_t* to);
  void flush();
  void give_up_if_asked(std::int64_t rows);
  bool wants_loss() { return (step_++ & 15U) == 0; }
  void note(float loss);

  Shared& shared_;
  RandomWords random_;
  std::uint32_t window_;
  int contrasted_;  // words in a step: one of the text, and the noise
  std::vector<std::uint32_t> line_;
  std::vector<std::uint32_t> queue_;  // pairs that wait: the word c, the word w, noise
  std::size_t queued_ = 0;
  Tensor hidden_, change_;
  std::int64_t seen_ = 0;  // known words of this piece
  float rate_ = 0.0F;
  std::uint32_t step_ = 0;
  bool looks_ = false;
  std::int64_t worked_ = 0;  // numbers moved since `cancelled` was asked
  LossSum losses_;
};

}  // namespace likely::words
