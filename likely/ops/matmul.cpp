#include "likely/ops/matmul.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "likely/autodiff/tape.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/core/layer_error.hpp"
#include "likely/kernels/gemm/gemm.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/matrix_layout.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace {

std::string both_shapes(const Tensor& a, const Tensor& b) {
  return a.shape().string() + " x " + b.shape().string();
}

void check(const Tensor& a, const Tensor& b) {
  if (a.rank() == 0 || b.rank() == 0) {
    refuse("matmul", "vectors or matrices are needed, got " + both_shapes(a, b));
  }
  const std::int64_t rows_of_b = b.shape()[std::max(0, b.rank() - 2)];
  if (a.shape().back() != rows_of_b) refuse("matmul", "inner dimensions differ: " + both_shapes(a, b));
}

Shape batch_of(const Tensor& x) { return x.shape().sub(0, x.rank() - 2); }

// One axis along which products are repeated. The matrices of C are dense, one after the other.
struct Axis {
  std::int64_t size, step_a, step_b, step_c;
};

// The leading axes of a product, joined where the memory of both operands allows it.
struct Repetition {
  std::array<Axis, Shape::kMaxRank> axes;
  int count = 0;

  Axis& operator[](int i) { return axes[static_cast<std::size_t>(i)]; }
  const Axis& operator[](int i) const { return axes[static_cast<std::size_t>(i)]; }
};

Repetition repetition_of(const Tensor& a, const Tensor& b, const Shape& batch, std::int64_t matrix_of_c) {
  Repetition result;
  std::int64_t step_c = matrix_of_c;
  for (int i = batch.rank() - 1; i >= 0; --i) {
    if (batch[i] == 1) continue;
    const auto step_of = [&](const Tensor& x) {
      const int axis = i - batch.rank() + x.rank() - 2;
      return axis < 0 || x.shape()[axis] == 1 ? 0 : x.strides()[axis];
    };
    const Axis next{batch[i], step_of(a), step_of(b), step_c};
    step_c *= batch[i];
    if (result.count > 0) {
      Axis& inner = result[result.count - 1];
      if (next.step_a == inner.step_a * inner.size && next.step_b == inner.step_b * inner.size) {
        inner.size *= next.size;
        continue;
      }
    }
    result[result.count++] = next;
  }
  // The longest axis goes to the kernel as one batch: it offers the most to share between threads.
  int longest = 0;
  for (int i = 1; i < result.count; ++i) {
    if (result[i].size >= result[longest].size) longest = i;
  }
  if (result.count > 0) std::swap(result[longest], result[result.count - 1]);
  return result;
}

struct Sizes {
  std::int64_t m, n, k;
};

template <class T>
void multiply_matrices(const Sizes& s, const detail::MatrixLayout& la, const T* a,
                       const detail::MatrixLayout& lb, const T* b, T* c) {
  if constexpr (std::is_floating_point_v<T>) {
    kernels::gemm(la.transposed, lb.transposed, s.m, s.n, s.k, T(1), a, la.distance, b, lb.distance, T(0), c,
                  s.n);
  } else {
    const std::int64_t row_a = la.transposed ? 1 : la.distance;
    const std::int64_t column_a = la.transposed ? la.distance : 1;
    const std::int64_t row_b = lb.transposed ? 1 : lb.distance;
    const std::int64_t column_b = lb.transposed ? lb.distance : 1;
    for (std::int64_t i = 0; i < s.m; ++i) {
      T* const line = c + i * s.n;
      std::fill(line, line + s.n, T(0));
      for (std::int64_t l = 0; l < s.k; ++l) {
        const T factor = a[i * row_a + l * column_a];
        for (std::int64_t j = 0; j < s.n; ++j) line[j] += factor * b[l * row_b + j * column_b];
      }
    }
  }
}

// The axes but the last one by one, the last one at once.
template <class T>
void multiply_repeated(const Repetition& repetition, int axis, const Sizes& s, const detail::MatrixLayout& la,
                       const T* a, const detail::MatrixLayout& lb, const T* b, T* c) {
  if (repetition.count == 0) return multiply_matrices(s, la, a, lb, b, c);
  const Axis& along = repetition[axis];
  if constexpr (std::is_floating_point_v<T>) {
    if (axis == repetition.count - 1) {
      kernels::gemm_batched(la.transposed, lb.transposed, along.size, s.m, s.n, s.k, T(1), a, la.distance,
                            along.step_a, b, lb.distance, along.step_b, T(0), c, s.n, along.step_c);
      return;
    }
  }
  for (std::int64_t i = 0; i < along.size; ++i) {
    const T* const next_a = a + i * along.step_a;
    const T* const next_b = b + i * along.step_b;
    T* const next_c = c + i * along.step_c;
    if (axis == repetition.count - 1) {
      multiply_matrices(s, la, next_a, lb, next_b, next_c);
    } else {
      multiply_repeated(repetition, axis + 1, s, la, next_a, lb, next_b, next_c);
    }
  }
}

