#include "likely/kernels/gemm/zeros.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "likely/core/threads.hpp"

namespace likely::kernels {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Sizes {
  bool transpose_a, transpose_b;
  std::int64_t m, n, k;
  std::int64_t padding = 0;  // added to each leading dimension
};

// The matrices of a product, a given share of A nonzero.
struct Matrices {
  Sizes sizes;
  std::vector<float> a, b, bias, c;

  Matrices(const Sizes& s, double density) : sizes(s) {
    std::mt19937 generator(7);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::bernoulli_distribution kept(density);
    const auto fill = [&](std::vector<float>& values, std::int64_t count) {
      values.resize(static_cast<std::size_t>(count));
      for (float& value : values) value = uniform(generator);
    };
    fill(a, (s.transpose_a ? s.k : s.m) * lda());
    fill(b, (s.transpose_b ? s.n : s.k) * ldb());
    fill(bias, s.n);
    fill(c, s.m * (s.n + s.padding));
    for (float& value : a) value = kept(generator) ? value : std::copysign(0.0F, value);
  }
  std::int64_t lda() const { return (sizes.transpose_a ? sizes.m : sizes.k) + sizes.padding; }
  std::int64_t ldb() const { return (sizes.transpose_b ? sizes.k : sizes.n) + sizes.padding; }
  float& at_a(std::int64_t row, std::int64_t k) {
    return a[static_cast<std::size_t>(sizes.transpose_a ? k * lda() + row : row * lda() + k)];
  }
  float& at_b(std::int64_t k, std::int64_t column) {
    return b[static_cast<std::size_t>(sizes.transpose_b ? column * ldb() + k : k * ldb() + column)];
  }
  Product<float> product(std::vector<float>& result) const {
    result = c;
    return {.transpose_a = sizes.transpose_a,
            .transpose_b = sizes.transpose_b,
            .m = sizes.m,
            .n = sizes.n,
            .k = sizes.k,
            .alpha = 1,
            .a = a.data(),
            .lda = lda(),
            .b = b.data(),
            .ldb = ldb(),
            .beta = 0,
            .c = result.data(),
            .ldc = sizes.n + sizes.padding};
  }
};

bool same_bits(const std::vector<float>& x, const std::vector<float>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

// Compares with the loops that skip nothing, which gemm_test compares with a plain sum.
void expect_same_bits(const Matrices& matrices, float alpha, float beta, const Finish<float>& finish,
                      const Part& part) {
  const Sizes& s = matrices.sizes;
  SCOPED_TRACE(testing::Message() << (s.transpose_a ? "T" : "N") << (s.transpose_b ? "T" : "N") << " " << s.m
                                  << "x" << s.n << "x" << s.k << " alpha " << alpha << " beta " << beta
                                  << " relu " << finish.relu);
  std::vector<float> expected;
  std::vector<float> found;
  const auto with = [&](Product<float> p) {
    p.alpha = alpha;
    p.beta = beta;
    p.finish = finish;
    return p;
  };
  multiply_part(with(matrices.product(expected)), part);
  multiply_part_skipping_zeros(with(matrices.product(found)), part);
  EXPECT_TRUE(same_bits(found, expected));
}

TEST(GemmZerosTest, GivesTheBitsOfTheLoopsThatSkipNothing) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      for (const Sizes& sizes :
           {Sizes{transpose_a, transpose_b, 40, 64, 33}, Sizes{transpose_a, transpose_b, 37, 101, 100, 3},
            Sizes{transpose_a, transpose_b, 150, 131, 300, 1}, Sizes{transpose_a, transpose_b, 33, 500, 513},
            Sizes{transpose_a, transpose_b, 1, 1, 1}, Sizes{transpose_a, transpose_b, 17, 5, 2}}) {
        for (const double density : {0.0, 0.5, 1.0}) {
          const Matrices matrices(sizes, density);
          expect_same_bits(matrices, 1, 0, {}, {0, sizes.m, 0, sizes.n});
        }
      }
    }
  }
}

TEST(GemmZerosTest, ScalesAddsAndFinishes) {
  const Matrices matrices({false, true, 45, 77, 280, 2}, 0.5);
  const Part all{0, 45, 0, 77};
  expect_same_bits(matrices, 0.5F, 2, {}, all);
  expect_same_bits(matrices, 1, 1, {.bias = matrices.bias.data()}, all);
  expect_same_bits(matrices, 1, 0, {.bias = matrices.bias.data(), .relu = true}, all);
  expect_same_bits(matrices, -1, 0, {.relu = true}, all);
}

// More columns than a panel of B has: each panel, and each block of panels, has its own piece of the bias.
TEST(GemmZerosTest, FinishesEachPanelWithItsOwnBias) {
  for (const bool transpose : {false, true}) {
    const Matrices matrices({transpose, transpose, 64, 512, 300}, 0.5);
    const Part all{0, 64, 0, 512};
    expect_same_bits(matrices, 1, 0, {.bias = matrices.bias.data()}, all);
    expect_same_bits(matrices, 1, 0.5F, {.bias = matrices.bias.data(), .relu = true}, all);
    expect_same_bits(matrices, 1, 0, {.bias = matrices.bias.data()}, {3, 40, 120, 370});
  }
}

