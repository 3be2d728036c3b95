#include "likely/ops/accumulate.hpp"

#include "likely/autodiff/tape.hpp"
#include "likely/kernels/strided/strided.hpp"
#include "likely/ops/arithmetic.hpp"

namespace likely {

void accumulate(Tensor& into, const Tensor& value) {
  const bool in_place = into.is_unique() && into.is_contiguous() && into.dtype() == value.dtype() &&
                        into.shape() == value.shape() && recording_tape(into, value) == nullptr;
  if (!in_place) {
    into = add(into, value);
    return;
  }
  into = into.with_track({});
  void* sums = into.mutable_raw();
  if (value.is_contiguous()) {
    kernels::apply_binary(kernels::Binary::add, into.dtype(), sums, value.raw(), sums, into.size());
  } else {
    kernels::apply_binary(kernels::Binary::add, into.dtype(), {sums}, {value.raw(), value.strides().data()},
                          sums, into.rank(), into.shape().data());
  }
}

}  // namespace likely
