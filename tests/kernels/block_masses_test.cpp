#include "likely/kernels/softmax/block_masses.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "likely/core/threads.hpp"

namespace likely::kernels {
namespace {

template <class T>
void expect_masses(double tolerance) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const std::int64_t cols : {1, 7, 255, 256, 257, 1000, 5003}) {
    for (const std::int64_t rows : {1, 3, 40}) {
      std::vector<T> x(static_cast<std::size_t>(rows * cols));
      for (T& v : x) v = static_cast<T>(-20.0 * std::abs(normal(random)));
      x[x.size() / 2] = -std::numeric_limits<T>::infinity();
      std::vector<double> found(static_cast<std::size_t>(rows * mass_blocks(cols)));
      block_masses(x.data(), found.data(), rows, cols);
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t b = 0; b < mass_blocks(cols); ++b) {
          double expected = 0.0;
          for (std::int64_t i = kMassBlock * b; i < std::min(cols, kMassBlock * (b + 1)); ++i)
            expected += std::exp(static_cast<double>(x[static_cast<std::size_t>(row * cols + i)]));
          EXPECT_NEAR(found[static_cast<std::size_t>(row * mass_blocks(cols) + b)], expected,
                      tolerance * expected + 1e-37);
        }
      }
    }
  }
}

TEST(BlockMasses, AreSumsOfExponentials) {
  expect_masses<float>(2e-6);
  expect_masses<double>(1e-14);
}

TEST(BlockMasses, HaveNoGoodSumWhereANumberIsNone) {
  for (const float bad : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    std::vector<float> x(600, -7.0F);
    x[300] = bad;
    std::vector<double> found(3);
    block_masses(x.data(), found.data(), 1, 600);
    EXPECT_GT(found[0], 0.0);
    EXPECT_FALSE(std::isfinite(found[1]) && std::abs(found[1]) < 10.0) << found[1];
    EXPECT_GT(found[2], 0.0);
  }
}

}  // namespace
}  // namespace likely::kernels
