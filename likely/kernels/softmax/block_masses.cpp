#include "likely/kernels/softmax/block_masses.hpp"

#include "likely/kernels/row_tiles.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/softmax/block_masses.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/softmax/rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

template <class T>
void masses_of(const T* x, double* out, std::int64_t cols) {
  const hn::ScalableTag<T> d;
  for (std::int64_t begin = 0; begin < cols; begin += kMassBlock) {
    const std::int64_t n = std::min(kMassBlock, cols - begin);
    *out++ = static_cast<double>(
        sum_of_exponentials(d, x + begin, n, T{0}, static_cast<T*>(nullptr), kSoftmaxBlock));
  }
}

void masses_float(const float* x, double* out, std::int64_t cols) { masses_of(x, out, cols); }
void masses_double(const double* x, double* out, std::int64_t cols) { masses_of(x, out, cols); }

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(masses_float);
HWY_EXPORT(masses_double);

namespace {

template <class T, class Kernel>
void masses_of_rows(const T* x, double* out, std::int64_t rows, std::int64_t cols, Kernel kernel) {
  for_row_tiles(rows, cols, 0.3, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row)
      kernel(x + row * cols, out + row * mass_blocks(cols), cols);
  });
}

}  // namespace

void block_masses(const float* x, double* out, std::int64_t rows, std::int64_t cols) {
  masses_of_rows(x, out, rows, cols, HWY_DYNAMIC_DISPATCH(masses_float));
}
void block_masses(const double* x, double* out, std::int64_t rows, std::int64_t cols) {
  masses_of_rows(x, out, rows, cols, HWY_DYNAMIC_DISPATCH(masses_double));
}

}  // namespace likely::kernels
#endif
