#include "likely/data/batches.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "likely/data/prefetcher.hpp"

namespace likely::data {

Batches::Batches(Dataset dataset, std::int64_t size, std::optional<Rng> rng, const BatchOptions& options)
    : dataset_(std::move(dataset)), batch_(size), prefetch_(options.prefetch) {
  if (size < 1) refuse("batches", "a batch needs at least one row, got size " + std::to_string(size));
  if (options.prefetch < 0) {
    refuse("batches", "prefetch must not be negative, got " + std::to_string(options.prefetch));
  }
  const std::int64_t rows = dataset_.size();
  count_ = options.drop_last ? rows / size : (rows + size - 1) / size;
  if (!rng.has_value()) return;
  order_ = rng->permutation(rows);
  keys_ = rng->split();
}

Batch Batches::operator[](std::int64_t number) const {
  if (number < 0 || number >= count_) {
    refuse("batches", "batch " + std::to_string(number) + " is out of range for " + std::to_string(count_));
  }
  const std::int64_t begin = (first_ + number) * batch_;
  const std::int64_t rows = std::min(batch_, dataset_.size() - begin);
  if (!order_.defined()) return dataset_.range(begin, rows);
  const Rng key = keys_->fold_in(static_cast<std::uint64_t>(first_ + number));
  return dataset_.prepare({order_.data<std::int64_t>() + begin, static_cast<std::size_t>(rows)}, &key);
}

Batches Batches::skip(std::int64_t batches) const {
  if (batches < 0 || batches > count_) {
    refuse("batches",
           "cannot skip " + std::to_string(batches) + " of " + std::to_string(count_) + " batches");
  }
  Batches rest = *this;
  rest.first_ += batches;
  rest.count_ -= batches;
  return rest;
}

Batches::Iterator Batches::begin() const { return Iterator(std::make_shared<const Batches>(*this)); }

Batches::Iterator::Iterator(std::shared_ptr<const Batches> batches) : batches_(std::move(batches)) {
  if (batches_->prefetch_ > 0 && batches_->count_ > 0) {
    prefetcher_ =
        std::make_shared<Prefetcher>(batches_->count_, batches_->prefetch_,
                                     [all = batches_](std::int64_t number) { return (*all)[number]; });
  }
  ++*this;
}

Batches::Iterator& Batches::Iterator::operator++() {
  current_ = {};  // its memory may serve the next batch
  if (next_ < batches_->count_) {
    current_ = prefetcher_ != nullptr ? prefetcher_->next() : (*batches_)[next_];
  }
  ++next_;
  return *this;
}

}  // namespace likely::data
