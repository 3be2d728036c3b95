#include "likely/prob/distributions/standardized.hpp"

#include "likely/kernels/elementwise/compare.hpp"

namespace likely::detail {

bool all_finite(const Tensor& x) {
  const Tensor dense = x.with_track({}).contiguous();
  return kernels::all_finite(dense.raw(), dense.size(), dense.dtype());
}

Tensor standardized(const Tensor& x, const Tensor& location, const Tensor& scale) {
  const auto plain = [](const Tensor& v, const Tensor& m, const Tensor& s) { return (v - m) / s; };
  // Halves of numbers so large are exact.
  const auto careful = [](const Tensor& v, const Tensor& m, const Tensor& s) {
    return (v * 0.5 - m * 0.5) / s * 2.0;
  };
  return with_care(plain, careful, floating(x, location), location, scale);
}

Tensor log_standardized(const Tensor& x, const Tensor& location, const Tensor& scale) {
  return log(abs(x * 0.5 - location * 0.5)) - (log(scale) - std::numbers::ln2);
}

}  // namespace likely::detail
