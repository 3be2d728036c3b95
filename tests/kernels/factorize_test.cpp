#include "likely/kernels/factorize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "likely/core/threads.hpp"

namespace likely::kernels {
namespace {

constexpr std::int64_t kSizes[] = {0, 1, 2, 3, 5, 17, 47, 48, 49, 96, 131, 200};

template <class T>
using Matrix = std::vector<T>;

template <class T>
Matrix<T> numbers(std::int64_t rows, std::int64_t columns, int seed) {
  Matrix<T> result(static_cast<std::size_t>(rows * columns));
  std::uint64_t state = static_cast<std::uint64_t>(seed);
  for (T& value : result) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<T>(static_cast<double>(state >> 11U) * 0x1p-52 - 1.0);
  }
  return result;
}

// a (rows x inner) times b (inner x columns), in double.
template <class T>
Matrix<double> product(const Matrix<T>& a, const Matrix<T>& b, std::int64_t rows, std::int64_t inner,
                       std::int64_t columns) {
  Matrix<double> c(static_cast<std::size_t>(rows * columns));
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t l = 0; l < inner; ++l) {
      const double factor = a[static_cast<std::size_t>(i * inner + l)];
      for (std::int64_t j = 0; j < columns; ++j) {
        c[static_cast<std::size_t>(i * columns + j)] += factor * b[static_cast<std::size_t>(l * columns + j)];
      }
    }
  }
  return c;
}

template <class T>
Matrix<T> transposed(const Matrix<T>& a, std::int64_t n) {
  Matrix<T> result(a.size());
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      result[static_cast<std::size_t>(j * n + i)] = a[static_cast<std::size_t>(i * n + j)];
    }
  }
  return result;
}

template <class A, class B>
double largest_difference(const A& a, const B& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

template <class T>
Matrix<T> positive_definite(std::int64_t n) {
  const Matrix<double> root = numbers<double>(n, n, 3);
  Matrix<double> a = product(root, transposed(root, n), n, n, n);
  for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n + i)] += 1.0;
  return {a.begin(), a.end()};
}

template <class T>
class Factorize : public ::testing::Test {
 protected:
  static double tolerance(std::int64_t n) {
    return 10.0 * static_cast<double>(n + 1) * static_cast<double>(std::numeric_limits<T>::epsilon());
  }
};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Factorize, Types);

TYPED_TEST(Factorize, CholeskyMultipliesBack) {
  using T = TypeParam;
  for (const std::int64_t n : kSizes) {
    const Matrix<T> a = positive_definite<T>(n);
    Matrix<T> l = a;
    // Whatever stands above the diagonal is not read.
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = i + 1; j < n; ++j)
        l[static_cast<std::size_t>(i * n + j)] = std::numeric_limits<T>::quiet_NaN();
    }
    ASSERT_EQ(cholesky(n, l.data()), 0) << n;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t j = i + 1; j < n; ++j) ASSERT_EQ(l[static_cast<std::size_t>(i * n + j)], T(0));
      ASSERT_GT(l[static_cast<std::size_t>(i * n + i)], T(0));
    }
    EXPECT_LE(largest_difference(product(l, transposed(l, n), n, n, n), a),
              this->tolerance(n) * static_cast<double>(n + 1))
        << n;
  }
}

TYPED_TEST(Factorize, CholeskyNamesTheMinorThatIsNotPositive) {
  using T = TypeParam;
  for (const std::int64_t bad : {1, 30, 48, 49, 100}) {
    Matrix<T> a = positive_definite<T>(100);
    a[static_cast<std::size_t>((bad - 1) * 101)] = T(-1);
    EXPECT_EQ(cholesky(100, a.data()), bad);
    a = positive_definite<T>(100);
    a[static_cast<std::size_t>((bad - 1) * 101)] = std::numeric_limits<T>::quiet_NaN();
    EXPECT_EQ(cholesky(100, a.data()), bad);
  }
}

