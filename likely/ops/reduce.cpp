#include "likely/ops/reduce.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "likely/autodiff/tape.hpp"
#include "likely/core/create.hpp"
#include "likely/core/dispatch.hpp"
#include "likely/kernels/reduce/reduce.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/cumulative.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce_plan.hpp"
#include "likely/ops/view.hpp"

namespace likely {

using detail::plan_reduction;
using detail::reduce_axes;
using detail::reduced_count;
using detail::reduced_shape;
using detail::ReducePlan;
using detail::spread;

namespace {

Tensor as_floating(const Tensor& x) { return is_floating(x.dtype()) ? x : cast(x, DType::f32); }
Tensor as_number(const Tensor& x) { return x.dtype() == DType::boolean ? cast(x, DType::i64) : x; }

void check_not_empty(const char* name, const Tensor& x, std::uint32_t mask) {
  if (reduced_count(x.shape(), mask) == 0) {
    refuse(name, "there is nothing to reduce in shape " + x.shape().string());
  }
}

double degrees_of_freedom(const char* name, const Tensor& x, std::uint32_t mask, double correction) {
  const std::int64_t count = reduced_count(x.shape(), mask);
  const double degrees = static_cast<double>(count) - correction;
  if (!(degrees > 0.0)) {
    refuse(name,
           std::to_string(count) + " elements are too few for correction " + std::to_string(correction));
  }
  return degrees;
}

// A fresh result divided in place.
template <class T>
void divide_elements(Tensor& x, double number) {
  T* values = x.mutable_data<T>();
  const T divisor = static_cast<T>(number);
  for (std::int64_t i = 0; i < x.size(); ++i) values[i] /= divisor;
}
Tensor divided(const char* name, Tensor fresh, double number) {
  detail::with_floating(name, fresh.dtype(), [&]<class T>(T) { divide_elements<T>(fresh, number); });
  return fresh;
}

// The mean of equal numbers is rounded, and their distance to it is not 0: whether any variance may be of
// equal numbers, so small it is beside its mean, or so large are the squares of what rounding left.
template <class T>
bool some_within_rounding(const Tensor& variance, const Tensor& centre) {
  constexpr double kShare = std::is_same_v<T, float> ? 1e-4 : 1e-12;
  const T* v = variance.data<T>();
  const T* m = centre.data<T>();
  for (std::int64_t i = 0; i < variance.size(); ++i) {
    const double reach = kShare * static_cast<double>(m[i]);
    if (v[i] > 0 && (static_cast<double>(v[i]) <= reach * reach || std::isinf(v[i]))) return true;
  }
  return false;
}
bool some_may_be_equal(const Tensor& variance, const Tensor& centre) {
  return detail::with_floating("var", variance.dtype(),
                               [&]<class T>(T) { return some_within_rounding<T>(variance, centre); });
}

// max and min differ in the kernel alone: the gradient goes evenly to the elements that equal the result.
Tensor extreme(const char* name, kernels::Reduce operation, const Tensor& x, const Axes& axes, bool keep) {
  const std::uint32_t mask = axes.mask(name, x.shape());
  check_not_empty(name, x, mask);
  if (x.dtype() == DType::boolean)
    return cast(extreme(name, operation, cast(x, DType::i64), axes, keep), x.dtype());
  if (Tape* tape = recording_tape(x)) {
    const Tensor lower = tape->below(x);
    const Tensor y = extreme(name, operation, lower, axes, keep);
    return tape->record(name, y, {&x}, [lower, y, mask](const Tensor& g, Pull& pull) {
      pull(0, [&] {
        const Tensor winners = lower == spread(y, lower.shape(), mask);
        const Tensor count = reduce_axes(kernels::Reduce::count_nonzero, winners, mask, true);
        const Tensor share = reshape(g, count.shape()) / cast(count, g.dtype());
        return where(winners, expand(share, lower.shape()), 0.0);
      });
    });
  }
  return reduce_axes(operation, x, mask, keep);
}

Tensor position(const char* name, kernels::ArgReduce operation, const Tensor& x, std::uint32_t mask,
                bool keep) {
  check_not_empty(name, x, mask);
  const ReducePlan plan = plan_reduction(x.with_track({}), mask);
  Tensor result = Tensor::uninitialized(reduced_shape(x.shape(), mask, keep), DType::i64);
  kernels::arg_reduce(operation, x.dtype(), plan.dense.raw(), result.mutable_data<std::int64_t>(), plan.outer,
                      plan.reduced, plan.inner);
  return result;
}

// Whether all elements are finite and above `least`.
bool all_between(const Tensor& x, double least) {
  return detail::with_floating("norm", x.dtype(), [&]<class T>(T) {
    const T* const first = x.data<T>();
    return std::all_of(first, first + x.size(),
                       [&](T value) { return double{value} > least && std::isfinite(value); });
  });
}

Tensor root_of_powers(const Tensor& x, std::uint32_t mask, bool keep, double order) {
  if (order == 2.0) return sqrt(reduce_axes(kernels::Reduce::sum_of_squares, x, mask, keep));
  return pow(reduce_axes(kernels::Reduce::sum, pow(abs(x), order), mask, keep), 1.0 / order);
}

// Powers can leave the range of the type though the norm does not: then the largest element is taken out
// first.
Tensor plain_norm(const Tensor& x, std::uint32_t mask, bool keep, double order) {
  Tensor direct = root_of_powers(x, mask, keep, order);
  const double smallest = detail::with_floating(
      "norm", x.dtype(), []<class T>(T) { return std::is_same_v<T, float> ? 1e-30 : 1e-290; });
  const double least = std::pow(smallest, 1.0 / order);
  if (x.size() == 0 || all_between(direct, least)) return direct;
  const Tensor largest = reduce_axes(kernels::Reduce::maximum, abs(x), mask, true);
  const Tensor scale = where(logical_and(largest > 0.0, is_finite(largest)), largest, 1.0);
  return root_of_powers(x / scale, mask, keep, order) * reshape(scale, direct.shape());
}

// The product of all elements before each one (or with `reversed` behind it) along the last axis.
Tensor products_before(const Tensor& x, bool reversed) {
  const std::int64_t n = x.dim(-1);
  const Tensor edge = ones_like(slice(x, -1, {0, 1}));
  return reversed ? concat({cumprod(slice(x, -1, {1, n}), -1, true), edge}, -1)
                  : concat({edge, cumprod(slice(x, -1, {0, n - 1}), -1)}, -1);
}

}  // namespace

Tensor sum(const Tensor& x, const Axes& axes, bool keep) {
  const std::uint32_t mask = axes.mask("sum", x.shape());
  if (Tape* tape = recording_tape(x)) {
    return tape->record("sum", sum(tape->below(x), axes, keep), {&x},
                        [mask, whole = x.shape()](const Tensor& g, Pull& pull) {
                          pull(0, [&] { return spread(g, whole, mask); });
                        });
  }
  return reduce_axes(kernels::Reduce::sum, as_number(x), mask, keep);
}

namespace {

// Of whole numbers.
double largest_size(const Tensor& x) {
  return std::max(std::abs(cast(max(x), DType::f64).item()), std::abs(cast(min(x), DType::f64).item()));
}

}  // namespace

Tensor mean(const Tensor& x, const Axes& axes, bool keep) {
  const std::uint32_t mask = axes.mask("mean", x.shape());
  const auto count = static_cast<double>(reduced_count(x.shape(), mask));
  if (Tape* tape = recording_tape(x)) {
    return tape->record("mean", mean(tape->below(x), axes, keep), {&x},
                        [mask, count, whole = x.shape()](const Tensor& g, Pull& pull) {
                          pull(0, [&] { return spread(g / count, whole, mask); });
                        });
  }
  if (!is_floating(x.dtype())) {
    // Whole numbers are added exactly where they cannot overflow.
    const bool exact = x.dtype() == DType::boolean || x.size() == 0 || largest_size(x) * count < 0x1p62;
    const Tensor total = exact ? cast(sum(x, axes, keep), DType::f64) : sum(cast(x, DType::f64), axes, keep);
    return cast(total / count, DType::f32);
  }
  return divided("mean", reduce_axes(kernels::Reduce::sum, x, mask, keep), count);
}

Tensor var(const Tensor& x, const Axes& axes, bool keep, double correction) {
  const std::uint32_t mask = axes.mask("var", x.shape());
  const double degrees = degrees_of_freedom("var", x, mask, correction);
  if (Tape* tape = recording_tape(x)) {
    const Tensor lower = tape->below(x);
    return tape->record("var", var(lower, axes, keep, correction), {&x},
                        [lower, axes, mask, degrees](const Tensor& g, Pull& pull) {
                          pull(0, [&] {
                            return (lower - mean(lower, axes, true)) *
                                   spread(g * 2.0 / degrees, lower.shape(), mask);
                          });
                        });
  }
  const Tensor values = as_floating(x);
  const Tensor centre = mean(values, axes, true);
  Tensor result =
      divided("var", reduce_axes(kernels::Reduce::sum_of_squares, values - centre, mask, keep), degrees);
  if (!some_may_be_equal(result, centre)) return result;
  const Tensor equal = reduce_axes(kernels::Reduce::maximum, values, mask, keep) ==
                       reduce_axes(kernels::Reduce::minimum, values, mask, keep);
  return where(equal, 0.0, result);
}

Tensor std(const Tensor& x, const Axes& axes, bool keep, double correction) {
  const std::uint32_t mask = axes.mask("std", x.shape());
  const double degrees = degrees_of_freedom("std", x, mask, correction);
  if (Tape* tape = recording_tape(x)) {
    const Tensor lower = tape->below(x);
    const Tensor y = likely::std(lower, axes, keep, correction);
    return tape->record("std", y, {&x}, [lower, y, axes, mask, degrees](const Tensor& g, Pull& pull) {
      pull(0, [&] {
        // sqrt'(0) is infinite; where all elements are equal no gradient flows.
        const Tensor flat = y == 0.0;
        const Tensor slope = where(flat, 0.0, g) / where(flat, 1.0, y) / degrees;
        return (lower - mean(lower, axes, true)) * spread(slope, lower.shape(), mask);
      });
    });
  }
  return sqrt(var(x, axes, keep, correction));
}

Tensor prod(const Tensor& x, const Axes& axes, bool keep) {
  const std::uint32_t mask = axes.mask("prod", x.shape());
  if (Tape* tape = recording_tape(x)) {
    const Tensor lower = tape->below(x);
    return tape->record("prod", prod(lower, axes, keep), {&x}, [lower, mask](const Tensor& g, Pull& pull) {
      pull(0, [&] {
        if (lower.size() == 0) return zeros_like(lower);
        // The reduced axes moved to the end and merged, and back again afterwards.
        std::vector<int> order;
        for (int i = 0; i < lower.rank(); ++i) {
          if ((mask >> i & 1U) == 0) order.push_back(i);
        }
        for (int i = 0; i < lower.rank(); ++i) {
          if ((mask >> i & 1U) != 0) order.push_back(i);
        }
        std::vector<int> inverse(order.size());
        for (std::size_t i = 0; i < order.size(); ++i)
          inverse[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
        const Tensor moved = permute(lower, order);
        const Tensor runs = reshape(moved, {-1, reduced_count(lower.shape(), mask)});
        const Tensor others = products_before(runs, false) * products_before(runs, true);
        return permute(reshape(others, moved.shape()), inverse) * spread(g, lower.shape(), mask);
      });
    });
  }
  return reduce_axes(kernels::Reduce::product, as_number(x), mask, keep);
}

Tensor max(const Tensor& x, const Axes& axes, bool keep) {
  return extreme("max", kernels::Reduce::maximum, x, axes, keep);
}
Tensor min(const Tensor& x, const Axes& axes, bool keep) {
  return extreme("min", kernels::Reduce::minimum, x, axes, keep);
}

Tensor argmax(const Tensor& x) {
  return position("argmax", kernels::ArgReduce::argmax, x, Axes().mask("argmax", x.shape()), false);
}
Tensor argmax(const Tensor& x, int axis, bool keep) {
  return position("argmax", kernels::ArgReduce::argmax, x, Axes(axis).mask("argmax", x.shape()), keep);
}
Tensor argmin(const Tensor& x) {
  return position("argmin", kernels::ArgReduce::argmin, x, Axes().mask("argmin", x.shape()), false);
}
Tensor argmin(const Tensor& x, int axis, bool keep) {
  return position("argmin", kernels::ArgReduce::argmin, x, Axes(axis).mask("argmin", x.shape()), keep);
}

Tensor any(const Tensor& x, const Axes& axes, bool keep) {
  return reduce_axes(kernels::Reduce::any, x.with_track({}), axes.mask("any", x.shape()), keep);
}
Tensor all(const Tensor& x, const Axes& axes, bool keep) {
  return reduce_axes(kernels::Reduce::all, x.with_track({}), axes.mask("all", x.shape()), keep);
}

Tensor norm(const Tensor& x, const Axes& axes, bool keep, double order) {
  if (!(order >= 1.0)) refuse("norm", "the order must be at least 1, got " + std::to_string(order));
  if (std::isinf(order)) return max(abs(as_floating(x)), axes, keep);
  if (order == 1.0) return sum(abs(as_floating(x)), axes, keep);
  const std::uint32_t mask = axes.mask("norm", x.shape());
  if (Tape* tape = recording_tape(x)) {
    const Tensor lower = tape->below(x);
    const Tensor y = norm(lower, axes, keep, order);
    return tape->record("norm", y, {&x}, [lower, y, mask, order](const Tensor& g, Pull& pull) {
      pull(0, [&] {
        const Tensor flat = y == 0.0;
        const Tensor size = spread(where(flat, 1.0, y), lower.shape(), mask);
        const Tensor slope = spread(where(flat, 0.0, g), lower.shape(), mask);
        const Tensor ratio = lower / size;
        return order == 2.0 ? slope * ratio : slope * sign(lower) * pow(abs(ratio), order - 1.0);
      });
    });
  }
  return plain_norm(as_floating(x), mask, keep, order);
}

Tensor logsumexp(const Tensor& x, const Axes& axes, bool keep) {
  const std::uint32_t mask = axes.mask("logsumexp", x.shape());
  if (Tape* tape = recording_tape(x)) {
    const Tensor lower = tape->below(x);
    const Tensor y = logsumexp(lower, axes, keep);
    return tape->record("logsumexp", y, {&x}, [lower, y, mask](const Tensor& g, Pull& pull) {
      pull(0, [&] {
        const Tensor total = spread(where(is_finite(y), y, 0.0), lower.shape(), mask);
        return spread(g, lower.shape(), mask) * exp(lower - total);
      });
    });
  }
  return reduce_axes(kernels::Reduce::logsumexp, as_floating(x), mask, keep);
}

}  // namespace likely
