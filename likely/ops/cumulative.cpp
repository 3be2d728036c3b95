#include "likely/ops/cumulative.hpp"

#include <limits>
#include <utility>

#include "likely/autodiff/tape.hpp"
#include "likely/core/create.hpp"
#include "likely/kernels/recurrence.hpp"
#include "likely/kernels/reduce/cumulative.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor as_number(const Tensor& x) { return x.dtype() == DType::boolean ? cast(x, DType::i64) : x; }
Tensor as_floating(const Tensor& x) { return is_floating(x.dtype()) ? x : cast(x, DType::f32); }

Tensor run(kernels::Cumulative operation, const Tensor& x, int axis, bool reversed) {
  const Tensor dense = x.contiguous();
  Tensor result = Tensor::uninitialized(x.shape(), x.dtype());
  kernels::cumulate(operation, x.dtype(), dense.raw(), result.mutable_raw(), x.shape().sub(0, axis).size(),
                    x.shape()[axis], x.shape().sub(axis + 1, x.rank()).size(), reversed);
  return result;
}

// Each element's predecessor along the axis, in the direction of the totals; `first` for the one that has
// none.
Tensor delayed(const Tensor& x, int axis, bool reversed, double first) {
  const std::int64_t n = x.shape()[axis];
  if (n == 0) return x;
  Shape shape = x.shape();
  shape[axis] = 1;
  const Tensor edge = constant(shape, first, x.dtype());
  return reversed ? concat({slice(x, axis, {1, n}), edge}, axis)
                  : concat({edge, slice(x, axis, {0, n - 1})}, axis);
}

}  // namespace

Tensor cumsum(const Tensor& x, int axis, bool reversed) {
  const int a = x.shape().axis("cumsum", axis);
  if (Tape* tape = recording_tape(x)) {
    return tape->record(
        "cumsum", cumsum(tape->below(x), a, reversed), {&x},
        [a, reversed](const Tensor& g, Pull& pull) { pull(0, [&] { return cumsum(g, a, !reversed); }); });
  }
  return run(kernels::Cumulative::sum, as_number(x), a, reversed);
}

Tensor cumprod(const Tensor& x, int axis, bool reversed) {
  const int a = x.shape().axis("cumprod", axis);
  if (Tape* tape = recording_tape(x)) {
    const Tensor lower = tape->below(x);
    const Tensor y = cumprod(lower, a, reversed);
    return tape->record("cumprod", y, {&x}, [lower, y, a, reversed](const Tensor& g, Pull& pull) {
      // d/dx_i sum_k g_k y_k = y_(i-1) s_i with s_i = g_i + x_(i+1) s_(i+1): no division, so zeros are
      // welcome.
      pull(0, [&] {
        const Tensor later = linear_recurrence(delayed(lower, a, !reversed, 0.0), g, a, !reversed);
        return delayed(y, a, reversed, 1.0) * later;
      });
    });
  }
  return run(kernels::Cumulative::product, as_number(x), a, reversed);
}

Tensor logcumsumexp(const Tensor& x, int axis, bool reversed) {
  const int a = x.shape().axis("logcumsumexp", axis);
  if (Tape* tape = recording_tape(x)) {
    const Tensor lower = tape->below(x);
    const Tensor y = logcumsumexp(lower, a, reversed);
    return tape->record("logcumsumexp", y, {&x}, [lower, y, a, reversed](const Tensor& g, Pull& pull) {
      // e^x_i sum_(k >= i) g_k e^-y_k as a recurrence: s_i = g_i + e^(y_i - y_(i+1)) s_(i+1), whose factors
      // are at most 1, then e^(x_i - y_i) s_i.
      pull(0, [&] {
        const Tensor started = is_finite(y);
        const Tensor total = where(started, y, 0.0);
        const Tensor next = delayed(total, a, !reversed, kInfinity);
        const Tensor decay = exp(where(started, total - next, -kInfinity));
        return linear_recurrence(decay, g, a, !reversed) * exp(lower - total);
      });
    });
  }
  return run(kernels::Cumulative::logsumexp, as_floating(x), a, reversed);
}

Tensor linear_recurrence(const Tensor& a, const Tensor& b, int axis, bool reversed) {
  if (a.dtype() != b.dtype() || !is_floating(a.dtype()) || !(a.shape() == b.shape())) {
    const DType common = promote(promote(a.dtype(), b.dtype()), DType::f32);
    const Shape shape = broadcast_shapes("linear_recurrence", a.shape(), b.shape());
    return linear_recurrence(expand(cast(a, common), shape), expand(cast(b, common), shape),
                             shape.axis("linear_recurrence", axis), reversed);
  }
  const int along = a.shape().axis("linear_recurrence", axis);
  if (Tape* tape = recording_tape(a, b)) {
    const Tensor factor = tape->below(a);
    const Tensor y = linear_recurrence(factor, tape->below(b), along, reversed);
    return tape->record(
        "linear_recurrence", y, {&a, &b}, [factor, y, along, reversed](const Tensor& g, Pull& pull) {
          // The gradient runs through the same recurrence from the other end.
          Tensor back = linear_recurrence(delayed(factor, along, !reversed, 0.0), g, along, !reversed);
          pull(0, [&] { return back * delayed(y, along, reversed, 0.0); });
          pull(1, [&] { return std::move(back); });
        });
  }
  const Tensor factors = a.contiguous();
  const Tensor inputs = b.contiguous();
  const Shape& shape = a.shape();
  Tensor result = Tensor::uninitialized(shape, a.dtype());
  kernels::linear_recurrence(a.dtype(), factors.raw(), inputs.raw(), result.mutable_raw(),
                             shape.sub(0, along).size(), shape[along],
                             shape.sub(along + 1, shape.rank()).size(), reversed);
  return result;
}

}  // namespace likely
