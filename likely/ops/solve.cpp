#include "likely/ops/solve.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "likely/autodiff/tape.hpp"
#include "likely/core/create.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/kernels/factorize.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/matmul.hpp"
#include "likely/ops/matrix_batch.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace {

void check_regular(const char* name, const detail::PackedLu& packed) {
  const auto batch = static_cast<std::int64_t>(packed.vanishing.size());
  for (std::int64_t matrix = 0; matrix < batch; ++matrix) {
    const std::int64_t pivot = packed.vanishing[static_cast<std::size_t>(matrix)];
    if (pivot >= 0) {
      refuse(name, "the matrix is singular: pivot " + std::to_string(pivot) + " is 0 within rounding" +
                       detail::which_matrix(matrix, batch));
    }
  }
}

Tensor solve_numbers(const char* name, const Tensor& a, const Tensor& b) {
  const std::int64_t n = a.shape().back();
  const std::int64_t columns = b.shape().back();
  const Shape batch = broadcast_shapes(name, detail::batch_shape(a), detail::batch_shape(b));
  const bool shared = detail::batch_shape(a).size() == 1;
  const detail::PackedLu packed =
      detail::factorize(name, shared ? a : expand(a, detail::with_matrix(batch, n, n)));
  check_regular(name, packed);
  Tensor x = expand(b, detail::with_matrix(batch, n, columns)).copy();
  void* const unknowns = x.mutable_raw();
  const double work = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(columns);
  detail::for_each_matrix(name, a.dtype(), batch.size(), work, [&](auto zero, std::int64_t matrix) {
    using T = decltype(zero);
    const std::int64_t factor = shared ? 0 : matrix;
    const T* const factors = packed.factors.data<T>() + factor * n * n;
    T* const own = static_cast<T*>(unknowns) + matrix * n * columns;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t other = packed.pivots[static_cast<std::size_t>(factor * n + i)];
      if (other != i) std::swap_ranges(own + i * columns, own + (i + 1) * columns, own + other * columns);
    }
    kernels::triangular_solve({.lower = true, .transpose = false, .unit_diagonal = true}, n, columns, factors,
                              own);
    kernels::triangular_solve({.lower = false, .transpose = false, .unit_diagonal = false}, n, columns,
                              factors, own);
  });
  return x;
}

// For each matrix, the sign of its determinant and the logarithm of its magnitude.
struct SignsAndLogs {
  std::vector<double> signs;
  std::vector<double> logs;
  std::vector<double> products;  // the determinants themselves
};

SignsAndLogs determinants(const char* name, const Tensor& a, std::int64_t n) {
  const detail::PackedLu packed = detail::factorize(name, a);
  const Tensor pivots = diagonal(packed.factors).to(DType::f64).contiguous();
  SignsAndLogs result;
  const double* pivot = pivots.data<double>();
  const std::int64_t* exchange = packed.pivots.data();
  for (std::size_t matrix = 0; matrix < packed.vanishing.size(); ++matrix) {
    double sign = 1.0;
    double log_abs = 0.0;
    double product = 1.0;
    for (std::int64_t i = 0; i < n; ++i, ++pivot, ++exchange) {
      if (*exchange != i) sign = -sign;
      sign *= *pivot > 0.0 ? 1.0 : *pivot < 0.0 ? -1.0 : *pivot;
      log_abs += std::log(std::abs(*pivot));
      product *= std::abs(*pivot);
    }
    result.signs.push_back(sign + 0.0);  // no -0
    result.logs.push_back(log_abs);
    result.products.push_back(sign * product + 0.0);
  }
  return result;
}

Tensor without_row_or_column(const Tensor& a, int axis, std::int64_t index) {
  return concat(
      {slice(a, axis, {.start = 0, .stop = index}), slice(a, axis, {.start = index + 1, .stop = {}})}, axis);
}

