// Where rows of data come from.
#pragma once

#include <cstdint>
#include <span>

#include "likely/core/parts.hpp"
#include "likely/core/tensor.hpp"

namespace likely::data {

// Some rows of a dataset, along axis 0 of both tensors. y is empty (not defined) where there are no targets.
struct Batch {
  Tensor x, y;

  // The number of rows.
  std::int64_t size() const { return x.dim(0); }
  LIKELY_PARTS(x, y)
};

// Derive from this to bring your own data. Both functions are const and may be called from another thread
// (prefetching does), also by several at a time.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source();

  // The number of rows.
  virtual std::int64_t size() const = 0;
  // These rows in this order; a row may be asked for twice. Every number lies in [0, size()).
  virtual Batch rows(std::span<const std::int64_t> which) const = 0;
  // The rows first, first + 1, ..., first + count - 1. Override it where that is cheaper than picking them
  // one by one.
  virtual Batch range(std::int64_t first, std::int64_t count) const;
};

// Whether each number is the one before it and 1; false for none.
bool are_consecutive(std::span<const std::int64_t> which);

// Rows of a tensor, copied into a new one: y[i] = x[which[i]]. The numbers are trusted, x is contiguous.
Tensor gather_rows(const Tensor& x, std::span<const std::int64_t> which);

}  // namespace likely::data