TYPED_TEST(Factorize, LuMultipliesBack) {
  using T = TypeParam;
  for (const std::int64_t n : kSizes) {
    const Matrix<T> a = numbers<T>(n, n, 1);
    Matrix<T> packed = a;
    std::vector<std::int64_t> pivots(static_cast<std::size_t>(n));
    lu(n, packed.data(), pivots.data());
    Matrix<T> l(packed.size());
    Matrix<T> u(packed.size());
    Matrix<T> exchanged = a;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t other = pivots[static_cast<std::size_t>(i)];
      ASSERT_GE(other, i);
      ASSERT_LT(other, n);
      if (other != i)
        std::swap_ranges(&exchanged[static_cast<std::size_t>(i * n)],
                         &exchanged[static_cast<std::size_t>(i * n)] + n,
                         &exchanged[static_cast<std::size_t>(other * n)]);
      for (std::int64_t j = 0; j < n; ++j) {
        const auto place = static_cast<std::size_t>(i * n + j);
        (j < i ? l : u)[place] = packed[place];
        if (j < i) {
          ASSERT_LE(std::abs(l[place]), T(1));
        }
      }
      l[static_cast<std::size_t>(i * n + i)] = T(1);
    }
    EXPECT_LE(largest_difference(product(l, u, n, n, n), exchanged), this->tolerance(n)) << n;
  }
}

TYPED_TEST(Factorize, LuOfASingularMatrixHasAZeroOnTheDiagonal) {
  using T = TypeParam;
  Matrix<T> a = {1, 2, 3, 2, 4, 6, 0, 1, 1};
  std::vector<std::int64_t> pivots(3);
  lu(3, a.data(), pivots.data());
  EXPECT_EQ(a[8], T(0));
  EXPECT_EQ(a[0], T(2));
  Matrix<T> none(4);
  lu(2, none.data(), pivots.data());
  EXPECT_EQ(largest_difference(none, Matrix<T>(4)), 0.0);
}

TYPED_TEST(Factorize, TriangularSolutionsSolve) {
  using T = TypeParam;
  for (const std::int64_t n : kSizes) {
    for (const std::int64_t columns : {0, 1, 3, 40}) {
      for (int choice = 0; choice < 8; ++choice) {
        const Triangle triangle{(choice & 1) != 0, (choice & 2) != 0, (choice & 4) != 0};
        Matrix<T> a = numbers<T>(n, n, 2);
        Matrix<T> whole(a.size());
        for (std::int64_t i = 0; i < n; ++i) {
          for (std::int64_t j = 0; j < n; ++j) {
            const auto place = static_cast<std::size_t>(i * n + j);
            a[place] /= static_cast<T>(n);  // keeps the solutions small
            if (i == j)
              a[place] = triangle.unit_diagonal ? std::numeric_limits<T>::quiet_NaN() : T(2) + a[place];
            if (i == j) whole[place] = triangle.unit_diagonal ? T(1) : a[place];
            if (triangle.lower ? j < i : j > i) whole[place] = a[place];
            if (triangle.lower ? j > i : j < i) a[place] = std::numeric_limits<T>::quiet_NaN();
          }
        }
        const Matrix<T> b = numbers<T>(n, columns, 5);
        Matrix<T> x = b;
        triangular_solve(triangle, n, columns, a.data(), x.data());
        const Matrix<T> op = triangle.transpose ? transposed(whole, n) : whole;
        EXPECT_LE(largest_difference(product(op, x, n, n, columns), b), this->tolerance(n))
            << n << ", " << choice;
      }
    }
  }
}

TYPED_TEST(Factorize, SameBitsForAnyNumberOfThreads) {
  using T = TypeParam;
  const int before = threads();
  constexpr std::int64_t kSize = 400;
  const Matrix<T> definite = positive_definite<T>(kSize);
  const Matrix<T> any = numbers<T>(kSize, kSize, 1), right = numbers<T>(kSize, kSize, 4);
  const auto run = [&] {
    Matrix<T> l = definite;
    cholesky(kSize, l.data());
    Matrix<T> packed = any;
    std::vector<std::int64_t> pivots(kSize);
    lu(kSize, packed.data(), pivots.data());
    Matrix<T> x = right;
    triangular_solve({.lower = true, .transpose = true, .unit_diagonal = false}, kSize, kSize, l.data(),
                     x.data());
    l.insert(l.end(), packed.begin(), packed.end());
    l.insert(l.end(), x.begin(), x.end());
    return l;
  };
  set_threads(1);
  const Matrix<T> one = run();
  for (const int n : {2, 3}) {
    set_threads(n);
    EXPECT_EQ(largest_difference(run(), one), 0.0) << n;
  }
  set_threads(before);
}

}  // namespace
}  // namespace likely::kernels
