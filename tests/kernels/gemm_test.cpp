#include "likely/kernels/gemm/gemm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "likely/core/threads.hpp"
#include "likely/kernels/instruction_set.hpp"

namespace likely::kernels {
namespace {

template <class T>
std::vector<T> random_values(std::int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<T> uniform(-1, 1);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = uniform(generator);
  return values;
}

template <class T>
struct Problem {
  bool transpose_a, transpose_b;
  std::int64_t m, n, k;
  std::int64_t padding = 0;  // added to each leading dimension
  T alpha = 1, beta = 0;
  std::int64_t batch = 1;
  bool broadcast_a = false, broadcast_b = false;

  std::int64_t lda() const { return (transpose_a ? m : k) + padding; }
  std::int64_t ldb() const { return (transpose_b ? k : n) + padding; }
  std::int64_t ldc() const { return n + padding; }
  std::int64_t size_a() const { return (transpose_a ? k : m) * lda(); }
  std::int64_t size_b() const { return (transpose_b ? n : k) * ldb(); }
  std::int64_t size_c() const { return m * ldc(); }
};

// Runs the problem and compares each element with a loop in long double; also that padding of C is untouched.
template <class T>
void check(const Problem<T>& p) {
  SCOPED_TRACE(testing::Message() << (p.transpose_a ? "T" : "N") << (p.transpose_b ? "T" : "N") << " " << p.m
                                  << "x" << p.n << "x" << p.k << " padding " << p.padding << " alpha "
                                  << p.alpha << " beta " << p.beta << " batch " << p.batch);
  const std::int64_t stride_a = p.broadcast_a ? 0 : p.size_a();
  const std::int64_t stride_b = p.broadcast_b ? 0 : p.size_b();
  const auto a = random_values<T>(p.size_a() * p.batch + 1, 1);
  const auto b = random_values<T>(p.size_b() * p.batch + 1, 2);
  auto before = random_values<T>(p.size_c() * p.batch + 1, 3);
  if (p.beta == T(0)) before.assign(before.size(), std::numeric_limits<T>::quiet_NaN());
  auto c = before;
  if (p.batch == 1) {
    gemm(p.transpose_a, p.transpose_b, p.m, p.n, p.k, p.alpha, a.data(), p.lda(), b.data(), p.ldb(), p.beta,
         c.data(), p.ldc());
  } else {
    gemm_batched(p.transpose_a, p.transpose_b, p.batch, p.m, p.n, p.k, p.alpha, a.data(), p.lda(), stride_a,
                 b.data(), p.ldb(), stride_b, p.beta, c.data(), p.ldc(), p.size_c());
  }
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < p.batch; ++i) {
    for (std::int64_t row = 0; row < p.m; ++row) {
      for (std::int64_t column = 0; column < p.ldc(); ++column) {
        const auto at = static_cast<std::size_t>(i * p.size_c() + row * p.ldc() + column);
        if (column >= p.n) {
          wrong += p.beta == T(0) ? !std::isnan(c[at]) : c[at] != before[at];
          continue;
        }
        long double sum = 0;
        long double size = 0;
        for (std::int64_t inner = 0; inner < p.k; ++inner) {
          const std::int64_t at_a =
              i * stride_a + (p.transpose_a ? inner * p.lda() + row : row * p.lda() + inner);
          const std::int64_t at_b =
              i * stride_b + (p.transpose_b ? column * p.ldb() + inner : inner * p.ldb() + column);
          const long double term = static_cast<long double>(a[static_cast<std::size_t>(at_a)]) *
                                   static_cast<long double>(b[static_cast<std::size_t>(at_b)]);
          sum += term;
          size += std::fabs(term);
        }
        const long double expected = static_cast<long double>(p.alpha) * sum +
                                     (p.beta == T(0) ? 0 : static_cast<long double>(p.beta * before[at]));
        const long double allowed =
            (size * std::fabs(p.alpha) + 2) * 4 * std::numeric_limits<T>::epsilon() * std::sqrt(p.k + 1.0L);
        wrong += !(std::fabs(static_cast<long double>(c[at]) - expected) <= allowed);
      }
    }
  }
  EXPECT_EQ(wrong, 0);
}

template <class T>
class GemmTest : public testing::Test {};
using ElementTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(GemmTest, ElementTypes);

TYPED_TEST(GemmTest, AllTransposesOfSmallSizes) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      for (const std::int64_t m : {0, 1, 2, 3, 5, 8, 17, 33}) {
        for (const std::int64_t n : {0, 1, 2, 7, 8, 16, 19, 35}) {
          for (const std::int64_t k : {0, 1, 3, 8, 21}) check<TypeParam>({transpose_a, transpose_b, m, n, k});
        }
      }
    }
  }
}

