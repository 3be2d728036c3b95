#include "likely/kernels/gemm/gemm.hpp"

#include <algorithm>
#include <utility>

#include "likely/core/threads.hpp"
#include "likely/kernels/gemm/simd.hpp"
#include "likely/kernels/gemm/zeros.hpp"
#include "likely/kernels/scratch.hpp"

namespace likely::kernels {

namespace {

// Rough time of one multiply-add on one thread, for the decision whether waking threads pays.
constexpr double kNanosecondsPerMultiplyAdd = 0.015;

std::int64_t pieces(std::int64_t size, std::int64_t piece) { return (size + piece - 1) / piece; }

// Equal pieces no longer than `longest`, whole multiples of `unit` so that all but the last fill their
// vectors.
std::int64_t even_piece(std::int64_t size, std::int64_t longest, std::int64_t unit) {
  const std::int64_t each = pieces(size, std::max<std::int64_t>(1, pieces(size, longest)));
  return std::min(size, pieces(each, unit) * unit);
}

template <class T>
double multiply_adds(const Product<T>& p) {
  return static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
}

template <class T>
void scale(const Product<T>& p) {
  for (std::int64_t row = 0; row < p.m; ++row) {
    T* const line = p.c + row * p.ldc;
    if (p.beta == T(0)) {
      std::fill(line, line + p.n, T(0));
    } else if (p.beta != T(1)) {
      for (std::int64_t column = 0; column < p.n; ++column) line[column] *= p.beta;
    }
  }
}

// Calls body(part) for each rows x columns part of C, on as many threads as pay.
template <class T, class Body>
void for_each_part(const Product<T>& p, std::int64_t rows, std::int64_t columns, const Body& body) {
  const std::int64_t across = pieces(p.n, columns);
  const std::int64_t parts = pieces(p.m, rows) * across;
  parallel_tiles(parts, kNanosecondsPerMultiplyAdd * multiply_adds(p), [&](std::int64_t tile) {
    const std::int64_t row = tile / across * rows;
    const std::int64_t column = tile % across * columns;
    body(Part{row, std::min(rows, p.m - row), column, std::min(columns, p.n - column)});
  });
}

void multiply_part_of(const Product<float>& p, const Part& part, bool skip_zeros) {
  skip_zeros ? multiply_part_skipping_zeros(p, part) : multiply_part(p, part);
}
void multiply_part_of(const Product<double>& p, const Part& part, bool) { multiply_part(p, part); }

bool worth_skipping_zeros(const Product<double>&) { return false; }

// Our own loops give each element the same bits in any part, zeros skipped or not, so one part for each
// thread is free to be the cut.
template <class T>
void by_own_loops(const Product<T>& p) {
  constexpr double kTooSmallToCut = 1e5;
  if (multiply_adds(p) < kTooSmallToCut) return multiply_part(p, {0, p.m, 0, p.n});
  const bool skip_zeros = worth_skipping_zeros(p);
  const std::int64_t wanted = threads_for(kNanosecondsPerMultiplyAdd * multiply_adds(p));
  if (p.n >= p.m) {
    const std::int64_t columns = even_piece(p.n, std::max<std::int64_t>(96, pieces(p.n, wanted)), 48);
    const std::int64_t left = pieces(wanted, pieces(p.n, columns));
    const std::int64_t rows = even_piece(p.m, std::max<std::int64_t>(48, pieces(p.m, left)), 24);
    return for_each_part(p, rows, columns, [&](const Part& part) { multiply_part_of(p, part, skip_zeros); });
  }
  const std::int64_t rows = even_piece(p.m, std::max<std::int64_t>(48, pieces(p.m, wanted)), 24);
  const std::int64_t left = pieces(wanted, pieces(p.m, rows));
  const std::int64_t columns = even_piece(p.n, std::max<std::int64_t>(96, pieces(p.n, left)), 48);
  for_each_part(p, rows, columns, [&](const Part& part) { multiply_part_of(p, part, skip_zeros); });
}

// C^T = op(B)^T op(A)^T, for a tall narrow C: its few columns would leave most lanes of a vector empty, its
// rows fill them. Only for A transposed and B not, where the exchange makes B the transposed one.
template <class T>
void by_transposed_result(const Product<T>& p) {
  T* const result = scratch<T>(ScratchSlot::gemm_transposed, p.m * p.n);
  Product<T> swapped = p;
  std::swap(swapped.m, swapped.n);
  std::swap(swapped.a, swapped.b);
  std::swap(swapped.lda, swapped.ldb);
  swapped.beta = 0;
  swapped.c = result;
  swapped.ldc = p.m;
  by_own_loops(swapped);
  for (std::int64_t row = 0; row < p.m; ++row) {
    T* const line = p.c + row * p.ldc;
    for (std::int64_t column = 0; column < p.n; ++column) {
      const T value = result[column * p.m + row];
      line[column] = p.beta == T(0) ? value : p.beta * line[column] + value;
    }
  }
}

// One scalar product for each element of C with one or two rows or columns. A is not transposed; the columns
// of B, if they are not rows in memory already, become rows of a copy.
template <class T>
void by_dots(Product<T> p) {
  if (!p.transpose_b) {
    p.transpose_b = true;
    if (p.n > 1 || p.ldb > 1) {
      T* const rows = scratch<T>(ScratchSlot::gemm_transposed, p.n * p.k);
      for (std::int64_t column = 0; column < p.n; ++column) {
        for (std::int64_t i = 0; i < p.k; ++i) rows[column * p.k + i] = p.b[i * p.ldb + column];
      }
      p.b = rows;
    }
    p.ldb = p.k;
  }
  const bool wide = p.n >= p.m;
  for_each_part(p, wide ? p.m : even_piece(p.m, 256, 4), wide ? even_piece(p.n, 256, 4) : p.n,
                [&](const Part& part) { multiply_part_by_dots(p, part); });
}

// Sums over chunks of k, then the sum of those in order: a long sum into a small C has no other work to
// share. The chunks depend on the shape alone.
template <class T>
bool multiply_in_chunks(const Product<T>& p) {
  constexpr std::int64_t kChunk = 2048;
  if (p.k < 2 * kChunk || p.m * p.n > 128 * 128) return false;
  const std::int64_t depth = even_piece(p.k, kChunk, 16);
  const std::int64_t chunks = pieces(p.k, depth);
  const std::int64_t size = p.m * p.n;
  T* const sums = scratch<T>(ScratchSlot::gemm_partial_sums, chunks * size);
  parallel_tiles(chunks, kNanosecondsPerMultiplyAdd * multiply_adds(p), [&](std::int64_t chunk) {
    const std::int64_t from = chunk * depth;
    Product<T> part = p;
    part.k = std::min(depth, p.k - from);
    part.a += p.transpose_a ? from * p.lda : from;
    part.b += p.transpose_b ? from : from * p.ldb;
    part.beta = 0;
    part.c = sums + chunk * size;
    part.ldc = p.n;
    multiply_part(part, {0, p.m, 0, p.n});
  });
  for (std::int64_t chunk = 1; chunk < chunks; ++chunk) {
    const T* const more = sums + chunk * size;
    for (std::int64_t i = 0; i < size; ++i) sums[i] += more[i];
  }
  for (std::int64_t row = 0; row < p.m; ++row) {
    T* const line = p.c + row * p.ldc;
    const T* const sum = sums + row * p.n;
    for (std::int64_t column = 0; column < p.n; ++column) {
      line[column] = p.beta == T(0) ? sum[column] : p.beta * line[column] + sum[column];
    }
  }
  return true;
}

// The sums of products for which our own loops are not the best way: nothing is done, and false said, for
// others.
template <class T>
bool multiply_another_way(const Product<T>& p) {
  if (p.k <= 0 || p.alpha == T(0)) {
    scale(p);
  } else if (multiply_in_chunks(p)) {
    return true;
  } else if (!p.transpose_a && (p.n <= 2 || (p.transpose_b && p.m <= 2))) {
    by_dots(p);
  } else if (p.transpose_a && !p.transpose_b && p.n <= 16 && p.m >= 8 * p.n) {
    by_transposed_result(p);
  } else {
    return false;
  }
  return true;
}

template <class T>
void multiply_one(const Product<T>& p) {
  if (p.m <= 0 || p.n <= 0) return;
  Product<T> sums = p;
  sums.finish = {};
  if (!multiply_another_way(sums)) return by_own_loops(p);
  if (p.finish.bias == nullptr && !p.finish.relu) return;
  constexpr std::int64_t kElements = 8192;
  constexpr double kNanosecondsPerElement = 0.1;
  const std::int64_t rows = std::max<std::int64_t>(1, kElements / p.n);
  const double work = kNanosecondsPerElement * static_cast<double>(p.m) * static_cast<double>(p.n);
  parallel_tiles(pieces(p.m, rows), work, [&](std::int64_t tile) {
    finish_part(p, {tile * rows, std::min(rows, p.m - tile * rows), 0, p.n});
  });
}

template <class T>
void multiply_batch(std::int64_t batch, const Product<T>& first, std::int64_t stride_a, std::int64_t stride_b,
                    std::int64_t stride_c) {
  const auto one = [&](std::int64_t i) {
    Product<T> p = first;
    p.a += i * stride_a;
    p.b += i * stride_b;
    p.c += i * stride_c;
    multiply_one(p);
  };
  // Few products share each product between the threads, many share the products: the same bits either way.
  if (batch < 2 * threads() && multiply_adds(first) > 1e6) {
    for (std::int64_t i = 0; i < batch; ++i) one(i);
    return;
  }
  parallel_tiles(batch, kNanosecondsPerMultiplyAdd * multiply_adds(first) * static_cast<double>(batch), one);
}

}  // namespace

void gemm(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
          const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
          std::int64_t ldc, const Finish<float>& finish) {
  multiply_one<float>({transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, finish});
}

void gemm(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
          const double* a, std::int64_t lda, const double* b, std::int64_t ldb, double beta, double* c,
          std::int64_t ldc, const Finish<double>& finish) {
  multiply_one<double>({transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, finish});
}

void gemm_batched(bool transpose_a, bool transpose_b, std::int64_t batch, std::int64_t m, std::int64_t n,
                  std::int64_t k, float alpha, const float* a, std::int64_t lda, std::int64_t stride_a,
                  const float* b, std::int64_t ldb, std::int64_t stride_b, float beta, float* c,
                  std::int64_t ldc, std::int64_t stride_c) {
  multiply_batch<float>(batch, {transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc},
                        stride_a, stride_b, stride_c);
}

void gemm_batched(bool transpose_a, bool transpose_b, std::int64_t batch, std::int64_t m, std::int64_t n,
                  std::int64_t k, double alpha, const double* a, std::int64_t lda, std::int64_t stride_a,
                  const double* b, std::int64_t ldb, std::int64_t stride_b, double beta, double* c,
                  std::int64_t ldc, std::int64_t stride_c) {
  multiply_batch<double>(batch, {transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc},
                         stride_a, stride_b, stride_c);
}

}  // namespace likely::kernels
