// What the MNIST-1D recipes learn from.
#pragma once

#include "likely/runs/supervised.hpp"

namespace likely::models {

// The published files where --data names their folder; else 4,000 + 1,000 curves made by the published
// recipe.
runs::Splits mnist1d_splits(const runs::Run& run, Rng rng);

// What --data takes.
inline constexpr const char* kMnist1dDataHelp =
    "folder with mnist1d_train.csv and mnist1d_test.csv (or .csv.gz)";
inline constexpr const char* kMnist1dData = "MNIST-1D, generated";

}  // namespace likely::models
