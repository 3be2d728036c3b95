// Working memory of a kernel: thread-local, and kept until trim_memory(), so that steady state neither
// allocates nor faults pages. A kernel makes no tensor while it uses some: a trim that another thread asked
// for is done where tensors are made. Internal to likely.
#pragma once

#include <cstddef>
#include <cstdint>

namespace likely::kernels {

// Who uses the memory. Two users alive at the same time on one thread need two slots.
enum class ScratchSlot : std::uint8_t {
  gemm_partial_sums,
  gemm_panels_of_a,
  gemm_panels_of_b,
  gemm_transposed,
  gemm_zeros_ends,
  gemm_zeros_offsets,
  gemm_zeros_sums,
  gemm_zeros_values,
  convolution_columns,
  convolution_partial_sums,
  convolution_flat,
  convolution_pixels,
  convolution_sums,
  convolution_values,
  convolution_weights,
  pooling_line,
  order_items,
  order_exchange,
  order_values,
  normalize_column_sums,
  count
};

// At least `bytes` bytes, aligned to 64, owned by the calling thread and valid until its next call with this
// slot. The contents are whatever was there.
void* scratch_bytes(ScratchSlot slot, std::size_t bytes);

[[noreturn]] void refuse_bytes(std::size_t bytes);

// Refuses what there is no memory for.
template <class T>
T* scratch(ScratchSlot slot, std::int64_t count) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<std::size_t>(count), sizeof(T), &bytes)) refuse_bytes(SIZE_MAX);
  return static_cast<T*>(scratch_bytes(slot, bytes));
}

}  // namespace likely::kernels
