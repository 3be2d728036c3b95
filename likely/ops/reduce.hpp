// Reductions over any axes. Without axes, over all of them. `keep` leaves the reduced axes in place with
// size 1.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "likely/core/tensor.hpp"

namespace likely {

// Which axes to reduce: one, several, or (default) all. Negative axes count from the end; each only once.
class Axes {
 public:
  Axes() = default;
  Axes(int axis) : Axes(std::span(&axis, 1)) {}                                          // NOLINT
  Axes(std::initializer_list<int> axes) : Axes(std::span(axes.begin(), axes.size())) {}  // NOLINT
  Axes(const std::vector<int>& axes) : Axes(std::span(axes)) {}                          // NOLINT

  // Bit i is set where axis i of the shape is reduced; refuses an axis out of range or named twice.
  std::uint32_t mask(std::string_view operation, const Shape& shape) const;

 private:
  explicit Axes(std::span<const int> axes);

  std::array<int, Shape::kMaxRank> axes_{};
  int count_ = -1;  // -1: all
};

// The sum of no elements is 0, the product 1. Bools and whole numbers sum to i64.
[[nodiscard]] Tensor sum(const Tensor& x, const Axes& axes = {}, bool keep = false);
// Means, variances and norms of bools and whole numbers are f32. The mean of no elements is NaN.
[[nodiscard]] Tensor mean(const Tensor& x, const Axes& axes = {}, bool keep = false);
// sum (x - mean)^2 / (n - correction); of equal numbers exactly 0. Refuses n <= correction.
[[nodiscard]] Tensor var(const Tensor& x, const Axes& axes = {}, bool keep = false, double correction = 0.0);
// sqrt(var); where the variance is 0 the derivative is 0.
[[nodiscard]] Tensor std(const Tensor& x, const Axes& axes = {}, bool keep = false, double correction = 0.0);
// The derivative is right also where elements are 0.
[[nodiscard]] Tensor prod(const Tensor& x, const Axes& axes = {}, bool keep = false);
// NaN if there is one. Equal largest elements share the gradient evenly. Refuses to reduce no elements.
[[nodiscard]] Tensor max(const Tensor& x, const Axes& axes = {}, bool keep = false);
[[nodiscard]] Tensor min(const Tensor& x, const Axes& axes = {}, bool keep = false);
// The index of the first largest element (or of the first NaN) along one axis, or in row-major order; i64.
[[nodiscard]] Tensor argmax(const Tensor& x);
[[nodiscard]] Tensor argmax(const Tensor& x, int axis, bool keep = false);
[[nodiscard]] Tensor argmin(const Tensor& x);
[[nodiscard]] Tensor argmin(const Tensor& x, int axis, bool keep = false);
// Whether any or all elements are not 0; bool.
[[nodiscard]] Tensor any(const Tensor& x, const Axes& axes = {}, bool keep = false);
[[nodiscard]] Tensor all(const Tensor& x, const Axes& axes = {}, bool keep = false);
// (sum |x|^order)^(1/order); order may be infinity. At the zero vector the derivative is 0. Refuses order
// < 1.
[[nodiscard]] Tensor norm(const Tensor& x, const Axes& axes = {}, bool keep = false, double order = 2.0);
// log sum e^x without overflow; -inf where all elements are -inf (derivative 0 there).
[[nodiscard]] Tensor logsumexp(const Tensor& x, const Axes& axes = {}, bool keep = false);

}  // namespace likely
