// Parts of a data set that look like the whole: each has its share of every class, or of small and large
// targets.
#pragma once

#include <cstdint>
#include <vector>

#include "likely/core/tensor.hpp"
#include "likely/ops/rng.hpp"

namespace likely::data {

// The rows, sorted by their targets (equal ones in random order), are dealt out in rounds of k, each round in
// random order: the k parts differ by at most one row in size, and by at most one in the number of rows up to
// any target. Row numbers in ascending order. Refuses targets that are not one number a row, k < 2, k > rows.
std::vector<std::vector<std::int64_t>> stratified_parts(const Tensor& targets, std::int64_t k, Rng rng);

// A random sample of floor(fraction * rows) rows, one from each of as many equal stretches of the sorted
// rows, and the rest; ascending. Refuses a fraction that leaves either without rows.
struct Sample {
  std::vector<std::int64_t> chosen, rest;
};
Sample stratified_sample(const Tensor& targets, double fraction, Rng rng);

}  // namespace likely::data