// (-1)^(i + j) times the determinant without row i and column j.
Tensor cofactors_from_minors(const Tensor& a) {
  const std::int64_t n = a.shape().back();
  std::vector<Tensor> minors;
  std::vector<double> signs;
  for (std::int64_t i = 0; i < n; ++i) {
    const Tensor rows = without_row_or_column(a, -2, i);
    for (std::int64_t j = 0; j < n; ++j) {
      minors.push_back(without_row_or_column(rows, -1, j));
      signs.push_back((i + j) % 2 == 0 ? 1.0 : -1.0);
    }
  }
  const Tensor values = det(stack(minors, -3)) * tensor(signs).to(a.dtype());
  return reshape(values, a.shape());
}

// The derivative of the determinant, whose value is given. Where a matrix is close to singular its inverse
// loses half of its digits; the minors do not.
Tensor cofactors(const Tensor& a, const Tensor& value) {
  if (a.size() == 0) return a;
  const double precision = detail::limits_of("det", a.dtype()).epsilon;
  const detail::PackedLu packed = detail::factorize("det", a);
  const bool regular =
      std::ranges::all_of(packed.vanishing, [](std::int64_t pivot) { return pivot < 0; }) &&
      std::ranges::all_of(packed.spread, [&](double spread) { return spread > std::sqrt(precision); });
  if (!regular) return cofactors_from_minors(a);
  return unsqueeze(unsqueeze(value, -1), -1) * transpose(inverse(a));
}

}  // namespace

Tensor solve(const Tensor& a, const Tensor& b) {
  detail::check_square("solve", a);
  if (b.rank() == 1) return squeeze(solve(a, unsqueeze(b, 1)), -1);
  detail::check_system("solve", a, b);
  if (Tape* tape = recording_tape(a, b)) {
    const Tensor lower_a = tape->below(a);
    const Tensor x = solve(lower_a, tape->below(b));
    return tape->record("solve", x, {&a, &b},
                        [a = lower_a, x, shape = b.shape()](const Tensor& g, Pull& pull) {
                          const Tensor gradient = solve(transpose(a), g);
                          pull(0, [&] { return sum_to(-matmul(gradient, transpose(x)), a.shape()); });
                          pull(1, [&] { return sum_to(gradient, shape); });
                        });
  }
  const DType dtype = promote(a.dtype(), b.dtype());
  return solve_numbers("solve", a.to(dtype), b.to(dtype));
}

Tensor inverse(const Tensor& a) {
  const std::int64_t n = detail::check_square("inverse", a);
  if (Tape* tape = recording_tape(a)) {
    const Tensor y = inverse(tape->below(a));
    return tape->record("inverse", y, {&a}, [y](const Tensor& g, Pull& pull) {
      const Tensor turned = transpose(y);
      pull(0, [&] { return -matmul(matmul(turned, g), turned); });
    });
  }
  return solve_numbers("inverse", a, eye(n, a.dtype()));
}

Tensor det(const Tensor& a) {
  const std::int64_t n = detail::check_square("det", a);
  if (Tape* tape = recording_tape(a)) {
    const Tensor lower = tape->below(a);
    const Tensor y = det(lower);
    return tape->record("det", y, {&a}, [a = lower, y](const Tensor& g, Pull& pull) {
      pull(0, [&] { return unsqueeze(unsqueeze(g, -1), -1) * cofactors(a, y); });
    });
  }
  return tensor(determinants("det", a, n).products, detail::batch_shape(a)).to(a.dtype());
}

SignAndLogDet slogdet(const Tensor& a) {
  const std::int64_t n = detail::check_square("slogdet", a);
  if (Tape* tape = recording_tape(a)) {
    const Tensor lower = tape->below(a);
    SignAndLogDet result = slogdet(lower);
    result.log_abs = tape->record("slogdet", result.log_abs, {&a}, [a = lower](const Tensor& g, Pull& pull) {
      pull(0, [&] { return unsqueeze(unsqueeze(g, -1), -1) * transpose(inverse(a)); });
    });
    return result;
  }
  const SignsAndLogs values = determinants("slogdet", a, n);
  const Shape shape = detail::batch_shape(a);
  return {tensor(values.signs, shape).to(a.dtype()), tensor(values.logs, shape).to(a.dtype())};
}

Tensor logdet(const Tensor& a) {
  const SignAndLogDet parts = slogdet(a);
  return parts.log_abs + log(parts.sign);
}

}  // namespace likely
