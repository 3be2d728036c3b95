#include "likely/ops/accumulate.hpp"

#include "likely/autodiff/tape.hpp"
#include "likely/kernels/strided.hpp"
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
  const kernels::BinaryRow row = kernels::binary_row(kernels::Binary::add, into.dtype());
  kernels::apply_binary(row, kernels::nanoseconds_per_element(kernels::Binary::add, into.dtype()),
                        size_of(into.dtype()), size_of(into.dtype()), into.rank(), into.shape().data(),
                        {sums, into.strides().data()}, {value.raw(), value.strides().data()}, sums, 0.0);
}

}  // namespace likely
