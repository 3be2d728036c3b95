#include "likely/ops/softmax.hpp"

#include <fmt/format.h>

#include "likely/autodiff/tape.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/kernels/softmax/softmax.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce.hpp"
#include "likely/ops/rows.hpp"
#include "likely/ops/view.hpp"

namespace likely {

using detail::with_floating;

namespace {

// An operation of the kernels on dense rows, which reports a row that has no softmax.
template <class Kernel>
Tensor forward(const char* name, const Tensor& x, const Kernel& kernel) {
  const Tensor dense = x.contiguous();
  Tensor y = Tensor::uninitialized(x.shape(), x.dtype());
  if (y.size() == 0) return y;
  const std::int64_t cols = x.shape().back();
  with_floating(name, x.dtype(), [&]<class T>(T) {
    const std::int64_t bad = kernel(dense.data<T>(), y.mutable_data<T>(), y.size() / cols, cols);
    detail::check_bad_row(name, "input", x.shape(), bad);
  });
  return y;
}

template <class Kernel>
Tensor backward(const char* name, const Tensor& y, const Tensor& g, const Kernel& kernel) {
  const Tensor dense_y = y.contiguous();
  const Tensor dense_g = g.contiguous();
  Tensor dx = Tensor::uninitialized(y.shape(), y.dtype());
  if (dx.size() == 0) return dx;
  const std::int64_t cols = y.shape().back();
  with_floating(name, y.dtype(), [&]<class T>(T) {
    kernel(dense_y.data<T>(), dense_g.data<T>(), dx.mutable_data<T>(), dx.size() / cols, cols);
  });
  return dx;
}

using Operation = Tensor (*)(const Tensor& x, int axis);

// Along another axis than the last: the same on the transposed tensor.
Tensor along_axis(Operation operation, const Tensor& x, int axis) {
  return transpose(operation(transpose(x, axis, -1), -1), axis, -1);
}

// The axis counted from 0, after the checks that both operations make.
int checked_axis(const char* name, const Tensor& x, int axis) {
  if (x.rank() == 0) detail::check_rows(name, "x", x);
  const int a = x.shape().axis(name, axis);
  if (x.shape()[a] == 0) {
    refuse(name, fmt::format("axis {} of shape {} holds no elements", a, x.shape().string()));
  }
  detail::check_floating(name, "x", x);
  return a;
}

}  // namespace

Tensor softmax_gradient(const Tensor& y, const Tensor& g) {
  if (Tape* tape = recording_tape(y, g)) {
    const Tensor lower_y = tape->below(y);
    const Tensor lower_g = tape->below(g);
    return tape->record("softmax_gradient", softmax_gradient(lower_y, lower_g), {&y, &g},
                        [y = lower_y, g = lower_g](const Tensor& h, Pull& pull) {
                          pull(0, [&] {
                            const Tensor average = sum(g * y, -1, true);
                            return h * (g - average) - g * sum(h * y, -1, true);
                          });
                          pull(1, [&] { return softmax_gradient(y, h); });
                        });
  }
  return backward("softmax", y, g, [](const auto* out, const auto* gradient, auto* dx, auto... sizes) {
    kernels::softmax_backward(out, gradient, dx, sizes...);
  });
}

Tensor log_softmax_gradient(const Tensor& y, const Tensor& g) {
  if (Tape* tape = recording_tape(y, g)) {
    const Tensor lower_y = tape->below(y);
    const Tensor lower_g = tape->below(g);
    return tape->record("log_softmax_gradient", log_softmax_gradient(lower_y, lower_g), {&y, &g},
                        [y = lower_y, g = lower_g](const Tensor& h, Pull& pull) {
                          pull(0, [&] { return -(h * exp(y) * sum(g, -1, true)); });
                          pull(1, [&] { return h - sum(h * exp(y), -1, true); });
                        });
  }
  return backward("log_softmax", y, g, [](const auto* out, const auto* gradient, auto* dx, auto... sizes) {
    kernels::log_softmax_backward(out, gradient, dx, sizes...);
  });
}

Tensor softmax(const Tensor& x, int axis) {
  const int a = checked_axis("softmax", x, axis);
  if (a != x.rank() - 1) return along_axis(softmax, x, a);
  if (Tape* tape = recording_tape(x)) {
    const Tensor y = softmax(tape->below(x), a);
    return tape->record("softmax", y, {&x}, [y](const Tensor& g, Pull& pull) {
      pull(0, [&] { return softmax_gradient(y, g); });
    });
  }
  return forward("softmax", x, [](const auto* from, auto* to, std::int64_t rows, std::int64_t cols) {
    return kernels::softmax(from, to, rows, cols);
  });
}

Tensor log_softmax(const Tensor& x, int axis) {
  const int a = checked_axis("log_softmax", x, axis);
  if (a != x.rank() - 1) return along_axis(log_softmax, x, a);
  if (Tape* tape = recording_tape(x)) {
    const Tensor y = log_softmax(tape->below(x), a);
    return tape->record("log_softmax", y, {&x}, [y](const Tensor& g, Pull& pull) {
      pull(0, [&] { return log_softmax_gradient(y, g); });
    });
  }
  return forward("log_softmax", x, [](const auto* from, auto* to, std::int64_t rows, std::int64_t cols) {
    return kernels::log_softmax(from, to, rows, cols);
  });
}

}  // namespace likely
