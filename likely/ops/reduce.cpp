#include "likely/ops/reduce.hpp"

#include <cmath>

#include "likely/autodiff/tape.hpp"
#include "likely/core/create.hpp"
#include "likely/kernels/reduce.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/compare.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/reduce_plan.hpp"
#include "likely/ops/view.hpp"

namespace likely {

using detail::plan_reduction;
using detail::reduced_count;
using detail::reduced_shape;
using detail::ReducePlan;
using detail::spread;

namespace {

Tensor run(kernels::Reduce operation, const Tensor& x, std::uint32_t mask, bool keep) {
  const ReducePlan plan = plan_reduction(x, mask);
  Tensor result = Tensor::uninitialized(reduced_shape(x.shape(), mask, keep),
                                        kernels::reduced_type(operation, x.dtype()));
  kernels::reduce(operation, x.dtype(), plan.dense.raw(), result.mutable_raw(), plan.outer, plan.reduced,
                  plan.inner);
  return result;
}

Tensor as_floating(const Tensor& x) { return is_floating(x.dtype()) ? x : cast(x, DType::f32); }
Tensor as_number(const Tensor& x) { return x.dtype() == DType::boolean ? cast(x, DType::i64) : x; }

void check_not_empty(const char* name, const Tensor& x, std::uint32_t mask) {
  if (reduced_count(x.shape(), mask) == 0) {
    refuse(name, "there is nothing to reduce in shape " + x.shape().string());
  }
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
        const Tensor winners = cast(lower == spread(y, lower.shape(), mask), lower.dtype());
        const Tensor share = run(kernels::Reduce::sum, winners, mask, true);
        return winners * spread(g, lower.shape(), mask) / share;
      });
    });
  }
  return run(operation, x, mask, keep);
}

Tensor position(const char* name, kernels::ArgReduce operation, const Tensor& x, std::uint32_t mask,
                bool keep) {
  check_not_empty(name, x, mask);
  const ReducePlan plan = plan_reduction(x, mask);
  Tensor result = Tensor::uninitialized(reduced_shape(x.shape(), mask, keep), DType::i64);
  kernels::arg_reduce(operation, x.dtype(), plan.dense.raw(), result.mutable_data<std::int64_t>(), plan.outer,
                      plan.reduced, plan.inner);
  return result;
}

// Products of the elements before each one along the last axis, by doubling the reach in each pass.
Tensor products_before(const Tensor& x) {
  const std::int64_t n = x.dim(-1);
  const auto delayed = [&](const Tensor& t, std::int64_t by) {
    return concat({ones_like(slice(t, -1, {0, by})), slice(t, -1, {0, n - by})}, -1);
  };
  Tensor product = delayed(x, 1);
  for (std::int64_t reach = 1; reach < n; reach *= 2) product = product * delayed(product, reach);
  return product;
}

// The product of all elements but one, for each, along the last axis. Zeros are no obstacle.
Tensor products_of_others(const Tensor& x) {
  const Range backwards{.step = -1};
  return products_before(x) * slice(products_before(slice(x, -1, backwards)), -1, backwards);
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
  return run(kernels::Reduce::sum, as_number(x), mask, keep);
}

Tensor mean(const Tensor& x, const Axes& axes, bool keep) {
  const std::int64_t count = reduced_count(x.shape(), axes.mask("mean", x.shape()));
  return sum(as_floating(x), axes, keep) * (1.0 / static_cast<double>(count));
}

Tensor var(const Tensor& x, const Axes& axes, bool keep, double correction) {
  const std::int64_t count = reduced_count(x.shape(), axes.mask("var", x.shape()));
  const double degrees = static_cast<double>(count) - correction;
  if (!(degrees > 0.0)) {
    refuse("var",
           std::to_string(count) + " elements are too few for correction " + std::to_string(correction));
  }
  const Tensor centred = as_floating(x) - mean(x, axes, true);
  return sum(square(centred), axes, keep) * (1.0 / degrees);
}

Tensor std(const Tensor& x, const Axes& axes, bool keep, double correction) {
  const Tensor variance = var(x, axes, keep, correction);
  const Tensor flat = variance == 0.0;
  // sqrt'(0) is infinite; a constant 1 in its place gets no gradient.
  return where(flat, 0.0, sqrt(where(flat, 1.0, variance)));
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
        const Tensor others = products_of_others(reshape(moved, {-1, reduced_count(lower.shape(), mask)}));
        return permute(reshape(others, moved.shape()), inverse) * spread(g, lower.shape(), mask);
      });
    });
  }
  return run(kernels::Reduce::product, as_number(x), mask, keep);
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
  return run(kernels::Reduce::any, x, axes.mask("any", x.shape()), keep);
}
Tensor all(const Tensor& x, const Axes& axes, bool keep) {
  return run(kernels::Reduce::all, x, axes.mask("all", x.shape()), keep);
}

Tensor norm(const Tensor& x, const Axes& axes, bool keep, double order) {
  if (!(order >= 1.0)) refuse("norm", "the order must be at least 1, got " + std::to_string(order));
  const Tensor values = as_floating(x);
  if (std::isinf(order)) return max(abs(values), axes, keep);
  if (order == 1.0) return sum(abs(values), axes, keep);
  const Tensor powers = sum(order == 2.0 ? square(values) : pow(abs(values), order), axes, keep);
  const Tensor flat = powers == 0.0;
  const Tensor safe = where(flat, 1.0, powers);
  return where(flat, 0.0, order == 2.0 ? sqrt(safe) : pow(safe, 1.0 / order));
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
  return run(kernels::Reduce::logsumexp, as_floating(x), mask, keep);
}

}  // namespace likely
