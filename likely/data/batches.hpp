// Batches: one epoch of a dataset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>

#include "likely/data/dataset.hpp"

namespace likely::data {

class Prefetcher;

// What Dataset::batches gives: a range to loop over, as often as you like, always in the same order.
//
//   for (const auto& [x, y] : train.batches(100, rng.split(), {.prefetch = 2})) { ... }
//
// The order and the augmentation depend on the key alone, never on prefetching or on threads.
class Batches {
 public:
  class Iterator;

  // The number of batches.
  std::int64_t size() const { return count_; }
  // One of them, by number.
  Batch operator[](std::int64_t number) const;
  // The same epoch without its first batches: how an interrupted one goes on.
  Batches skip(std::int64_t batches) const;

  Iterator begin() const;
  std::default_sentinel_t end() const { return {}; }

 private:
  friend class Dataset;
  Batches(Dataset dataset, std::int64_t size, std::optional<Rng> rng, const BatchOptions& options);

  Dataset dataset_;
  std::int64_t batch_;
  std::int64_t count_;
  std::int64_t first_ = 0;  // the number of the first batch in its epoch
  std::int64_t prefetch_;
  Tensor order_;             // of the rows; empty: as they are
  std::optional<Rng> keys_;  // for augmentation
};

// An input iterator. While one with prefetching is alive, so is its thread; an exception of the source or of
// a map arrives where its batch would have been.
class Batches::Iterator {
 public:
  using value_type = Batch;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::input_iterator_tag;

  const Batch& operator*() const { return current_; }
  const Batch* operator->() const { return &current_; }
  Iterator& operator++();
  void operator++(int) { ++*this; }
  friend bool operator==(const Iterator& a, std::default_sentinel_t) { return a.next_ > a.batches_->size(); }

 private:
  friend class Batches;
  explicit Iterator(std::shared_ptr<const Batches> batches);

  std::shared_ptr<const Batches> batches_;
  std::shared_ptr<Prefetcher> prefetcher_;
  std::int64_t next_ = 0;  // the number of the batch behind the current one
  Batch current_;
};

}  // namespace likely::data
