#include "likely/ops/dropout.hpp"

#include <fmt/format.h>

#include "likely/autodiff/tape.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/kernels/random/discrete.hpp"
#include "likely/ops/rows.hpp"

namespace likely {

namespace {

// The operation is linear, so it is its own gradient.
Tensor apply_dropout(const Tensor& x, double p, kernels::RandomKey key) {
  if (Tape* tape = recording_tape(x)) {
    return tape->record(
        "dropout", apply_dropout(tape->below(x), p, key), {&x},
        [p, key](const Tensor& g, Pull& pull) { pull(0, [&] { return apply_dropout(g, p, key); }); });
  }
  const Tensor dense = x.contiguous();
  Tensor y = Tensor::uninitialized(x.shape(), x.dtype());
  detail::with_floating("dropout", x.dtype(), [&]<class T>(T) {
    kernels::keep_some(key, 1.0 - p, dense.data<T>(), y.mutable_data<T>(), y.size());
  });
  return y;
}

}  // namespace

Tensor dropout(const Tensor& x, double p, Rng rng) {
  detail::check_floating("dropout", "x", x);
  if (!(p >= 0.0 && p < 1.0)) refuse("dropout", fmt::format("p must lie in [0, 1), got {}", p));
  if (p == 0.0) return x;
  return apply_dropout(x, p, rng.draw());
}

}  // namespace likely
