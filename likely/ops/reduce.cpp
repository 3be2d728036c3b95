#include "likely/ops/reduce.hpp"

#include <algorithm>

#include "likely/autodiff/tape.hpp"
#include "likely/core/create.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cast.hpp"
#include "likely/ops/math.hpp"
#include "likely/ops/view.hpp"

namespace likely {

std::vector<int> Axes::resolve(std::string_view operation, const Shape& shape) const {
  std::vector<int> result;
  if (all_) {
    for (int i = 0; i < shape.rank(); ++i) result.push_back(i);
    return result;
  }
  for (const int axis : axes_) result.push_back(shape.axis(operation, axis));
  std::sort(result.begin(), result.end());
  if (std::adjacent_find(result.begin(), result.end()) != result.end()) {
    refuse(operation, "an axis is named twice");
  }
  return result;
}

namespace {

Shape without(const Shape& shape, const std::vector<int>& axes, bool keep) {
  Shape result = shape;
  for (std::size_t i = axes.size(); i-- > 0;) {
    if (keep) {
      result[axes[i]] = 1;
    } else {
      result.erase(axes[i]);
    }
  }
  return result;
}

}  // namespace

Tensor sum(const Tensor& x, const Axes& axes, bool keep) {
  const std::vector<int> reduced = axes.resolve("sum", x.shape());
  if (!is_floating(x.dtype())) return cast(sum(cast(x, DType::f64), axes, keep), DType::i64);
  if (Tape* tape = recording_tape(x)) {
    return tape->record(
        "sum", sum(tape->below(x), axes, keep), {&x},
        [kept = without(x.shape(), reduced, true), whole = x.shape()](const Tensor& g, Pull& pull) {
          pull(0, [&] { return expand(reshape(g, kept), whole); });
        });
  }
  // The reduced axes last, so that each result is the sum of a run.
  std::vector<int> order;
  for (int i = 0; i < x.rank(); ++i) {
    if (std::ranges::find(reduced, i) == reduced.end()) order.push_back(i);
  }
  order.insert(order.end(), reduced.begin(), reduced.end());
  const Tensor runs = permute(x, order).to(DType::f64).contiguous();
  const Shape shape = without(x.shape(), reduced, keep);
  std::vector<double> totals(static_cast<std::size_t>(shape.size()));
  const std::int64_t length = totals.empty() ? 0 : x.size() / shape.size();
  const double* values = runs.data<double>();
  for (std::size_t i = 0; i < totals.size(); ++i) {
    for (std::int64_t j = 0; j < length; ++j) totals[i] += *values++;
  }
  return tensor(totals, shape).to(x.dtype());
}

Tensor logsumexp(const Tensor& x, const Axes& axes, bool keep) { return log(sum(exp(x), axes, keep)); }

}  // namespace likely
