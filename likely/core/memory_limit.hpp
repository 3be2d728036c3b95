// A limit to what a piece of work may take: for what is made in sizes that somebody else's file announces.
#pragma once

#include <cstdint>

namespace likely {

// While one lives, the tensors that this thread makes may take so many bytes in all, those included that are
// given up meanwhile; the one that would take more is refused as if there were no memory left. Inside another
// one the smaller limit counts, and what is taken counts for both.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::int64_t bytes);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

  // Whether a tensor was refused.
  bool exceeded() const;

 private:
  std::int64_t outer_;  // what was left when this one began
  std::int64_t bytes_;
  bool outer_exceeded_;
};

}  // namespace likely
