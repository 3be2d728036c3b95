// word2vec (Mikolov et al. 2013): vectors from which the words around a word can be told.
//
//   const words::Learned learned = words::word2vec("corpus.txt", {.dimension = 100, .epochs = 5});
//   words::save_vectors("vectors.bin", learned.vectors);
//
// For each word c of the text and each word w up to b places from it, b drawn from 1 ... window each time:
//   skip-gram: w is told from words drawn from q by u_w v_c, a pair at a time
//   CBOW:      c is told from words drawn from q by u_c h, h the mean of v_w over all w around it
// The loss is that of negative sampling or of noise contrast (prob/noise_contrastive.hpp). What is kept are
// the v.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/models/words/word_vectors.hpp"
#include "likely/train/events.hpp"

namespace likely::words {

struct Word2VecOptions {
  std::int64_t dimension = 100;
  std::int64_t window = 5;     // places to each side, at most
  std::int64_t negative = 5;   // noise words for each word that is to be told
  std::int64_t epochs = 5;     // times through the text
  std::int64_t min_count = 5;  // words that come less often are passed over
  // A word of relative frequency f is kept with probability min(1, sqrt(sample / f) + sample / f) each time;
  // 0: always.
  double sample = 1e-3;
  double rate = 0.0;  // learning rate, which falls in a straight line to 1e-4 of it; 0: .025 for skip-gram,
                      // .05 for CBOW
  bool cbow = false;
  // Noise-contrastive estimation: scores get a bias for each word, learned too, which begins at the logarithm
  // of its frequency, and stand against log(k q(w)).
  bool nce = false;
  // More than one learn in the same vectors at once, without locks: faster, and the only place where likely
  // gives other bits each time.
  int threads = 1;
  std::uint64_t seed = 1;  // with one thread: same seed, same bits
  // Told, before any is learned, how many words will have a vector; what it throws ends the work.
  std::function<void(std::int64_t words)> counted{};
  CancelTest cancelled{};
  train::EventSink events{};  // told how far it is, with words a second and loss
};

struct Learned {
  WordVectors vectors;               // the most frequent word first
  std::vector<std::int64_t> counts;  // of each word in the text
  std::int64_t read = 0;             // words of the text, once through it, rare ones among them
  double loss = 0.0;                 // mean over the words told in the last epoch, of one in sixteen of them
  double words_per_second = 0.0;     // known words of the text, all epochs, without the pass that counts them
};

// The text is read piece by piece, once more for each epoch; memory depends on its different words alone. A
// context ends with a line. Noise is drawn with probabilities proportional to count^0.75. Refuses options out
// of range, what read_lexicon refuses, a text with less than two different words, one in whose lines no word
// was kept with another, and vectors that are no finite numbers at the end (the rate was too large).
Learned word2vec(const std::filesystem::path& text, const Word2VecOptions& options = {});

// The probability with which a word of this relative frequency is kept.
double keep_probability(double frequency, double sample);
// What noise is drawn by: count^0.75.
std::vector<double> noise_weights(const std::vector<std::int64_t>& counts);

}  // namespace likely::words
