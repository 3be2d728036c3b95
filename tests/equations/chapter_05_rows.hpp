// What the tests of chapter 5 share: six rows, the normal density, and the networks of worked examples.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include "likely/core/create.hpp"
#include "likely/models/book/book.hpp"
#include "tests/support/golden.hpp"

namespace likely::book {

inline const std::vector<double> kX{-1.0, -0.4, 0.1, 0.7, 1.3, 2.0};
inline const std::vector<double> kY{-0.3, 0.4, 0.2, 1.1, 0.9, 1.8};
inline constexpr std::int64_t kRows = 6;
inline Tensor x_data() { return tensor(kX); }
inline Tensor y_data() { return tensor(kY); }

inline Tensor number(double value) { return tensor(value, DType::f64); }

inline double normal_density(double y, double mean, double variance) {
  return std::exp(-(y - mean) * (y - mean) / (2.0 * variance)) / std::sqrt(2.0 * std::numbers::pi * variance);
}

// The network of a worked example: b0, w0, b1, w1.
inline ShallowNetwork golden_network(const std::filesystem::path& file, const std::string& example) {
  const std::vector<double> w0 = testing::golden_numbers(file, example + "/w0"),
                            w1 = testing::golden_numbers(file, example + "/w1/0");
  const auto units = static_cast<std::int64_t>(w0.size());
  return {layer_of(tensor(w0, {units, 1}), tensor(testing::golden_numbers(file, example + "/b0")),
                   Activation::relu),
          layer_of(tensor(w1, {1, units}), tensor(testing::golden_numbers(file, example + "/b1")))};
}
inline Tensor golden_column(const std::filesystem::path& file, const std::string& pointer) {
  const std::vector<double> values = testing::golden_numbers(file, pointer);
  return tensor(values, {static_cast<std::int64_t>(values.size()), 1});
}

}  // namespace likely::book
