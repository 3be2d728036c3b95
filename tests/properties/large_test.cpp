// The ways that only very large inputs take: whole plain loops would take too long, so samples of them do, or
// the same operation on parts.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "likely/core/create.hpp"
#include "likely/ops/loss.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/rng.hpp"
#include "likely/ops/softmax.hpp"
#include "likely/ops/view.hpp"

namespace likely {
namespace {

bool same_bits(const Tensor& a, const Tensor& b) {
  const Tensor dense_a = a.contiguous();
  const Tensor dense_b = b.contiguous();
  return a.shape() == b.shape() && std::memcmp(dense_a.raw(), dense_b.raw(),
                                               static_cast<std::size_t>(a.size()) * size_of(a.dtype())) == 0;
}

// Beyond 2^28 multiply-adds, where libraries take over.
TEST(LargeInputs, ProductsAgreeWithPlainSumsInSamples) {
  constexpr std::int64_t kSize = 650;
  Rng rng(1);
  for (const DType type : {DType::f32, DType::f64}) {
    const Tensor a = rng.normal({kSize, kSize}, 0.0, 1.0, type);
    const Tensor b = rng.normal({kSize, kSize}, 0.0, 1.0, type);
    const std::vector<double> of_a = a.to_vector<double>(), of_b = b.to_vector<double>();
    const double rounding = type == DType::f32 ? 0x1p-24 : 0x1p-53;
    for (const bool turn_a : {false, true}) {
      for (const bool turn_b : {false, true}) {
        const Tensor c = matmul(turn_a ? transpose(a) : a, turn_b ? transpose(b) : b);
        const std::vector<double> computed = c.to_vector<double>();
        for (std::int64_t sample = 0; sample < 97; ++sample) {
          const std::int64_t i = sample * 389 % kSize, j = sample * 71 % kSize;
          double sum = 0, magnitude = 0;
          for (std::int64_t l = 0; l < kSize; ++l) {
            const double term = of_a[static_cast<std::size_t>(turn_a ? l * kSize + i : i * kSize + l)] *
                                of_b[static_cast<std::size_t>(turn_b ? j * kSize + l : l * kSize + j)];
            sum += term;
            magnitude += std::abs(term);
          }
          ASSERT_NEAR(computed[static_cast<std::size_t>(i * kSize + j)], sum, 8 * rounding * magnitude)
              << i << ", " << j << (turn_a ? ", a transposed" : "") << (turn_b ? ", b transposed" : "");
        }
      }
    }
  }
}

// Beyond 8 MB results are written around the caches.
TEST(LargeInputs, RowsAreWhatFewerRowsGive) {
  constexpr std::int64_t kRows = 2112, kColumns = 1001;
  const Tensor x = Rng(2).normal({kRows, kColumns});
  const Tensor g = Rng(3).normal({kRows, kColumns});
  const Range first{.stop = kRows / 2};
  const Range second{.start = kRows / 2};
  const auto expect_parts = [&](const char* name,
                                const std::function<Tensor(const Tensor&, const Tensor&)>& f) {
    const Tensor whole = f(x, g);
    for (const Range& part : {first, second}) {
      EXPECT_TRUE(same_bits(slice(whole, 0, part), f(slice(x, 0, part), slice(g, 0, part)))) << name;
    }
  };
  expect_parts("softmax", [](const Tensor& a, const Tensor&) { return softmax(a); });
  expect_parts("log_softmax", [](const Tensor& a, const Tensor&) { return log_softmax(a); });
  expect_parts("softmax_gradient", softmax_gradient);
  expect_parts("log_softmax_gradient", log_softmax_gradient);
  expect_parts("softmax_cross_entropy", [](const Tensor& a, const Tensor& b) {
    return softmax_cross_entropy(a, softmax(b), {.reduction = Reduction::none});
  });
}

TEST(LargeInputs, TransposesAreCopiedElementByElement) {
  constexpr std::int64_t kRows = 1511, kColumns = 1499;
  const Tensor x = Rng(4).normal({kRows, kColumns});
  const Tensor y = contiguous(transpose(x));
  const float* const from = x.data<float>();
  const float* const to = y.data<float>();
  for (std::int64_t i = 0; i < kRows; ++i) {
    for (std::int64_t j = 0; j < kColumns; ++j)
      ASSERT_EQ(to[j * kRows + i], from[i * kColumns + j]) << i << ", " << j;
  }
}

}  // namespace
}  // namespace likely
