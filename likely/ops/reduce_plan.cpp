#include "likely/ops/reduce_plan.hpp"

#include <algorithm>
#include <vector>

#include "likely/ops/view.hpp"

namespace likely {

Axes::Axes(std::span<const int> axes) : count_(static_cast<int>(axes.size())) {
  if (axes.size() > axes_.size())
    refuse("reduce", "at most 8 axes can be named, got " + std::to_string(axes.size()));
  std::copy(axes.begin(), axes.end(), axes_.begin());
}

std::uint32_t Axes::mask(std::string_view operation, const Shape& shape) const {
  if (count_ < 0) return (1U << static_cast<unsigned>(shape.rank())) - 1U;
  std::uint32_t mask = 0;
  for (int i = 0; i < count_; ++i) {
    const std::uint32_t bit =
        1U << static_cast<unsigned>(shape.axis(operation, axes_[static_cast<std::size_t>(i)]));
    if ((mask & bit) != 0) {
      refuse(operation, "axis " + std::to_string(axes_[static_cast<std::size_t>(i)]) + " is named twice");
    }
    mask |= bit;
  }
  return mask;
}

namespace detail {

namespace {
bool has(std::uint32_t mask, int axis) { return (mask >> static_cast<unsigned>(axis) & 1U) != 0; }
}  // namespace

ReducePlan plan_reduction(const Tensor& x, std::uint32_t mask) {
  ReducePlan plan;
  const Shape& shape = x.shape();
  // One run of reduced axes, apart from those of size 1, which can be anywhere.
  int state = 0;  // before, in, behind the run
  bool apart = false;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == 1) continue;
    if (has(mask, i)) {
      apart = apart || state == 2;
      state = 1;
      plan.reduced *= shape[i];
    } else if (state == 0) {
      plan.outer *= shape[i];
    } else {
      state = 2;
      plan.inner *= shape[i];
    }
  }
  if (!apart) {
    plan.dense = x.contiguous();
    return plan;
  }
  std::vector<int> order;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!has(mask, i)) order.push_back(i);
  }
  for (int i = 0; i < shape.rank(); ++i) {
    if (has(mask, i)) order.push_back(i);
  }
  plan.outer *= plan.inner;
  plan.inner = 1;
  plan.dense = permute(x, order).contiguous();
  return plan;
}

Shape reduced_shape(const Shape& shape, std::uint32_t mask, bool keep) {
  Shape result;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!has(mask, i)) {
      result.push_back(shape[i]);
    } else if (keep) {
      result.push_back(1);
    }
  }
  return result;
}

std::int64_t reduced_count(const Shape& shape, std::uint32_t mask) {
  std::int64_t count = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (has(mask, i)) count *= shape[i];
  }
  return count;
}

Tensor spread(const Tensor& reduced, const Shape& whole, std::uint32_t mask) {
  return expand(reshape(reduced, reduced_shape(whole, mask, true)), whole);
}

}  // namespace detail
}  // namespace likely
