#include "likely/models/words/word2vec.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <mutex>
#include <string>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/core/threads.hpp"
#include "likely/models/words/learner.hpp"
#include "likely/models/words/text_pieces.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::words {

namespace {

using Clock = std::chrono::steady_clock;

void check_whole(const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high)
    refuse("word2vec", fmt::format("`{}` must be from {} to {}, got {}", name, low, high, value));
}

void check(const Word2VecOptions& options) {
  check_whole("dimension", options.dimension, 1, 65536);
  check_whole("window", options.window, 1, 1000);
  check_whole("negative", options.negative, 1, kMostContrasted - 1);
  check_whole("epochs", options.epochs, 1, 1'000'000);
  check_whole("min-count", options.min_count, 1, std::int64_t{1} << 40);
  check_whole("threads", options.threads, 1, 1024);
  if (!std::isfinite(options.sample) || options.sample < 0.0)
    refuse("word2vec", fmt::format("`sample` must be finite and at least 0, got {}", options.sample));
  if (!std::isfinite(options.rate) || options.rate < 0.0)
    refuse("word2vec", fmt::format("`rate` must be finite and at least 0, got {}", options.rate));
}

// One pass through the text by all threads: who is free takes the next piece.
class Epoch {
 public:
  Epoch(const std::filesystem::path& text, Shared& shared, Rng rng, Clock::time_point begin)
      : pieces_("word2vec", text),
        shared_(shared),
        rng_(rng),
        begin_(begin),
        name_(text.filename().string()) {}

  // The mean loss.
  double run() {
    const int threads = shared_.options.threads;
    constexpr double kLong = 1e12;  // worth every thread
    parallel_tiles(threads, kLong, [&](std::int64_t) { work(); });
    return mean_loss();
  }

 private:
  void work() {
    Learner learner(shared_);
    std::string piece;
    while (true) {
      give_up_if(shared_.options.cancelled);
      kernels::RandomKey key;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!pieces_.next(piece)) return;
        key = rng_.split().draw();
      }
      learner.learn(piece, key);
      const std::lock_guard<std::mutex> lock(mutex_);
      const LossSum losses = learner.take_losses();
      losses_.sum += losses.sum;
      losses_.count += losses.count;
      tell();
    }
  }

  double mean_loss() const {
    return losses_.count > 0 ? losses_.sum / static_cast<double>(losses_.count) : 0.0;
  }

  void tell() const {
    if (!shared_.options.events) return;
    const auto done = static_cast<double>(shared_.done.load(std::memory_order_relaxed));
    const double all =
        static_cast<double>(shared_.lexicon.known) * static_cast<double>(shared_.options.epochs);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
    shared_.options.events(
        train::event::Stage{.of = name_,
                            .doing = "learning",
                            .done = std::min(done / all, 0.999),
                            .numbers = {{"words/s", done / std::max(seconds, 1e-9)}, {"loss", mean_loss()}}});
  }

  TextPieces pieces_;
  Shared& shared_;
  Rng rng_;
  Clock::time_point begin_;
  std::string name_;
  std::mutex mutex_;
  LossSum losses_;
};

Lexicon lexicon_of(const std::filesystem::path& text, const Word2VecOptions& options) {
  LexiconOptions counting{.min_count = options.min_count, .cancelled = options.cancelled};
  if (options.events) {
    counting.watch = [&](std::int64_t words) {
      options.events(train::event::Stage{.of = text.filename().string(),
                                         .doing = "counting",
                                         .numbers = {{"words", static_cast<double>(words)}}});
    };
  }
  Lexicon lexicon = read_lexicon(text, counting);
  if (lexicon.size() < 2)
    refuse("word2vec", fmt::format("{}: one word alone, \"{}\", comes at least {} times (`min-count`)",
                                   text.string(), lexicon.table[0], options.min_count));
  return lexicon;
}

}  // namespace

Learned word2vec(const std::filesystem::path& text, const Word2VecOptions& options) {
  check(options);
  Lexicon lexicon = lexicon_of(text, options);
  if (options.counted) options.counted(lexicon.size());
  Rng rng(options.seed);
  Shared shared(lexicon, options, rng.split());
  Learned learned;
  const Clock::time_point begin = Clock::now();
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch)
    learned.loss = Epoch(text, shared, rng.split(), begin).run();
  if (!shared.learned.load())
    refuse("word2vec",
           fmt::format("{}: no word has another one beside it in its line: join lines, or choose a larger "
                       "`sample` or a smaller `min-count`",
                       text.string()));
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  learned.words_per_second = static_cast<double>(shared.done.load()) / std::max(seconds, 1e-9);
  if (options.events)
    options.events(train::event::Stage{.of = text.filename().string(), .doing = "learning", .done = 1.0});
  learned.vectors.matrix = contiguous(slice(shared.inputs, 1, {0, options.dimension}));
  if (!std::isfinite(sum(abs(learned.vectors.matrix)).item()))
    refuse("word2vec",
           fmt::format("the vectors are no finite numbers any more; choose a `rate` below {}", shared.rate));
  learned.counts = std::move(lexicon.counts);
  learned.vectors.words = std::move(lexicon.table);
  learned.read = lexicon.read;
  return learned;
}

}  // namespace likely::words
