// A network with everything that makes resuming hard (dropout, running statistics), and data for it.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "likely/likely.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::testing {

struct SmallNetwork {
  nn::Linear first;
  nn::BatchNorm norm;
  nn::Dropout drop;
  nn::Linear out;

  explicit SmallNetwork(Rng rng) : first(4, 16, rng.split()), norm(16), drop(0.3), out(16, 3, rng.split()) {}

  Tensor operator()(const Tensor& x) const { return out(drop(relu(norm(first(x))))); }
  Tensor operator()(const Tensor& x, const Training& training) {
    return out(drop(relu(norm(first(x), training)), training));
  }
  LIKELY_PARTS(first, norm, drop, out)
};

// Three classes by the largest of three of four numbers, of which one is noise.
inline data::Dataset three_classes(std::int64_t rows, std::uint64_t seed) {
  Rng rng(seed);
  const Tensor x = rng.normal({rows, 4});
  return {x, argmax(slice(x, 1, {0, 3}), 1)};
}

inline constexpr auto kCrossEntropy = [](auto& model, const data::Batch& batch, const auto&... training) {
  return softmax_cross_entropy(model(batch.x, training...), batch.y);
};

// Whether two trees hold the same bits.
template <Tree T>
::testing::AssertionResult same_bits(const T& a, const T& b) {
  const std::vector<Part> left = named_parts(a);
  const std::vector<Part> right = named_parts(b);
  if (left.size() != right.size()) return ::testing::AssertionFailure() << "other numbers of parts";
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i].value.defined() != right[i].value.defined())
      return ::testing::AssertionFailure() << left[i].name << " is empty in one of them";
    if (left[i].value.defined() && !array_equal(left[i].value, right[i].value))
      return ::testing::AssertionFailure() << left[i].name << " differs";
  }
  return ::testing::AssertionSuccess();
}

}  // namespace likely::testing
