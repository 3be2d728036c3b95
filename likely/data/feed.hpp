// Feed: what a training is fed with, epoch by epoch: batches of any type, made from a key and a number.
//
//   data::Feed<data::Batch> rows = data::feed(digits, {.batch = 100});
//   auto windows = data::feed(1000, [&](Rng key, std::int64_t) { return window_of(text, key); });
//
// Nothing of a feed changes: the same key gives the same epoch, from any batch on. That is how a training
// that was interrupted goes on with the batches it would have had.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/data/batches.hpp"
#include "likely/data/dataset.hpp"

namespace likely::data {

template <class BatchType>
class Feed {
 public:
  // Gives the next batch each time it is called, as long as there are any.
  using Next = std::function<BatchType()>;
  // The epoch of a key, from batch number `first` on, counted from 0.
  using Open = std::function<Next(Rng key, std::int64_t first)>;

  // Refuses an epoch without batches.
  Feed(std::int64_t batches, Open open) : batches_(batches), open_(std::move(open)) {
    if (batches < 1) refuse("feed", "an epoch needs at least one batch, got " + std::to_string(batches));
    if (!open_) refuse("feed", "there is no function that makes the batches");
  }

  // The number of batches in an epoch.
  std::int64_t batches() const { return batches_; }
  Next open(Rng key, std::int64_t first = 0) const { return open_(key, first); }

 private:
  std::int64_t batches_;
  Open open_;
};

struct FeedOptions {
  std::int64_t batch = 32;    // rows
  bool shuffle = true;        // another order for every key (and augmentation), or always the data's own
  bool drop_last = false;     // leaves out a last batch that is smaller than the others
  std::int64_t prefetch = 0;  // how many batches a background thread prepares ahead
};

// The rows of a dataset. Refuses one without rows, and sizes that make no batch.
Feed<Batch> feed(const Dataset& dataset, const FeedOptions& options = {});

// Batches that are made one by one: make(key, number), where each batch has a key of its own and numbers
// count from 0 in each epoch.
template <class Make>
requires std::is_invocable_v<const Make&, Rng, std::int64_t>
auto feed(std::int64_t batches, Make make) {
  using BatchType = std::remove_cvref_t<std::invoke_result_t<const Make&, Rng, std::int64_t>>;
  return Feed<BatchType>(batches, [batches, make = std::move(make)](Rng key, std::int64_t first) {
    return [batches, make, key, number = first]() mutable -> BatchType {
      if (number == batches) refuse("feed", "the epoch has no more batches");
      const std::int64_t now = number++;
      return make(key.fold_in(static_cast<std::uint64_t>(now)), now);
    };
  });
}

}  // namespace likely::data
