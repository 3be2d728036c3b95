#include "likely/ops/decompose.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "likely/autodiff/tape.hpp"
#include "likely/core/create.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/kernels/factorize.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/matrix_batch.hpp"
#include "likely/ops/triangle.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace {

// The lower triangle with half the diagonal.
Tensor half_lower(const Tensor& x) { return (tril(x) + tril(x, -1)) * 0.5; }

// Rounding of products like X X^T leaves small differences between the triangles.
template <class T>
void check_symmetric(std::int64_t n, const T* a, std::int64_t matrix, std::int64_t batch) {
  const T tolerance = std::is_same_v<T, float> ? T(1e-4) : T(1e-8);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      const T difference = std::abs(a[i * n + j] - a[j * n + i]);
      const T scale = std::sqrt(std::abs(a[i * n + i])) * std::sqrt(std::abs(a[j * n + j]));
      if (difference > tolerance * scale) {
        refuse("cholesky", "the matrix is not symmetric: element (" + std::to_string(i) + ", " +
                               std::to_string(j) + ") is " + std::to_string(a[i * n + j]) +
                               ", its mirror image " + std::to_string(a[j * n + i]) +
                               detail::which_matrix(matrix, batch));
      }
    }
  }
}

Tensor cholesky_numbers(const Tensor& a, std::int64_t n) {
  Tensor l = a.with_track({}).copy();
  const std::int64_t batch = detail::batch_shape(a).size();
  void* const memory = l.mutable_raw();
  detail::with_floating("cholesky", a.dtype(), [&]<class T>(T) {
    for (std::int64_t matrix = 0; matrix < batch; ++matrix) {
      check_symmetric(n, static_cast<const T*>(memory) + matrix * n * n, matrix, batch);
    }
  });
  std::vector<std::int64_t> failures(static_cast<std::size_t>(batch));
  detail::for_each_matrix("cholesky", a.dtype(), batch, detail::cubed(n) / 6.0,
                          [&](auto zero, std::int64_t matrix) {
                            using T = decltype(zero);
                            failures[static_cast<std::size_t>(matrix)] =
                                kernels::cholesky(n, static_cast<T*>(memory) + matrix * n * n);
                          });
  for (std::int64_t matrix = 0; matrix < batch; ++matrix) {
    const std::int64_t order = failures[static_cast<std::size_t>(matrix)];
    if (order != 0) {
      refuse("cholesky", "the matrix is not positive definite: its leading minor of order " +
                             std::to_string(order) + " is not positive" +
                             detail::which_matrix(matrix, batch));
    }
  }
  return l;
}

Lu lu_numbers(const Tensor& a, std::int64_t n) {
  const detail::PackedLu packed = detail::factorize("lu", a);
  const std::int64_t batch = detail::batch_shape(a).size();
  Lu result{zeros(a.shape(), a.dtype()), tril(packed.factors, -1) + eye(n, a.dtype()), triu(packed.factors)};
  void* const memory = result.permutation.mutable_raw();
  detail::for_each_matrix(
      "lu", a.dtype(), batch, static_cast<double>(n), [&](auto zero, std::int64_t matrix) {
        using T = decltype(zero);
        T* const p = static_cast<T*>(memory) + matrix * n * n;
        std::vector<std::int64_t> order(static_cast<std::size_t>(n));
        for (std::int64_t i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
        for (std::int64_t i = 0; i < n; ++i) {
          const std::int64_t other = packed.pivots[static_cast<std::size_t>(matrix * n + i)];
          std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(other)]);
        }
        for (std::int64_t i = 0; i < n; ++i) p[order[static_cast<std::size_t>(i)] * n + i] = T(1);
      });
  return result;
}

void check_diagonal(const Tensor& a, std::int64_t n, std::int64_t batch) {
  const Tensor entries = diagonal(a.with_track({})).contiguous();
  const std::int64_t i = detail::with_floating("triangular_solve", a.dtype(), [&]<class T>(T) {
    const T* const first = entries.data<T>();
    return std::int64_t{std::find(first, first + batch * n, T(0)) - first};
  });
  if (i == batch * n) return;
  refuse("triangular_solve", "the matrix is singular: element " + std::to_string(i % n) +
                                 " of its diagonal is 0" + detail::which_matrix(i / n, batch));
}

