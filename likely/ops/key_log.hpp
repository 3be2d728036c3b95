// The random keys that layers take while a function runs, so that running it again gives the same numbers.
// Only for ops/, autodiff/, nn/ and train/: checkpoint() and Training.
#pragma once

#include <cstddef>
#include <vector>

#include "likely/ops/rng.hpp"

namespace likely::detail {

struct KeyLog {
  std::vector<Rng> keys{};
};

// While it lives, every key that this thread takes is written down; one inside another gets its keys, too.
class RecordKeys {
 public:
  explicit RecordKeys(KeyLog& log);
  ~RecordKeys();
  RecordKeys(const RecordKeys&) = delete;
  RecordKeys& operator=(const RecordKeys&) = delete;

 private:
  friend Rng taken_key(Rng made);
  KeyLog& log_;
  RecordKeys* outer_;
};

// While it lives, this thread is handed the keys of the log, in their order, instead of new ones. Beyond its
// end they are new again.
class ReplayKeys {
 public:
  explicit ReplayKeys(const KeyLog& log);
  ~ReplayKeys();
  ReplayKeys(const ReplayKeys&) = delete;
  ReplayKeys& operator=(const ReplayKeys&) = delete;

 private:
  friend Rng taken_key(Rng made);
  const KeyLog& log_;
  std::size_t next_ = 0;
  ReplayKeys* outer_;
};

// The key that is to be used in place of a new one.
Rng taken_key(Rng made);

}  // namespace likely::detail
