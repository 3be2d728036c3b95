// IDX: the format of MNIST. Big-endian arrays of up to 8 dimensions, plain or packed with gzip.
#pragma once

#include <filesystem>
#include <optional>

#include "likely/core/tensor.hpp"
#include "likely/data/dataset.hpp"

namespace likely::io {

// Whole numbers become i64, fractions f32 or f64, or all of them the type asked for. Refuses, naming the
// file, a header that is none and a length that does not fit it.
Tensor load_idx(const std::filesystem::path& path, std::optional<DType> dtype = {});

struct MnistOptions {
  bool flat = true;  // x is (rows, 784), else (rows, 1, 28, 28)
};
struct Mnist {
  data::Dataset train, test;
};
// The four files of MNIST (or Fashion-MNIST) in a folder, packed or not: x from 0 to 1, y the labels.
Mnist load_mnist(const std::filesystem::path& folder, const MnistOptions& options = {});

}  // namespace likely::io
