// Dataset: rows to learn from, and how they are picked, joined and prepared.
//
//   data::Dataset digits(images, labels);
//   const auto parts = digits.split({0.8, 0.2}, rng.split());
//   for (const auto& [x, y] : parts[0].batches(100, rng.split())) { ... }
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "likely/data/source.hpp"
#include "likely/ops/rng.hpp"

namespace likely::data {

class Batches;

struct BatchOptions {
  bool drop_last = false;     // leaves out a last batch that is smaller than the others
  std::int64_t prefetch = 0;  // how many batches a background thread prepares ahead; 0: none
};

// A value: a cheap handle to rows that nobody can change. Everything below gives a new Dataset; rows are only
// read when a batch is asked for.
class Dataset {
 public:
  using Map = std::function<Batch(Batch)>;
  using Augmentation = std::function<Batch(Batch, Rng)>;

  // Rows along axis 0. Refuses a scalar, and another number of rows in y.
  explicit Dataset(const Tensor& x);
  Dataset(const Tensor& x, const Tensor& y);
  // Data of your own.
  explicit Dataset(std::shared_ptr<const Source> source);

  std::int64_t size() const;
  // These rows, in this order. Refuses a number outside [0, size()).
  Batch rows(std::span<const std::int64_t> which) const;
  Batch rows(std::initializer_list<std::int64_t> which) const;
  // Consecutive rows: a view without a copy where the data are tensors in their own order.
  Batch range(std::int64_t first, std::int64_t count) const;
  Batch all() const;
  // y of all rows. Reads x in pieces where it does not lie in memory.
  Tensor targets() const;

  // Some rows. A row may be named twice (bootstrap).
  Dataset subset(std::span<const std::int64_t> which) const;
  Dataset subset(std::initializer_list<std::int64_t> which) const;
  // The consecutive rows from `first` on.
  Dataset subset(std::int64_t first, std::int64_t count) const;
  // All rows in another order, the same in every epoch.
  Dataset shuffle(Rng rng) const;
  // Disjoint parts of these fractions of the rows, which must add up to 1: by chance, or in order (the first
  // rows go to the first part). Sizes are rounded so that every row lies in one part.
  std::vector<Dataset> split(const std::vector<double>& fractions, Rng rng) const;
  std::vector<Dataset> split(const std::vector<double>& fractions) const;

  // f is applied to every batch when it is read. It must keep the number of rows.
  Dataset map(Map f) const;
  // f(batch, rng) is applied to the batches of shuffled epochs only, with a random key that is made from the
  // epoch's key and the number of the batch: rows(), all() and batches in order, as used for evaluation, stay
  // as they are.
  Dataset augment(Augmentation f) const;
  // Other targets for the same rows: y[i] for row i. Refuses an augmented dataset.
  Dataset with_targets(const Tensor& y) const;

  // In order.
  Batches batches(std::int64_t size, const BatchOptions& options = {}) const;
  // In an order that depends on rng alone.
  Batches batches(std::int64_t size, Rng rng, const BatchOptions& options = {}) const;

 private:
  friend class Batches;
  friend Dataset concat(const std::vector<Dataset>& parts);

  struct Stage {  // one of the two is set
    Map map;
    Augmentation augment;
  };

  // The batch of these rows; augmented where there is a key.
  Batch prepare(std::span<const std::int64_t> which, const Rng* key) const;
  // These rows of the source.
  Batch read(std::span<const std::int64_t> which) const;
  void check_not_augmented(const char* operation) const;
  // The maps and augmentations.
  Batch finish(Batch batch, const Rng* key) const;

  std::shared_ptr<const Source> source_;
  std::shared_ptr<const std::vector<std::int64_t>> selection_;  // null: all rows of the source in order
  std::vector<Stage> stages_;
};

// The rows of all of them, one after the other. Refuses an empty list and augmented parts: augment what was
// joined.
Dataset concat(const std::vector<Dataset>& parts);

}  // namespace likely::data
