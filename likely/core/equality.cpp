#include <cmath>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely {

namespace {

// Both as f64 in one shape; the values of small and large types alike survive, i64 beyond 2^53 does not.
std::vector<double> expanded(const Tensor& tensor, const Shape& shape) {
  Strides strides = Strides::filled(shape.rank(), 0);
  const int lead = shape.rank() - tensor.rank();
  for (int i = 0; i < tensor.rank(); ++i) {
    if (tensor.shape()[i] != 1) strides[lead + i] = tensor.strides()[i];
  }
  return tensor.with_track({}).view(shape, strides, 0).to_vector<double>();
}

}  // namespace

bool array_equal(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.dtype() == DType::i64) return a.to_vector<std::int64_t>() == b.to_vector<std::int64_t>();
  return a.to_vector<double>() == b.to_vector<double>();
}

bool allclose(const Tensor& a, const Tensor& b, double relative, double absolute) {
  const Shape shape = broadcast_shapes("allclose", a.shape(), b.shape());
  const std::vector<double> left = expanded(a, shape);
  const std::vector<double> right = expanded(b, shape);
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i] == right[i]) continue;  // also equal infinities
    if (!(std::abs(left[i] - right[i]) <= absolute + relative * std::abs(right[i]))) return false;
    if (std::isinf(left[i]) || std::isinf(right[i])) return false;
  }
  return true;
}

}  // namespace likely
