#include "likely/kernels/gemm.hpp"

#include <algorithm>

#include "likely/core/threads.hpp"
#include "likely/kernels/gemm_serial.hpp"
#include "likely/kernels/scratch.hpp"

namespace likely::kernels {

namespace {

// The libraries' bits change when a product is cut elsewhere, so the cut depends on the shape alone and is
// the same with one thread.
struct Cut {
  std::int64_t rows;     // of a tile of C
  std::int64_t columns;  // of a tile of C
  std::int64_t depth;    // of a chunk of the sum over k
};

constexpr std::int64_t kTileRows = 256;
constexpr std::int64_t kTileColumns = 512;
constexpr std::int64_t kChunkDepth = 2048;
// Rough time of one multiply-add on one thread, for the decision whether waking threads pays.
constexpr double kNanosecondsPerMultiplyAdd = 0.025;

std::int64_t pieces(std::int64_t size, std::int64_t piece) { return (size + piece - 1) / piece; }

// Equal pieces no longer than `longest`, whole multiples of 16 so that all but the last fill their vectors.
std::int64_t even_piece(std::int64_t size, std::int64_t longest) {
  const std::int64_t each = pieces(size, std::max<std::int64_t>(1, pieces(size, longest)));
  return std::min(size, pieces(each, 16) * 16);
}

Cut cut_of(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr double kTooSmallToCut = 2e6;
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  if (work < kTooSmallToCut) return {m, n, k};
  Cut cut{even_piece(m, kTileRows), even_piece(n, kTileColumns), k};
  if (pieces(m, cut.rows) * pieces(n, cut.columns) == 1) {
    if (m >= n && m >= 64) {
      cut.rows = even_piece(m, pieces(m, 2));
    } else if (n >= 64) {
      cut.columns = even_piece(n, pieces(n, 2));
    }
  }
  // A long sum into a small C: without chunks of k there would be nothing to share between threads.
  if (pieces(m, cut.rows) * pieces(n, cut.columns) <= 2 && k >= 2 * kChunkDepth) {
    cut = {m, n, even_piece(k, kChunkDepth)};
  }
  return cut;
}

template <class T>
void scale(std::int64_t m, std::int64_t n, T beta, T* c, std::int64_t ldc) {
  for (std::int64_t row = 0; row < m; ++row) {
    T* const line = c + row * ldc;
    if (beta == T(0)) {
      std::fill(line, line + n, T(0));
    } else if (beta != T(1)) {
      for (std::int64_t column = 0; column < n; ++column) line[column] *= beta;
    }
  }
}

template <class T>
Product<T> part_of(const Product<T>& whole, std::int64_t row, std::int64_t rows, std::int64_t column,
                   std::int64_t columns) {
  Product<T> part = whole;
  part.m = rows;
  part.n = columns;
  part.a += whole.transpose_a ? row : row * whole.lda;
  part.b += whole.transpose_b ? column * whole.ldb : column;
  part.c += row * whole.ldc + column;
  return part;
}

// C += or = the sum of the chunks' products, in the order of the chunks.
template <class T>
void add_chunks(const Product<T>& whole, const T* sums, std::int64_t chunks) {
  for (std::int64_t row = 0; row < whole.m; ++row) {
    T* const line = whole.c + row * whole.ldc;
    for (std::int64_t column = 0; column < whole.n; ++column) {
      T sum = 0;
      for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
        sum += sums[(chunk * whole.m + row) * whole.n + column];
      }
      line[column] = whole.beta == T(0) ? sum : whole.beta * line[column] + sum;
    }
  }
}

template <class T>
void run_chunks(const Product<T>& whole, std::int64_t depth, double nanoseconds) {
  const std::int64_t chunks = pieces(whole.k, depth);
  T* const sums = scratch<T>(ScratchSlot::gemm_partial_sums, chunks * whole.m * whole.n);
  parallel_tiles(chunks, nanoseconds, [&](std::int64_t chunk) {
    const std::int64_t from = chunk * depth;
    Product<T> part = whole;
    part.k = std::min(depth, whole.k - from);
    part.a += whole.transpose_a ? from * whole.lda : from;
    part.b += whole.transpose_b ? from : from * whole.ldb;
    part.beta = 0;
    part.c = sums + chunk * whole.m * whole.n;
    part.ldc = whole.n;
    gemm_serial(part);
  });
  add_chunks(whole, sums, chunks);
}

template <class T>
void run(std::int64_t batch, const Product<T>& first, std::int64_t stride_a, std::int64_t stride_b,
         std::int64_t stride_c) {
  if (batch <= 0 || first.m <= 0 || first.n <= 0) return;
  if (first.k <= 0 || first.alpha == T(0)) {
    for (std::int64_t i = 0; i < batch; ++i) {
      scale(first.m, first.n, first.beta, first.c + i * stride_c, first.ldc);
    }
    return;
  }
  const auto product = [&](std::int64_t i) {
    Product<T> p = first;
    p.a += i * stride_a;
    p.b += i * stride_b;
    p.c += i * stride_c;
    return p;
  };
  const Cut cut = cut_of(first.m, first.n, first.k);
  const double nanoseconds = kNanosecondsPerMultiplyAdd * static_cast<double>(first.m) *
                             static_cast<double>(first.n) * static_cast<double>(first.k);
  if (cut.depth < first.k) {
    for (std::int64_t i = 0; i < batch; ++i) run_chunks(product(i), cut.depth, nanoseconds);
    return;
  }
  const std::int64_t across = pieces(first.n, cut.columns);
  const std::int64_t each = pieces(first.m, cut.rows) * across;
  if (batch * each == 1) return gemm_serial(first);
  parallel_tiles(batch * each, nanoseconds * static_cast<double>(batch), [&](std::int64_t tile) {
    const std::int64_t row = tile % each / across * cut.rows;
    const std::int64_t column = tile % each % across * cut.columns;
    gemm_serial(part_of(product(tile / each), row, std::min(cut.rows, first.m - row), column,
                        std::min(cut.columns, first.n - column)));
  });
}

}  // namespace

void gemm(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
          const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta, float* c,
          std::int64_t ldc) {
  run<float>(1, {transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, 0, 0, 0);
}

void gemm(bool transpose_a, bool transpose_b, std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
          const double* a, std::int64_t lda, const double* b, std::int64_t ldb, double beta, double* c,
          std::int64_t ldc) {
  run<double>(1, {transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, 0, 0, 0);
}

void gemm_batched(bool transpose_a, bool transpose_b, std::int64_t batch, std::int64_t m, std::int64_t n,
                  std::int64_t k, float alpha, const float* a, std::int64_t lda, std::int64_t stride_a,
                  const float* b, std::int64_t ldb, std::int64_t stride_b, float beta, float* c,
                  std::int64_t ldc, std::int64_t stride_c) {
  run<float>(batch, {transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, stride_a,
             stride_b, stride_c);
}

void gemm_batched(bool transpose_a, bool transpose_b, std::int64_t batch, std::int64_t m, std::int64_t n,
                  std::int64_t k, double alpha, const double* a, std::int64_t lda, std::int64_t stride_a,
                  const double* b, std::int64_t ldb, std::int64_t stride_b, double beta, double* c,
                  std::int64_t ldc, std::int64_t stride_c) {
  run<double>(batch, {transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, stride_a,
              stride_b, stride_c);
}

}  // namespace likely::kernels