TYPED_TEST(GemmTest, LeadingDimensionsAlphaAndBeta) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      for (const auto& [alpha, beta] : {std::pair{1, 1}, {2, 0}, {-1, 3}, {0, 0}, {0, 2}}) {
        const auto scale = static_cast<TypeParam>(alpha) / 2;
        const auto keep = static_cast<TypeParam>(beta) / 2;
        check<TypeParam>({transpose_a, transpose_b, 13, 9, 5, 3, scale, keep});
        check<TypeParam>({transpose_a, transpose_b, 65, 40, 70, 1, scale, keep});
        check<TypeParam>({transpose_a, transpose_b, 6, 8, 0, 1, scale, keep});
      }
    }
  }
}

// Products that take a way of their own: scalar products, for one or two columns or rows, and the transposed
// result of a tall narrow C. Each keeps what `beta` says of C.
TYPED_TEST(GemmTest, NarrowProductsScaleAndAdd) {
  for (const auto& [alpha, beta] : {std::pair{1, 2}, {3, -1}, {2, 0}}) {
    const auto scale = static_cast<TypeParam>(alpha) / 2;
    const auto keep = static_cast<TypeParam>(beta) / 2;
    for (const bool transpose_b : {false, true}) {
      for (const std::int64_t few : {1, 2}) {
        check<TypeParam>({false, transpose_b, 23, few, 37, 3, scale, keep});
        check<TypeParam>({false, transpose_b, few, 23, 37, 3, scale, keep});
        check<TypeParam>({false, transpose_b, 530, few, 70, 1, scale, keep});
      }
    }
    for (const std::int64_t n : {1, 2, 3, 16}) {
      check<TypeParam>({true, false, 8 * n, n, 21, 2, scale, keep});
      check<TypeParam>({true, false, 400, n, 37, 3, scale, keep});
    }
  }
}

TYPED_TEST(GemmTest, SizesThatAreCutIntoPartsAndChunks) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      check<TypeParam>({transpose_a, transpose_b, 300, 130, 60, 1});
      check<TypeParam>({transpose_a, transpose_b, 70, 600, 53});
      check<TypeParam>({transpose_a, transpose_b, 33, 31, 9001, 0, TypeParam(0.5), TypeParam(2)});
      check<TypeParam>({transpose_a, transpose_b, 1, 700, 300});
      check<TypeParam>({transpose_a, transpose_b, 700, 1, 300});
      check<TypeParam>({transpose_a, transpose_b, 1500, 3, 600, 2});
      check<TypeParam>({transpose_a, transpose_b, 260, 520, 500, 3, TypeParam(2), TypeParam(1)});
    }
  }
}

TYPED_TEST(GemmTest, Batches) {
  for (const bool transpose_b : {false, true}) {
    for (const bool broadcast_a : {false, true}) {
      for (const bool broadcast_b : {false, true}) {
        Problem<TypeParam> p{
            .transpose_a = broadcast_a, .transpose_b = transpose_b, .m = 9, .n = 14, .k = 11};
        p.padding = 2;
        p.batch = 5;
        p.broadcast_a = broadcast_a;
        p.broadcast_b = broadcast_b;
        check(p);
        p.m = 290;
        p.n = 65;
        p.k = 130;
        p.beta = 1;
        check(p);
      }
    }
  }
  std::vector<TypeParam> nothing(1, 5);
  gemm_batched(false, false, 0, 1, 1, 1, TypeParam(1), nothing.data(), 1, 1, nothing.data(), 1, 1,
               TypeParam(0), nothing.data(), 1, 1);
  EXPECT_EQ(nothing[0], 5);
}

TYPED_TEST(GemmTest, NotANumberSpreads) {
  std::vector<TypeParam> a(40 * 40, 1);
  std::vector<TypeParam> b(40 * 40, 0);
  std::vector<TypeParam> c(40 * 40);
  a[3 * 40 + 2] = std::numeric_limits<TypeParam>::quiet_NaN();
  gemm(false, false, 40, 40, 40, TypeParam(1), a.data(), 40, b.data(), 40, TypeParam(0), c.data(), 40);
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_EQ(std::isnan(c[i]), i / 40 == 3) << i;
}

