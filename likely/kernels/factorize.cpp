#include "likely/kernels/factorize.hpp"

#include <algorithm>
#include <cmath>

#include "likely/kernels/gemm/gemm.hpp"

namespace likely::kernels {

namespace {

constexpr std::int64_t kBlock = 48;

// Eight partial sums, which the compiler may keep in vectors.
template <class T>
T dot(const T* x, const T* y, std::int64_t n) {
  T sums[8] = {};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (std::int64_t lane = 0; lane < 8; ++lane) sums[lane] += x[i + lane] * y[i + lane];
  }
  T sum = ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
  for (; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// y -= factor x
template <class T>
void subtract_multiple(T factor, const T* __restrict__ x, T* __restrict__ y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] -= factor * x[i];
}

template <class T>
std::int64_t cholesky_blocked(std::int64_t n, T* a) {
  for (std::int64_t begin = 0; begin < n; begin += kBlock) {
    const std::int64_t end = std::min(n, begin + kBlock);
    for (std::int64_t j = begin; j < end; ++j) {
      const T* const row = a + j * n + begin;
      const T square = a[j * n + j] - dot(row, row, j - begin);
      if (!(square > T(0))) return j + 1;
      const T root = std::sqrt(square);
      a[j * n + j] = root;
      for (std::int64_t i = j + 1; i < n; ++i) {
        a[i * n + j] = (a[i * n + j] - dot(a + i * n + begin, row, j - begin)) / root;
      }
    }
    // What remains, a column of blocks at a time: only the lower triangle is needed.
    for (std::int64_t column = end; column < n; column += kBlock) {
      const std::int64_t width = std::min(kBlock, n - column);
      const T* const panel = a + column * n + begin;
      gemm(false, true, n - column, width, end - begin, T(-1), panel, n, panel, n, T(1),
           a + column * n + column, n);
    }
  }
  for (std::int64_t i = 0; i < n; ++i) std::fill(a + i * n + i + 1, a + (i + 1) * n, T(0));
  return 0;
}

template <class T>
std::int64_t largest_below(std::int64_t n, std::int64_t column, const T* a) {
  std::int64_t best = column;
  for (std::int64_t i = column + 1; i < n; ++i) {
    if (std::abs(a[i * n + column]) > std::abs(a[best * n + column])) best = i;
  }
  return best;
}

template <class T>
void lu_blocked(std::int64_t n, T* a, std::int64_t* pivots) {
  for (std::int64_t begin = 0; begin < n; begin += kBlock) {
    const std::int64_t end = std::min(n, begin + kBlock);
    for (std::int64_t j = begin; j < end; ++j) {
      const std::int64_t pivot = largest_below(n, j, a);
      pivots[j] = pivot;
      if (pivot != j) std::swap_ranges(a + j * n, a + (j + 1) * n, a + pivot * n);
      const T diagonal = a[j * n + j];
      if (diagonal == T(0)) continue;
      for (std::int64_t i = j + 1; i < n; ++i) {
        T* const row = a + i * n;
        row[j] /= diagonal;
        subtract_multiple(row[j], a + j * n + j + 1, row + j + 1, end - j - 1);
      }
    }
    if (end == n) return;
    for (std::int64_t i = begin + 1; i < end; ++i) {
      for (std::int64_t l = begin; l < i; ++l) {
        subtract_multiple(a[i * n + l], a + l * n + end, a + i * n + end, n - end);
      }
    }
    gemm(false, false, n - end, n - end, end - begin, T(-1), a + end * n + begin, n, a + begin * n + end, n,
         T(1), a + end * n + end, n);
  }
}

// One block of unknowns, rows begin..end, from the values that are known already.
template <class T>
void solve_block(const Triangle& triangle, bool forward, std::int64_t begin, std::int64_t end, std::int64_t n,
                 std::int64_t columns, const T* a, T* b) {
  const std::int64_t row_step = triangle.transpose ? 1 : n;
  const std::int64_t column_step = triangle.transpose ? n : 1;
  for (std::int64_t step = 0; step < end - begin; ++step) {
    const std::int64_t i = forward ? begin + step : end - 1 - step;
    T* const row = b + i * columns;
    for (std::int64_t before = 0; before < step; ++before) {
      const std::int64_t l = forward ? begin + before : end - 1 - before;
      subtract_multiple(a[i * row_step + l * column_step], b + l * columns, row, columns);
    }
    if (triangle.unit_diagonal) continue;
    const T diagonal = a[i * n + i];
    for (std::int64_t column = 0; column < columns; ++column) row[column] /= diagonal;
  }
}

template <class T>
void triangular_solve_blocked(const Triangle& triangle, std::int64_t n, std::int64_t columns, const T* a,
                              T* b) {
  const bool forward = triangle.lower != triangle.transpose;
  for (std::int64_t done = 0; done < n; done += kBlock) {
    const std::int64_t size = std::min(kBlock, n - done);
    const std::int64_t begin = forward ? done : n - done - size;
    solve_block(triangle, forward, begin, begin + size, n, columns, a, b);
    const std::int64_t rest = n - done - size;
    const std::int64_t first = forward ? begin + size : 0;
    const T* const factor = a + (triangle.transpose ? begin * n + first : first * n + begin);
    gemm(triangle.transpose, false, rest, columns, size, T(-1), factor, n, b + begin * columns, columns, T(1),
         b + first * columns, columns);
  }
}

}  // namespace

std::int64_t cholesky(std::int64_t n, float* a) { return cholesky_blocked(n, a); }
std::int64_t cholesky(std::int64_t n, double* a) { return cholesky_blocked(n, a); }

void lu(std::int64_t n, float* a, std::int64_t* pivots) { lu_blocked(n, a, pivots); }
void lu(std::int64_t n, double* a, std::int64_t* pivots) { lu_blocked(n, a, pivots); }

void triangular_solve(const Triangle& triangle, std::int64_t n, std::int64_t columns, const float* a,
                      float* b) {
  triangular_solve_blocked(triangle, n, columns, a, b);
}
void triangular_solve(const Triangle& triangle, std::int64_t n, std::int64_t columns, const double* a,
                      double* b) {
  triangular_solve_blocked(triangle, n, columns, a, b);
}

}  // namespace likely::kernels
