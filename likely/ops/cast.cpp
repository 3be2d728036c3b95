#include "likely/ops/cast.hpp"

#include "likely/autodiff/tape.hpp"

namespace likely {

Tensor cast(const Tensor& x, DType dtype) {
  if (x.dtype() == dtype) return x.with_track(x.track());
  if (is_floating(dtype)) {
    if (Tape* tape = recording_tape(x)) {
      return tape->record(
          "cast", cast(tape->below(x), dtype), {&x},
          [from = x.dtype()](const Tensor& g, Pull& pull) { pull(0, [&] { return cast(g, from); }); });
    }
  }
  return x.with_track({}).to(dtype);
}

}  // namespace likely
