#include "likely/ops/order.hpp"

#include "likely/autodiff/tape.hpp"
#include "likely/kernels/order/order.hpp"
#include "likely/ops/index.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace {

using kernels::Direction;

struct Ordered {
  Tensor values;
  Tensor indices;
};

// The first k of each sorted row, of plain numbers. The kernels sort rows, so the axis goes last and back
// again.
Ordered first_of_sorted(const Tensor& x, std::int64_t k, int axis, Direction direction, bool want_values) {
  const Tensor rows = transpose(x.with_track({}), axis, -1).contiguous();
  const std::int64_t length = rows.shape().back();
  Shape shape = rows.shape();
  shape[rows.rank() - 1] = k;
  Ordered result;
  if (want_values) result.values = Tensor::uninitialized(shape, x.dtype());
  result.indices = Tensor::uninitialized(shape, DType::i64);
  void* values = want_values ? result.values.mutable_raw() : nullptr;
  auto* indices = result.indices.mutable_data<std::int64_t>();
  if (x.size() > 0) {
    const std::int64_t count = x.size() / length;
    if (k == length) {
      kernels::sort_rows(x.dtype(), rows.raw(), values, indices, count, length, direction);
    } else {
      kernels::top_k_rows(x.dtype(), rows.raw(), values, indices, count, length, k, direction);
    }
  }
  if (want_values) result.values = transpose(result.values, axis, -1).contiguous();
  result.indices = transpose(result.indices, axis, -1).contiguous();
  return result;
}

// One number is a row of its own.
Tensor as_row(const Tensor& x) { return x.rank() == 0 ? reshape(x, {1}) : x; }

// Values found on plain numbers, recorded as what they are: elements picked by number.
TopK choose(const Tensor& x, std::int64_t k, int axis, Direction direction) {
  const bool recorded = recording_tape(x) != nullptr;
  const Ordered found = first_of_sorted(x, k, axis, direction, !recorded);
  return {recorded ? gather(x, axis, found.indices) : found.values, found.indices};
}

}  // namespace

Tensor sort(const Tensor& x, int axis, bool descending) {
  if (x.rank() == 0) return x;
  const int a = x.shape().axis("sort", axis);
  return choose(x, x.shape()[a], a, descending ? Direction::descending : Direction::ascending).values;
}

Tensor argsort(const Tensor& x, int axis, bool descending) {
  const Tensor row = as_row(x);
  const int a = row.shape().axis("argsort", axis);
  const Direction direction = descending ? Direction::descending : Direction::ascending;
  return reshape(first_of_sorted(row, row.shape()[a], a, direction, false).indices, x.shape());
}

TopK topk(const Tensor& x, std::int64_t k, int axis, bool largest) {
  const int a = x.shape().axis("topk", axis);
  if (k < 0 || k > x.shape()[a]) {
    refuse("topk", "k must lie between 0 and the length of axis " + std::to_string(a) + " of shape " +
                       x.shape().string() + ", got " + std::to_string(k));
  }
  return choose(x, k, a, largest ? Direction::descending : Direction::ascending);
}

}  // namespace likely