Tensor triangular_solve_numbers(const Tensor& a, const Tensor& b, const TriangularSolve& options) {
  const std::int64_t n = a.shape().back();
  const std::int64_t columns = b.shape().back();
  const Shape batch = broadcast_shapes("triangular_solve", detail::batch_shape(a), detail::batch_shape(b));
  if (!options.unit_diagonal) check_diagonal(a, n, detail::batch_shape(a).size());
  // One matrix for all right sides is not repeated in memory.
  const bool shared = detail::batch_shape(a).size() == 1;
  const Tensor matrices = (shared ? a : expand(a, detail::with_matrix(batch, n, n))).contiguous();
  Tensor x = expand(b, detail::with_matrix(batch, n, columns)).copy();
  void* const unknowns = x.mutable_raw();
  const kernels::Triangle triangle{options.lower, options.transpose, options.unit_diagonal};
  const double work = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(columns) / 2.0;
  detail::for_each_matrix(
      "triangular_solve", a.dtype(), batch.size(), work, [&](auto zero, std::int64_t matrix) {
        using T = decltype(zero);
        kernels::triangular_solve(triangle, n, columns, matrices.data<T>() + (shared ? 0 : matrix * n * n),
                                  static_cast<T*>(unknowns) + matrix * n * columns);
      });
  return x;
}

// The part of a that a triangular system reads.
Tensor read_part(const Tensor& x, const TriangularSolve& options) {
  const int inside = options.unit_diagonal ? 1 : 0;
  return options.lower ? tril(x, -inside) : triu(x, inside);
}

}  // namespace

Tensor cholesky(const Tensor& a) {
  const std::int64_t n = detail::check_square("cholesky", a);
  if (Tape* tape = recording_tape(a)) {
    const Tensor l = cholesky(tape->below(a));
    return tape->record("cholesky", l, {&a}, [l](const Tensor& g, Pull& pull) {
      pull(0, [&] {
        const Tensor middle = half_lower(matmul(transpose(l), tril(g)));
        const Tensor left = triangular_solve(l, middle, {.transpose = true});
        const Tensor whole = transpose(triangular_solve(l, transpose(left), {.transpose = true}));
        return (whole + transpose(whole)) * 0.5;
      });
    });
  }
  return cholesky_numbers(a, n);
}

Lu lu(const Tensor& a) {
  const std::int64_t n = detail::check_square("lu", a);
  if (Tape* tape = recording_tape(a)) {
    const Lu below = lu(tape->below(a));
    // P L^-T (...) U^-T, for either factor.
    const auto around = [p = below.permutation, l = below.lower, u = below.upper](const Tensor& middle) {
      const Tensor left = triangular_solve(l, middle, {.transpose = true, .unit_diagonal = true});
      return matmul(p, transpose(triangular_solve(u, transpose(left), {.lower = false})));
    };
    Lu result{below.permutation, {}, {}};
    result.lower =
        tape->record("lu", below.lower, {&a}, [l = below.lower, around](const Tensor& g, Pull& pull) {
          pull(0, [&] { return around(tril(matmul(transpose(l), tril(g, -1)), -1)); });
        });
    result.upper =
        tape->record("lu", below.upper, {&a}, [u = below.upper, around](const Tensor& g, Pull& pull) {
          pull(0, [&] { return around(triu(matmul(triu(g), transpose(u)))); });
        });
    return result;
  }
  return lu_numbers(a, n);
}

Tensor triangular_solve(const Tensor& a, const Tensor& b, const TriangularSolve& options) {
  detail::check_square("triangular_solve", a);
  if (b.rank() == 1) return squeeze(triangular_solve(a, unsqueeze(b, 1), options), -1);
  detail::check_system("triangular_solve", a, b);
  if (Tape* tape = recording_tape(a, b)) {
    const Tensor lower_a = tape->below(a);
    const Tensor x = triangular_solve(lower_a, tape->below(b), options);
    return tape->record("triangular_solve", x, {&a, &b},
                        [a = lower_a, x, options, shape = b.shape()](const Tensor& g, Pull& pull) {
                          TriangularSolve back = options;
                          back.transpose = !options.transpose;
                          const Tensor gradient = triangular_solve(a, g, back);
                          pull(0, [&] {
                            const Tensor whole = options.transpose ? matmul(x, transpose(gradient))  //
                                                                   : matmul(gradient, transpose(x));
                            return sum_to(read_part(-whole, options), a.shape());
                          });
                          pull(1, [&] { return sum_to(gradient, shape); });
                        });
  }
  const DType dtype = promote(a.dtype(), b.dtype());
  return triangular_solve_numbers(a.to(dtype), b.to(dtype), options);
}

}  // namespace likely