TEST(GemmZerosTest, ComputesOnePartAndNothingElse) {
  for (const bool transpose : {false, true}) {
    const Matrices matrices({transpose, transpose, 90, 150, 60}, 0.5);
    expect_same_bits(matrices, 1, 0, {}, {24, 31, 48, 67});
    expect_same_bits(matrices, 1, 0, {.bias = matrices.bias.data()}, {5, 1, 149, 1});
  }
}

// Zero times infinity is NaN, and so is zero times NaN, wherever they stand.
TEST(GemmZerosTest, InfinitiesAndNaNSpread) {
  for (const bool transpose : {false, true}) {
    const Sizes sizes{transpose, transpose, 70, 101, 530};
    struct Place {
      std::int64_t k, column;
      float value;
    };
    for (const Place& place : {Place{0, 0, kInfinity}, Place{529, 100, -kInfinity}, Place{270, 96, kNaN}}) {
      Matrices matrices(sizes, 0.5);
      matrices.at_b(place.k, place.column) = place.value;
      matrices.at_a(11, place.k) = 0;
      matrices.at_a(12, place.k) = 1;
      matrices.at_a(33, 40) = kNaN;
      std::vector<float> c;
      multiply_part_skipping_zeros(matrices.product(c), {0, sizes.m, 0, sizes.n});
      const auto at = [&](std::int64_t row, std::int64_t column) {
        return c[static_cast<std::size_t>(row * sizes.n + column)];
      };
      EXPECT_TRUE(std::isnan(at(11, place.column)));
      if (std::isnan(place.value)) {
        EXPECT_TRUE(std::isnan(at(12, place.column)));
      } else {
        EXPECT_EQ(at(12, place.column), place.value);
      }
      std::int64_t not_finite = 0;
      for (std::int64_t row = 0; row < sizes.m; ++row) {
        for (std::int64_t column = 0; column < sizes.n; ++column) {
          if (row == 33) {
            EXPECT_TRUE(std::isnan(at(row, column)));
          } else {
            not_finite += !std::isfinite(at(row, column));
          }
        }
      }
      EXPECT_EQ(not_finite, sizes.m - 1);
    }
  }
}

TEST(GemmZerosTest, IsWorthItForManyZerosInALargeProduct) {
  std::vector<float> c;
  const auto worth = [&](const Sizes& sizes, double density) {
    const Matrices matrices(sizes, density);
    return worth_skipping_zeros(matrices.product(c));
  };
  for (const bool transpose_a : {false, true}) {
    EXPECT_TRUE(worth({transpose_a, false, 128, 512, 512}, 0.5));
    EXPECT_TRUE(worth({transpose_a, true, 100, 100, 100}, 0.1));
    EXPECT_FALSE(worth({transpose_a, false, 128, 512, 512}, 0.9));
    EXPECT_FALSE(worth({transpose_a, true, 128, 512, 512}, 1));
    EXPECT_FALSE(worth({transpose_a, false, 8, 512, 512}, 0.5));
    EXPECT_FALSE(worth({transpose_a, false, 128, 10, 512}, 0.5));
  }
}

// What the sum is, by a plain loop, through the door that users take; and the same bits on all threads.
TEST(GemmZerosTest, ProductsWithZerosAreRightOnAnyNumberOfThreads) {
  const int saved = threads();
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      const Sizes s{transpose_a, transpose_b, 130, 210, 270};
      Matrices matrices(s, 0.5);
      const auto run = [&](int count) {
        set_threads(count);
        std::vector<float> c(static_cast<std::size_t>(s.m * s.n), kNaN);
        gemm(transpose_a, transpose_b, s.m, s.n, s.k, 1, matrices.a.data(), matrices.lda(), matrices.b.data(),
             matrices.ldb(), 0, c.data(), s.n);
        return c;
      };
      const std::vector<float> c = run(1);
      EXPECT_TRUE(same_bits(run(2), c));
      EXPECT_TRUE(same_bits(run(3), c));
      double worst = 0;
      for (std::int64_t row = 0; row < s.m; row += 3) {
        for (std::int64_t column = 0; column < s.n; ++column) {
          double sum = 0;
          for (std::int64_t k = 0; k < s.k; ++k) {
            sum += static_cast<double>(matrices.at_a(row, k)) * static_cast<double>(matrices.at_b(k, column));
          }
          const double found = c[static_cast<std::size_t>(row * s.n + column)];
          worst = std::max(worst, std::fabs(found - sum));
        }
      }
      EXPECT_LT(worst, 1e-5);
    }
  }
  set_threads(saved);
}

}  // namespace
}  // namespace likely::kernels