template <class T>
void multiply_into(Tensor& y, const detail::MatrixOperand& a, const detail::MatrixOperand& b,
                   const Shape& batch, Sizes s) {
  detail::MatrixLayout rows = a.layout();
  Repetition repetition = repetition_of(a.tensor(), b.tensor(), batch, s.m * s.n);
  if (repetition.count == 1 && !rows.transposed) {
    // Many matrices times the same one: their rows, if evenly spaced, are one tall matrix.
    const Axis& axis = repetition[0];
    const bool even = s.m == 1 ? axis.step_a >= s.k : axis.step_a == s.m * rows.distance;
    if (axis.step_b == 0 && even) {
      if (s.m == 1) rows.distance = std::max<std::int64_t>(1, axis.step_a);
      s.m *= axis.size;
      repetition.count = 0;
    }
  }
  multiply_repeated(repetition, 0, s, rows, a.tensor().data<T>(), b.layout(), b.tensor().data<T>(),
                    y.mutable_data<T>());
}

// Of two stacks of matrices of the same type.
Tensor multiply_stacks(const Tensor& a, const Tensor& b) {
  const Sizes sizes{a.shape()[a.rank() - 2], b.shape().back(), a.shape().back()};
  Shape batch;
  if (a.rank() > 2 || b.rank() > 2) {
    batch = concerning({&a, &b}, [&] { return broadcast_shapes("matmul", batch_of(a), batch_of(b)); });
  }
  Shape shape = batch;
  shape.push_back(sizes.m);
  shape.push_back(sizes.n);
  Tensor y = Tensor::uninitialized(shape, a.dtype());
  if (y.size() == 0) return y;
  const detail::MatrixOperand left(a);
  const detail::MatrixOperand right(b);
  detail::with_type("matmul", a.dtype(), [&]<class T>(T) {
    if constexpr (std::is_same_v<T, bool>) {
      detail::refuse_type("matmul", a.dtype());  // matmul() has made i64 of it
    } else {
      multiply_into<T>(y, left, right, batch, sizes);
    }
  });
  return y;
}

Tensor row_matrix(const Tensor& x) { return x.rank() == 1 ? unsqueeze(x, 0) : x; }
Tensor column_matrix(const Tensor& x) { return x.rank() == 1 ? unsqueeze(x, 1) : x; }

// The gradient of a product in its matrix form.
Tensor matrix_gradient(const Tensor& a, const Tensor& b, const Tensor& g) {
  Shape shape = a.rank() > 2 || b.rank() > 2 ? broadcast_shapes("matmul", batch_of(a), batch_of(b)) : Shape();
  shape.push_back(a.shape()[a.rank() - 2]);
  shape.push_back(b.shape().back());
  return reshape(g, shape);
}

Tensor gradient_for_left(const Tensor& a, const Tensor& b, const Tensor& g) {
  const Tensor left = row_matrix(a);
  const Tensor right = column_matrix(b);
  const Tensor whole = matmul(matrix_gradient(left, right, g), transpose(right));
  return reshape(sum_to(whole, left.shape()), a.shape());
}

Tensor gradient_for_right(const Tensor& a, const Tensor& b, const Tensor& g) {
  const Tensor left = row_matrix(a);
  const Tensor right = column_matrix(b);
  const Tensor above = matrix_gradient(left, right, g);
  if (right.rank() == 2 && left.rank() > 2) {
    // One product over all rows instead of a sum of many.
    const std::int64_t rows = left.shape().sub(0, left.rank() - 1).size();
    const Tensor tall = reshape(left, {rows, left.shape().back()});
    return reshape(matmul(transpose(tall), reshape(above, {rows, right.shape().back()})), b.shape());
  }
  return reshape(sum_to(matmul(transpose(left), above), right.shape()), b.shape());
}

void check_vectors(const char* name, const Tensor& a, const Tensor& b) {
  if (a.rank() != 1 || b.rank() != 1) refuse(name, "two vectors are needed, got " + both_shapes(a, b));
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  concerning({&a, &b}, [&] { check(a, b); });
  if (Tape* tape = recording_tape(a, b)) {
    const Tensor lower_a = tape->below(a);
    const Tensor lower_b = tape->below(b);
    return tape->record("matmul", matmul(lower_a, lower_b), {&a, &b},
                        [a = lower_a, b = lower_b](const Tensor& g, Pull& pull) {
                          pull(0, [&] { return gradient_for_left(a, b, g); });
                          pull(1, [&] { return gradient_for_right(a, b, g); });
                        });
  }
  DType dtype = promote(a.dtype(), b.dtype());
  if (dtype == DType::boolean) dtype = DType::i64;
  if (a.dtype() != dtype || b.dtype() != dtype) return matmul(cast(a, dtype), cast(b, dtype));
  if (a.rank() > 1 && b.rank() > 1) return multiply_stacks(a, b);
  const Tensor y = multiply_stacks(row_matrix(a), column_matrix(b));
  Shape shape = y.shape();
  if (b.rank() == 1) shape.erase(shape.rank() - 1);
  if (a.rank() == 1) shape.erase(shape.rank() - (b.rank() == 1 ? 1 : 2));
  return reshape(y, shape);
}

Tensor dot(const Tensor& a, const Tensor& b) {
  check_vectors("dot", a, b);
  if (a.size() != b.size()) refuse("dot", "lengths differ: " + both_shapes(a, b));
  return matmul(a, b);
}

Tensor outer(const Tensor& a, const Tensor& b) {
  check_vectors("outer", a, b);
  return unsqueeze(a, 1) * unsqueeze(b, 0);
}

}  // namespace likely
