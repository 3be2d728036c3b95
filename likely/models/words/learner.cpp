// Hot: every word of a text, and every pair of words.
#include "likely/models/words/learner.hpp"

#include <algorithm>
#include <cmath>

#include "likely/core/cancel.hpp"
#include "likely/core/create.hpp"
#include "likely/models/words/text_pieces.hpp"

namespace likely::words {

namespace {

constexpr double kLeastRate = 1e-4;  // of that at the beginning
constexpr std::size_t kQueue = 64;   // pairs
constexpr std::uint32_t kAlways = 0xFFFFFFFF;
constexpr std::int64_t kBetweenAsking = std::int64_t{1} << 24;  // numbers: some hundredths of a second

std::vector<std::uint32_t> keep_thresholds(const Lexicon& lexicon, double sample) {
  std::vector<std::uint32_t> keep;
  for (const std::int64_t count : lexicon.counts) {
    const double share =
        keep_probability(static_cast<double>(count) / static_cast<double>(lexicon.known), sample);
    keep.push_back(share >= 1.0 ? kAlways : static_cast<std::uint32_t>(share * 4294967295.0));
  }
  return keep;
}

// Rows uniform within half a unit divided by the dimension, and 0 behind them.
Tensor first_inputs(std::int64_t words, std::int64_t dimension, std::int64_t stride, Rng rng) {
  const double half = 0.5 / static_cast<double>(dimension);
  const Tensor drawn = rng.uniform({words, dimension}, -half, half);
  Tensor rows = zeros({words, stride});
  const float* from = drawn.data<float>();
  float* to = rows.mutable_data<float>();
  for (std::int64_t i = 0; i < words; ++i) std::copy_n(from + i * dimension, dimension, to + i * stride);
  return rows;
}

}  // namespace

double keep_probability(double frequency, double sample) {
  if (sample <= 0.0) return 1.0;
  return std::min(1.0, std::sqrt(sample / frequency) + sample / frequency);
}

std::vector<double> noise_weights(const std::vector<std::int64_t>& counts) {
  std::vector<double> weights;
  for (const std::int64_t count : counts) weights.push_back(std::pow(static_cast<double>(count), 0.75));
  return weights;
}

Shared::Shared(const Lexicon& text, const Word2VecOptions& chosen, Rng rng)
    : lexicon(text),
      options(chosen),
      rate(chosen.rate > 0.0 ? chosen.rate : (chosen.cbow ? 0.05 : 0.025)),
      stride(row_stride(chosen.dimension)),
      inputs(first_inputs(text.size(), chosen.dimension, stride, rng.split())),
      outputs(zeros({text.size(), stride})),
      noise(noise_weights(text.counts)),
      keep(keep_thresholds(text, chosen.sample)) {
  input_rows = inputs.mutable_data<float>();
  output_rows = {outputs.mutable_data<float>(), stride, nullptr, nullptr};
  if (!chosen.nce) return;
  const std::vector<double> probabilities = noise.probabilities();
  biases = zeros({text.size()});
  log_noise = zeros({text.size()});
  float* const bias = biases.mutable_data<float>();
  float* const log = log_noise.mutable_data<float>();
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    bias[i] =
        static_cast<float>(std::log(static_cast<double>(text.counts[i]) / static_cast<double>(text.known)));
    log[i] = static_cast<float>(std::log(static_cast<double>(chosen.negative) * probabilities[i]));
  }
  output_rows.biases = bias;
  output_rows.log_noise = log;
}

double Shared::rate_at(std::int64_t words) const {
  const double all = static_cast<double>(lexicon.known) * static_cast<double>(options.epochs);
  return rate * std::max(kLeastRate, 1.0 - static_cast<double>(words) / all);
}

Learner::Learner(Shared& shared)
    : shared_(shared),
      random_({}),
      window_(static_cast<std::uint32_t>(shared.options.window)),
      contrasted_(static_cast<int>(shared.options.negative) + 1),
      queue_(kQueue * static_cast<std::size_t>(contrasted_ + 1)),
      hidden_(zeros({shared.stride})),
      change_(zeros({shared.stride})),
      looks_(static_cast<bool>(shared.options.events)) {
  line_.reserve(kLongestLine);
}

void Learner::learn(std::string_view piece, kernels::RandomKey key) {
  random_ = RandomWords(key);
  seen_ = 0;
  std::size_t known = 0;
  const auto end_line = [&] {
    learn_line();
    known = 0;
  };
  walk_words(
      piece,
      [&](std::string_view text) {
        const std::uint32_t word = shared_.lexicon.table.find(text);
        if (word == WordTable::kNone) return;
        ++seen_;
        const std::uint32_t keep = shared_.keep[word];
        if (keep == kAlways || random_.next() < keep) line_.push_back(word);
        if (++known == kLongestLine) end_line();
      },
      end_line);
  learn_line();
  flush();
  shared_.done.fetch_add(seen_, std::memory_order_relaxed);
}