TYPED_TEST(GemmTest, SameBitsForAnyNumberOfThreads) {
  const int saved = threads();
  struct Sizes {
    std::int64_t m, n, k;
  };
  for (const auto& [m, n, k] :
       {Sizes{128, 512, 784}, Sizes{64, 64, 10000}, Sizes{1000, 10, 500}, Sizes{300, 300, 300},
        Sizes{3, 2000, 700}, Sizes{520, 1040, 513}, Sizes{530, 1030, 600}, Sizes{1500, 400, 520}}) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        const auto a = random_values<TypeParam>(m * k, 4);
        const auto b = random_values<TypeParam>(k * n, 5);
        const auto run = [&](int count) {
          set_threads(count);
          std::vector<TypeParam> c(static_cast<std::size_t>(m * n));
          gemm(transpose_a, transpose_b, m, n, k, TypeParam(1), a.data(), transpose_a ? m : k, b.data(),
               transpose_b ? k : n, TypeParam(0), c.data(), n);
          return c;
        };
        const auto expected = run(1);
        EXPECT_EQ(run(2), expected);
        EXPECT_EQ(run(3), expected);
      }
    }
  }
  set_threads(saved);
}

// A product in which every loop over blocks goes round more than once, and its parts do not come out even.
struct Large {
  std::int64_t m = 203;
  std::int64_t n = 1031;
  std::int64_t k = 509;
};

// Puts the best instruction set back when a test ends.
class InstructionSets {
 public:
  InstructionSets() : saved_(instruction_set()) {}
  ~InstructionSets() { use_instruction_set(saved_); }
  InstructionSets(const InstructionSets&) = delete;
  InstructionSets& operator=(const InstructionSets&) = delete;

 private:
  std::string saved_;
};

// The first and last few places, those around the blocks of each instruction set, and some between.
std::vector<std::int64_t> places(std::int64_t size) {
  std::vector<std::int64_t> chosen;
  for (std::int64_t i = 0; i < size; ++i) {
    const auto near = [&](std::int64_t block) { return i % block == 0 || i % block == block - 1; };
    if (i < 3 || i >= size - 3 || near(96) || near(1008) || near(1024) || i % 37 == 0) chosen.push_back(i);
  }
  return chosen;
}

// Every way to round a sum of k products, its scaling and one more addition stays within k + 4 units in the
// last place of half the sum of their sizes, and one unit more for each block of depth.
TYPED_TEST(GemmTest, LargeProductsOnEachInstructionSet) {
  using T = TypeParam;
  const InstructionSets saved;
  const auto [m, n, k] = Large();
  const std::int64_t padding = 5;
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      const std::int64_t lda = (transpose_a ? m : k) + padding;
      const std::int64_t ldb = (transpose_b ? k : n) + padding;
      const std::int64_t ldc = n + padding;
      const auto a = random_values<T>((transpose_a ? k : m) * lda, 11);
      const auto b = random_values<T>((transpose_b ? n : k) * ldb, 12);
      const auto before = random_values<T>(m * ldc, 13);
      std::vector<std::vector<T>> results;
      for (const std::string& name : instruction_sets()) {
        use_instruction_set(name);
        results.push_back(before);
        gemm(transpose_a, transpose_b, m, n, k, T(-2), a.data(), lda, b.data(), ldb, T(0.5),
             results.back().data(), ldc);
        // What has fused multiply-add agrees to the bit.
        if (name == "avx2" && results.size() == 2) {
          EXPECT_EQ(results[0], results[1]);
        }
      }
      std::int64_t wrong = 0;
      for (const std::int64_t row : places(m)) {
        for (const std::int64_t column : places(n)) {
          long double sum = 0;
          long double size = 0;
          for (std::int64_t i = 0; i < k; ++i) {
            const T left = a[static_cast<std::size_t>(transpose_a ? i * lda + row : row * lda + i)];
            const T right = b[static_cast<std::size_t>(transpose_b ? column * ldb + i : i * ldb + column)];
            const long double term = static_cast<long double>(left) * static_cast<long double>(right);
            sum += term;
            size += std::fabs(term);
          }
          const auto at = static_cast<std::size_t>(row * ldc + column);
          const long double kept = static_cast<long double>(before[at]) / 2;
          const long double allowed = (2 * size + std::fabs(kept)) * static_cast<long double>(k + 8) *
                                      static_cast<long double>(std::numeric_limits<T>::epsilon()) / 2;
          for (const auto& c : results) {
            wrong += !(std::fabs(static_cast<long double>(c[at]) - (kept - 2 * sum)) <= allowed);
          }
        }
      }
      EXPECT_EQ(wrong, 0) << transpose_a << transpose_b;
      for (const auto& c : results) {
        for (std::int64_t row = 0; row < m; ++row) {
          for (std::int64_t i = row * ldc + n; i < (row + 1) * ldc; ++i) {
            const auto at = static_cast<std::size_t>(i);
            ASSERT_EQ(c[at], before[at]) << "beyond the columns of C";
          }
        }
      }
    }
  }
}

