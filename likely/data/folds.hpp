// Cross-validation: every row is held out once.
#pragma once

#include <cstdint>
#include <vector>

#include "likely/data/dataset.hpp"

namespace likely::data {

struct Fold {
  Dataset train, validation;
};

// The rows in random order, cut into k parts whose sizes differ by at most one; fold i holds out part i.
// Refuses k < 2 and k > rows.
std::vector<Fold> k_fold(const Dataset& dataset, std::int64_t k, Rng rng);

}  // namespace likely::data