void Learner::learn_line() {
  if (line_.size() > 1) {
    shared_.learned.store(true, std::memory_order_relaxed);
    rate_ = static_cast<float>(shared_.rate_at(shared_.done.load(std::memory_order_relaxed) + seen_));
    if (shared_.options.cbow) {
      learn_bags();
    } else {
      learn_pairs();
    }
  }
  line_.clear();
}

void Learner::draw_noise(std::uint32_t* to) {
  for (int j = 1; j < contrasted_; ++j) *to++ = shared_.noise(random_.next_wide());
}

// A step of so many rows is done.
void Learner::give_up_if_asked(std::int64_t rows) {
  worked_ += rows * shared_.stride;
  if (worked_ < kBetweenAsking) return;
  worked_ = 0;
  give_up_if(shared_.options.cancelled);
}

void Learner::note(float loss) {
  losses_.sum += static_cast<double>(loss);
  ++losses_.count;
}

LossSum Learner::take_losses() {
  const LossSum taken = losses_;
  losses_ = {};
  return taken;
}

void Learner::learn_pairs() {
  const auto words = static_cast<std::int64_t>(line_.size());
  const auto width = static_cast<std::size_t>(contrasted_ + 1);
  for (std::int64_t at = 0; at < words; ++at) {
    const std::int64_t reach = 1 + random_.below(window_);
    const std::int64_t end = std::min(words, at + reach + 1);
    for (std::int64_t other = std::max<std::int64_t>(0, at - reach); other < end; ++other) {
      if (other == at) continue;
      if (queued_ == kQueue) flush();
      std::uint32_t* const pair = queue_.data() + queued_ * width;
      pair[0] = line_[static_cast<std::size_t>(at)];
      pair[1] = line_[static_cast<std::size_t>(other)];
      draw_noise(pair + 2);
      ++queued_;
    }
  }
}

// The rows of a pair are asked for while those before it are at work.
void Learner::flush() {
  const std::int64_t stride = shared_.stride;
  const auto width = static_cast<std::size_t>(contrasted_ + 1);
  const auto prefetch = [&](std::size_t pair) {
    if (pair >= queued_) return;
    const std::uint32_t* const words = queue_.data() + pair * width;
    prefetch_row(shared_.input_rows + words[0] * stride, stride);
    for (std::size_t j = 1; j < width; ++j)
      prefetch_row(shared_.output_rows.rows + words[j] * stride, stride);
  };
  prefetch(0);
  for (std::size_t pair = 0; pair < queued_; ++pair) {
    prefetch(pair + 1);
    const std::uint32_t* const words = queue_.data() + pair * width;
    const bool wants = wants_loss();
    const float loss = contrast_step(shared_.output_rows, {words + 1, contrasted_}, rate_,
                                     shared_.input_rows + words[0] * stride, nullptr, wants);
    if (wants) note(loss);
    give_up_if_asked(contrasted_ + 1);
  }
  queued_ = 0;
}

void Learner::learn_bags() {
  const auto words = static_cast<std::int64_t>(line_.size());
  const std::int64_t stride = shared_.stride;
  float* const hidden = hidden_.mutable_data<float>();
  float* const change = change_.mutable_data<float>();
  std::vector<std::uint32_t> around(2 * static_cast<std::size_t>(window_));
  for (std::int64_t at = 0; at < words; ++at) {
    const std::int64_t reach = 1 + random_.below(window_);
    const std::int64_t end = std::min(words, at + reach + 1);
    int count = 0;
    for (std::int64_t other = std::max<std::int64_t>(0, at - reach); other < end; ++other) {
      if (other != at) around[static_cast<std::size_t>(count++)] = line_[static_cast<std::size_t>(other)];
    }
    queue_[0] = line_[static_cast<std::size_t>(at)];
    draw_noise(queue_.data() + 1);
    for (int j = 0; j < contrasted_; ++j)
      prefetch_row(shared_.output_rows.rows + queue_[static_cast<std::size_t>(j)] * stride, stride);
    mean_of_rows(shared_.input_rows, stride, around.data(), count, hidden);
    const bool wants = wants_loss();
    const float loss =
        contrast_step(shared_.output_rows, {queue_.data(), contrasted_}, rate_, hidden, change, wants);
    if (wants) note(loss);
    spread_over_rows(shared_.input_rows, stride, around.data(), count, change);
    give_up_if_asked(contrasted_ + 2 * count);
  }
}

}  // namespace likely::words
