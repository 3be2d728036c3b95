#include "likely/ops/sparse.hpp"

#include <string>

#include "likely/autodiff/tape.hpp"
#include "likely/core/create.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/kernels/sparse.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/sparse_pattern.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace {

using Pattern = std::shared_ptr<const detail::SparsePattern>;

template <class T>
kernels::SparseRows<T> rows_of(const detail::SparsePattern& p, const T* values) {
  return {p.rows(), p.row_offsets().data<std::int64_t>(), p.column_indices().data<std::int64_t>(), values,
          nullptr};
}

template <class T>
kernels::SparseRows<T> transposed_rows_of(const detail::SparsePattern& p, const T* values) {
  const detail::SparsePattern::Columns& columns = p.by_columns();
  return {p.columns(), columns.offsets.data<std::int64_t>(), columns.row_indices.data<std::int64_t>(), values,
          columns.positions.data<std::int64_t>()};
}

Tensor sampled_product(const Pattern& pattern, const Tensor& left, const Tensor& right);

// A x, or A^T x, for A of these values and x (., d), of one type.
Tensor multiply(const Pattern& pattern, const Tensor& values, const Tensor& x, bool transposed) {
  if (Tape* tape = recording_tape(values, x)) {
    const Tensor lower_values = tape->below(values);
    const Tensor lower_x = tape->below(x);
    return tape->record(
        "sparse_matmul", multiply(pattern, lower_values, lower_x, transposed), {&values, &x},
        [pattern, values = lower_values, x = lower_x, transposed](const Tensor& g, Pull& pull) {
          pull(0,
               [&] { return transposed ? sampled_product(pattern, x, g) : sampled_product(pattern, g, x); });
          pull(1, [&] { return multiply(pattern, values, g, !transposed); });
        });
  }
  const std::int64_t width = x.shape()[1];
  const Tensor dense_values = values.contiguous();
  const Tensor dense_x = x.contiguous();
  Tensor y = Tensor::uninitialized({transposed ? pattern->columns() : pattern->rows(), width}, x.dtype());
  detail::with_floating("matmul", x.dtype(), [&]<class T>(T) {
    const T* const data = dense_values.data<T>();
    kernels::sparse_multiply(transposed ? transposed_rows_of(*pattern, data) : rows_of(*pattern, data),
                             dense_x.data<T>(), width, y.mutable_data<T>());
  });
  return y;
}

// left right^T at the entries of the pattern only: y[e] = sum over k of left[row of e, k] right[column of e,
// k].
Tensor sampled_product(const Pattern& pattern, const Tensor& left, const Tensor& right) {
  if (Tape* tape = recording_tape(left, right)) {
    const Tensor lower_left = tape->below(left);
    const Tensor lower_right = tape->below(right);
    return tape->record("sparse_sampled_product", sampled_product(pattern, lower_left, lower_right),
                        {&left, &right},
                        [pattern, left = lower_left, right = lower_right](const Tensor& g, Pull& pull) {
                          pull(0, [&] { return multiply(pattern, g, right, false); });
                          pull(1, [&] { return multiply(pattern, g, left, true); });
                        });
  }
  const Tensor dense_left = left.contiguous();
  const Tensor dense_right = right.contiguous();
  Tensor y = Tensor::uninitialized({pattern->entries()}, left.dtype());
  detail::with_floating("matmul", left.dtype(), [&]<class T>(T) {
    kernels::sparse_multiply_values_gradient(rows_of<T>(*pattern, nullptr), dense_left.data<T>(),
                                             dense_right.data<T>(), left.shape()[1], y.mutable_data<T>());
  });
  return y;
}

Tensor put_back(const Tensor& g, const Tensor& winners, std::int64_t rows);

// y[i, k] = x[winners[i, k], k], or 0 where there is no winner. `known` is the result, if it is known.
Tensor pick(const Tensor& x, const Tensor& winners, const Tensor& known) {
  if (Tape* tape = recording_tape(x)) {
    return tape->record("sparse_max", pick(tape->below(x), winners, known), {&x},
                        [winners, rows = x.shape()[0]](const Tensor& g, Pull& pull) {
                          pull(0, [&] { return put_back(g, winners, rows); });
                        });
  }
  if (known.defined()) return known;
  const Tensor dense = x.contiguous();
  const std::int64_t width = x.shape()[1];
  Tensor y = Tensor::uninitialized(winners.shape(), x.dtype());
  const std::int64_t* const winner = winners.data<std::int64_t>();
  detail::with_floating("sparse_max", x.dtype(), [&]<class T>(T) {
    const T* const from = dense.data<T>();
    T* const out = y.mutable_data<T>();
    for (std::int64_t i = 0; i < y.size(); ++i) {
      out[i] = winner[i] < 0 ? T(0) : from[winner[i] * width + i % width];
    }
  });
  return y;
}

// The other way round: y[winners[i, k], k] += g[i, k].
Tensor put_back(const Tensor& g, const Tensor& winners, std::int64_t rows) {
  if (Tape* tape = recording_tape(g)) {
    return tape->record(
        "sparse_max_gradient", put_back(tape->below(g), winners, rows), {&g},
        [winners](const Tensor& gg, Pull& pull) { pull(0, [&] { return pick(gg, winners, {}); }); });
  }
  const Tensor dense = g.contiguous();
  const std::int64_t width = g.shape()[1];
  Tensor y = zeros({rows, width}, g.dtype());
  detail::with_floating("sparse_max", g.dtype(), [&]<class T>(T) {
    kernels::sparse_max_backward(dense.data<T>(), winners.data<std::int64_t>(), g.shape()[0], width,
                                 y.mutable_data<T>());
  });
  return y;
}

void check_operand(const char* name, const SparseMatrix& a, const Tensor& x) {
  if (x.rank() < 1 || x.rank() > 2 || x.shape()[0] != a.columns()) {
    refuse(name, "a vector or matrix with " + std::to_string(a.columns()) + " rows is needed for a sparse " +
                     Shape{a.rows(), a.columns()}.string() + ", got shape " + x.shape().string());
  }
}

}  // namespace

Tensor matmul(const SparseMatrix& a, const Tensor& x) {
  check_operand("matmul", a, x);
  if (x.rank() == 1) return squeeze(matmul(a, unsqueeze(x, 1)), 1);
  const DType dtype = promote(a.values().dtype(), x.dtype());
  return multiply(a.pattern_, cast(a.values(), dtype), cast(x, dtype), false);
}

Tensor sparse_max(const SparseMatrix& a, const Tensor& x) {
  check_operand("sparse_max", a, x);
  if (!is_floating(x.dtype())) {
    refuse("sparse_max", "floating numbers are needed, got " + std::string(name_of(x.dtype())));
  }
  if (x.rank() == 1) return squeeze(sparse_max(a, unsqueeze(x, 1)), 1);
  const Tensor dense = x.with_track({}).contiguous();
  const Shape shape{a.rows(), x.shape()[1]};
  Tensor y = Tensor::uninitialized(shape, x.dtype());
  Tensor winners = Tensor::uninitialized(shape, DType::i64);
  detail::with_floating("sparse_max", x.dtype(), [&]<class T>(T) {
    kernels::sparse_max(rows_of<T>(*a.pattern_, nullptr), dense.data<T>(), shape[1], y.mutable_data<T>(),
                        winners.mutable_data<std::int64_t>());
  });
  return pick(x, winners, y);
}

}  // namespace likely
