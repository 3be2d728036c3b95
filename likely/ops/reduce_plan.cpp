#include "likely/ops/reduce_plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "likely/ops/arithmetic.hpp"
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

using kernels::Reduce;

bool has(std::uint32_t mask, int axis) { return (mask >> static_cast<unsigned>(axis) & 1U) != 0; }

// What puts the results of one group of axes together along the next.
Reduce and_then(Reduce operation) {
  switch (operation) {
    case Reduce::sum_of_squares:
    case Reduce::sum_of_magnitudes:
    case Reduce::count_nonzero: return Reduce::sum;
    default: return operation;
  }
}

// The result for elements that each stand for `times` equal ones.
Tensor repeated(Reduce operation, const Tensor& result, std::int64_t times) {
  switch (operation) {
    case Reduce::sum:
    case Reduce::sum_of_squares:
    case Reduce::sum_of_magnitudes:
    case Reduce::count_nonzero: return result * times;
    case Reduce::product: return pow(result, times);
    case Reduce::logsumexp: return result + std::log(static_cast<double>(times));
    case Reduce::maximum:
    case Reduce::minimum:
    case Reduce::any:
    case Reduce::all: break;
  }
  return result;
}

bool repeats(const Tensor& x, int axis) { return x.strides()[axis] == 0 && x.shape()[axis] > 1; }

bool has_repeats(const Tensor& x) {
  if (x.size() == 0) return false;
  for (int i = 0; i < x.rank(); ++i) {
    if (repeats(x, i)) return true;
  }
  return false;
}

Tensor reduce_once(Reduce operation, const Tensor& x, std::uint32_t mask) {
  Shape once = x.shape();
  std::int64_t times = 1;
  for (int i = 0; i < x.rank(); ++i) {
    if (!repeats(x, i)) continue;
    if (has(mask, i)) times *= once[i];
    once[i] = 1;
  }
  const Tensor result = reduce_axes(operation, x.view(once, x.strides(), 0), mask, true);
  return expand(times == 1 ? result : repeated(operation, result, times),
                reduced_shape(x.shape(), mask, true));
}

// Contiguous elements, group after group of neighbouring axes, the last first.
Tensor reduce_groups(Reduce operation, const Tensor& x, std::uint32_t mask, const Shape& result_shape) {
  struct Group {
    std::int64_t size;
    bool reduced;
  };
  std::array<Group, Shape::kMaxRank> groups;
  int count = 0;
  int reduced_groups = 0;
  for (int i = 0; i < x.rank(); ++i) {
    if (x.shape()[i] == 1) continue;
    const bool reduced = has(mask, i);
    if (count > 0 && groups[static_cast<std::size_t>(count - 1)].reduced == reduced) {
      groups[static_cast<std::size_t>(count - 1)].size *= x.shape()[i];
    } else {
      groups[static_cast<std::size_t>(count++)] = {x.shape()[i], reduced};
      if (reduced) ++reduced_groups;
    }
  }
  if (reduced_groups == 0) {
    Tensor result = Tensor::uninitialized(result_shape, kernels::reduced_type(operation, x.dtype()));
    kernels::reduce(operation, x.dtype(), x.raw(), result.mutable_raw(), x.size(), 1, 1);
    return result;
  }
  Tensor values = x;
  std::int64_t inner = 1;
  for (int i = count - 1;; --i) {
    const Group group = groups[static_cast<std::size_t>(i)];
    if (!group.reduced) {
      inner *= group.size;
      continue;
    }
    std::int64_t outer = 1;
    for (int j = 0; j < i; ++j) outer *= groups[static_cast<std::size_t>(j)].size;
    const bool last = --reduced_groups == 0;
    Tensor result = Tensor::uninitialized(last ? result_shape : Shape{outer, inner},
                                          kernels::reduced_type(operation, values.dtype()));
    kernels::reduce(operation, values.dtype(), values.raw(), result.mutable_raw(), outer, group.size, inner);
    if (last) return result;
    values = std::move(result);
    operation = and_then(operation);
  }
}

// The axes from the largest step in memory to the smallest.
std::array<int, Shape::kMaxRank> memory_order(const Tensor& x) {
  std::array<int, Shape::kMaxRank> order{};
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.begin() + x.rank(),
                   [&](int a, int b) { return x.strides()[a] > x.strides()[b]; });
  return order;
}

}  // namespace

Tensor reduce_axes(Reduce operation, const Tensor& x, std::uint32_t mask, bool keep) {
  const bool everything = !keep && mask == (1U << static_cast<unsigned>(x.rank())) - 1U;
  if (everything && x.is_contiguous()) {
    Tensor result = Tensor::uninitialized({}, kernels::reduced_type(operation, x.dtype()));
    kernels::reduce(operation, x.dtype(), x.raw(), result.mutable_raw(), 1, x.size(), 1);
    return result;
  }
  const Shape shape = reduced_shape(x.shape(), mask, keep);
  if (x.is_contiguous()) return reduce_groups(operation, x, mask, shape);
  if (has_repeats(x)) return reshape(reduce_once(operation, x, mask), shape);
  const std::array<int, Shape::kMaxRank> order = memory_order(x);
  const std::span<const int> axes(order.data(), static_cast<std::size_t>(x.rank()));
  const Tensor ordered = permute(x, axes);
  if (!ordered.is_contiguous()) return reduce_groups(operation, x.contiguous(), mask, shape);
  std::uint32_t moved = 0;
  std::array<int, Shape::kMaxRank> back{};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (has(mask, axes[i])) moved |= 1U << i;
    back[static_cast<std::size_t>(axes[i])] = static_cast<int>(i);
  }
  const Tensor result = reduce_groups(operation, ordered, moved, reduced_shape(ordered.shape(), moved, true));
  return reshape(permute(result, std::span<const int>(back.data(), axes.size())).contiguous(), shape);
}

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