// In blocks, too, an infinity or a NaN reaches the elements whose sums meet it, and no others; with nothing
// to add up, C is scaled and finished.
TYPED_TEST(GemmTest, LargeProductsOfInfinitiesAndOfNothing) {
  using T = TypeParam;
  const InstructionSets saved;
  const auto [m, n, k] = Large();
  const T infinity = std::numeric_limits<T>::infinity();
  for (const std::string& name : instruction_sets()) {
    use_instruction_set(name);
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        std::vector<T> a(static_cast<std::size_t>(m * k), 1);
        std::vector<T> b(static_cast<std::size_t>(n * k), 1);
        const auto at_a = [&](std::int64_t row, std::int64_t i) -> T& {
          return a[static_cast<std::size_t>(transpose_a ? i * m + row : row * k + i)];
        };
        const auto at_b = [&](std::int64_t i, std::int64_t column) -> T& {
          return b[static_cast<std::size_t>(transpose_b ? column * k + i : i * n + column)];
        };
        at_a(101, 300) = std::numeric_limits<T>::quiet_NaN();
        at_b(k - 1, n - 1) = -infinity;
        at_a(7, k - 1) = 0;
        std::vector<T> c(static_cast<std::size_t>(m * n), 5);
        gemm(transpose_a, transpose_b, m, n, k, T(1), a.data(), transpose_a ? m : k, b.data(),
             transpose_b ? k : n, T(0), c.data(), n);
        std::int64_t wrong = 0;
        for (std::int64_t row = 0; row < m; ++row) {
          for (std::int64_t column = 0; column < n; ++column) {
            const T value = c[static_cast<std::size_t>(row * n + column)];
            if (row == 101 || (row == 7 && column == n - 1)) {
              wrong += !std::isnan(value);
            } else {
              wrong += value != (column == n - 1 ? -infinity : static_cast<T>(row == 7 ? k - 1 : k));
            }
          }
        }
        EXPECT_EQ(wrong, 0) << name << transpose_a << transpose_b;
        const std::vector<T> bias(static_cast<std::size_t>(n), -3);
        std::vector<T> scaled(static_cast<std::size_t>(m * n), 5);
        gemm(transpose_a, transpose_b, m, n, 0, T(1), a.data(), m, b.data(), n, T(2), scaled.data(), n,
             {.bias = bias.data(), .relu = true});
        EXPECT_EQ(scaled, std::vector<T>(scaled.size(), 7));
      }
    }
  }
}

// A large product against the same in small pieces, which are cut elsewhere.
TYPED_TEST(GemmTest, LargeProductsAreTheSumOfTheirPieces) {
  const std::int64_t m = 530;
  const std::int64_t n = 1030;
  const std::int64_t k = 510;
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      const auto a = random_values<TypeParam>(m * k, 8);
      const auto b = random_values<TypeParam>(k * n, 9);
      const std::int64_t lda = transpose_a ? m : k;
      const std::int64_t ldb = transpose_b ? k : n;
      std::vector<TypeParam> whole(static_cast<std::size_t>(m * n), 1);
      gemm(transpose_a, transpose_b, m, n, k, TypeParam(2), a.data(), lda, b.data(), ldb, TypeParam(3),
           whole.data(), n);
      std::vector<TypeParam> pieces(whole.size(), 3);
      for (std::int64_t row = 0; row < m; row += 53) {
        gemm(transpose_a, transpose_b, 53, n, k, TypeParam(2), a.data() + (transpose_a ? row : row * lda),
             lda, b.data(), ldb, TypeParam(1), pieces.data() + row * n, n);
      }
      // Two orders of summation differ by at most 2 k epsilon times the sum of the terms' sizes, and by much
      // less as a rule: their errors go both ways.
      const auto sizes = [](std::vector<TypeParam> values) {
        for (TypeParam& v : values) v = std::fabs(v);
        return values;
      };
      const auto sizes_a = sizes(a);
      const auto sizes_b = sizes(b);
      std::vector<TypeParam> size(whole.size(), 3);
      gemm(transpose_a, transpose_b, m, n, k, TypeParam(2), sizes_a.data(), lda, sizes_b.data(), ldb,
           TypeParam(1), size.data(), n);
      double worst = 0;
      for (std::size_t i = 0; i < whole.size(); ++i) {
        const double difference = static_cast<double>(whole[i]) - static_cast<double>(pieces[i]);
        worst = std::max(worst, std::fabs(difference) / static_cast<double>(size[i]));
      }
      EXPECT_LT(worst, 8 * std::numeric_limits<TypeParam>::epsilon());
    }
  }
}

