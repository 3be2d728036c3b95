#include "likely/data/feed.hpp"

#include <memory>

namespace likely::data {

Feed<Batch> feed(const Dataset& dataset, const FeedOptions& options) {
  const BatchOptions how{.drop_last = options.drop_last, .prefetch = options.prefetch};
  const auto epoch = [dataset, options, how](Rng key) {
    return options.shuffle ? dataset.batches(options.batch, key, how) : dataset.batches(options.batch, how);
  };
  return {dataset.batches(options.batch, how).size(), [epoch](Rng key, std::int64_t first) {
            const auto next = std::make_shared<Batches::Iterator>(epoch(key).skip(first).begin());
            return [next, begun = false]() mutable -> Batch {
              if (begun) ++*next;
              begun = true;
              if (*next == std::default_sentinel) refuse("feed", "the epoch has no more batches");
              return **next;
            };
          }};
}

}  // namespace likely::data
