// How probable sets of samples without replacement are. Internal to prob/expectation.
#pragma once

#include <cstdint>

#include "likely/core/tensor.hpp"

namespace likely::detail {

// The most elements of a set: all its subsets are gone through, for every pair of its elements.
inline constexpr std::int64_t kMostOfASet = 10;

// Of a set S that was drawn from D, in whatever order, with p^D(S) its probability (Kool et al. 2020):
struct SetRatios {
  Tensor without_one;  // (k, batch): p^{D - s}(S - s) / p^D(S)
  Tensor without_two;  // (k, k, batch): p^{D - s - t}(S - s - t) / p^{D - s}(S - s), and 1 where s is t
};

// `p` (k, batch) are the probabilities of the elements, `rest` (batch) that of all that is not in the set;
// f64.
SetRatios set_ratios(const Tensor& p, const Tensor& rest);

}  // namespace likely::detail