// The bits of a bias and a relu are those of a pass of their own, whichever way the product takes.
TYPED_TEST(GemmTest, FinishesRows) {
  using T = TypeParam;
  struct Shape {
    bool transpose_a, transpose_b;
    std::int64_t m, n, k;
  };
  for (const Shape& s :
       {Shape{false, true, 100, 10, 40}, Shape{false, false, 33, 67, 300}, Shape{true, false, 19, 131, 7},
        Shape{false, true, 130, 500, 600}, Shape{false, true, 50, 2, 30}, Shape{true, false, 90, 9, 20},
        Shape{false, true, 20, 30, 5000}, Shape{false, false, 4, 5, 0}}) {
    const auto a = random_values<T>(s.m * s.k + 1, 1);
    const auto b = random_values<T>(s.n * s.k + 1, 2);
    const auto bias = random_values<T>(s.n, 3);
    const auto multiply = [&](const Finish<T>& finish) {
      std::vector<T> c(static_cast<std::size_t>(s.m * s.n), T(0.25));
      gemm(s.transpose_a, s.transpose_b, s.m, s.n, s.k, T(1), a.data(), s.transpose_a ? s.m : s.k, b.data(),
           s.transpose_b ? s.k : s.n, T(2), c.data(), s.n, finish);
      return c;
    };
    const std::vector<T> sums = multiply({});
    std::vector<T> shifted = sums;
    for (std::size_t i = 0; i < shifted.size(); ++i) shifted[i] += bias[i % static_cast<std::size_t>(s.n)];
    EXPECT_EQ(multiply({.bias = bias.data()}), shifted);
    std::vector<T> cut = shifted;
    for (T& value : cut) value = std::max(T(0), value);
    EXPECT_EQ(multiply({.bias = bias.data(), .relu = true}), cut);
    cut = sums;
    for (T& value : cut) value = std::max(T(0), value);
    EXPECT_EQ(multiply({.relu = true}), cut);
  }
}

TYPED_TEST(GemmTest, ReluKeepsNaN) {
  const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  for (const std::int64_t n : {2, 40}) {
    const std::vector<TypeParam> b(static_cast<std::size_t>(n), 1);
    std::vector<TypeParam> c(static_cast<std::size_t>(n), 0);
    gemm(false, false, 1, n, 1, TypeParam(1), &nan, 1, b.data(), n, TypeParam(0), c.data(), n,
         {.relu = true});
    for (const TypeParam value : c) EXPECT_TRUE(std::isnan(value));
  }
}

TYPED_TEST(GemmTest, BatchesGiveTheSameBitsForAnyNumberOfThreads) {
  const int saved = threads();
  const std::int64_t batch = 24;
  const std::int64_t m = 70;
  const std::int64_t n = 90;
  const std::int64_t k = 50;
  const auto a = random_values<TypeParam>(batch * m * k, 6);
  const auto b = random_values<TypeParam>(batch * k * n, 7);
  const auto run = [&](int count) {
    set_threads(count);
    std::vector<TypeParam> c(static_cast<std::size_t>(batch * m * n));
    gemm_batched(false, true, batch, m, n, k, TypeParam(1), a.data(), k, m * k, b.data(), k, k * n,
                 TypeParam(0), c.data(), n, m * n);
    return c;
  };
  const auto expected = run(1);
  EXPECT_EQ(run(2), expected);
  EXPECT_EQ(run(3), expected);
  set_threads(saved);
}

}  // namespace
}  // namespace likely::kernels
