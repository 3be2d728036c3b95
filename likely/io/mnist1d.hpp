// The published files of MNIST-1D.
#pragma once

#include <filesystem>

#include "likely/data/mnist1d.hpp"

namespace likely::io {

// mnist1d_train.csv and mnist1d_test.csv in a folder, packed with gzip or not: the label and then the 40
// numbers of a curve. Refuses, naming the file, one that is missing or has other columns.
data::Mnist1d load_mnist1d(const std::filesystem::path& folder);

}  // namespace likely::io
