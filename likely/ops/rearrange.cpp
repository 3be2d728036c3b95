#include "likely/ops/rearrange.hpp"

#include <fmt/format.h>

#include "likely/autodiff/tape.hpp"
#include "likely/core/create.hpp"
#include "likely/core/strided_copy.hpp"
#include "likely/ops/join.hpp"
#include "likely/ops/view.hpp"

namespace likely {

namespace {

// x seen as (outer, inner), `count` times between them, in the final shape. Three dimensions are enough for
// tensors of any rank.
Tensor repeat_between(const Tensor& x, std::int64_t outer, std::int64_t inner, std::int64_t count,
                      const Shape& shape) {
  return reshape(expand(reshape(x, {outer, 1, inner}), {outer, count, inner}), shape);
}

}  // namespace

Tensor repeat(const Tensor& x, std::int64_t count, int axis) {
  const int a = x.shape().axis("repeat", axis);
  if (count < 0) refuse("repeat", fmt::format("the count must not be negative, got {}", count));
  Shape shape = x.shape();
  shape[a] = multiply_sizes("repeat", shape[a], count);
  return repeat_between(x, x.shape().sub(0, a + 1).size(), x.shape().sub(a + 1, x.rank()).size(), count,
                        shape);
}

Tensor tile(const Tensor& x, const Shape& counts) {
  const int lead = counts.rank() - x.rank();
  if (lead < 0) {
    refuse("tile",
           fmt::format("fewer counts than axes: {} for shape {}", counts.string(), x.shape().string()));
  }
  for (const std::int64_t count : counts) {
    if (count < 0) refuse("tile", fmt::format("counts must not be negative, got {}", counts.string()));
  }
  Shape shape = x.shape();
  for (int i = 0; i < lead; ++i) shape.insert(0, 1);
  Tensor y = reshape(x, shape);
  for (int a = 0; a < shape.rank(); ++a) {
    if (counts[a] == 1) continue;
    const std::int64_t outer = shape.sub(0, a).size();
    const std::int64_t inner = shape.sub(a, shape.rank()).size();
    shape[a] = multiply_sizes("tile", shape[a], counts[a]);
    y = repeat_between(y, outer, inner, counts[a], shape);
  }
  return y;
}

Tensor pad(const Tensor& x, const std::vector<Padding>& paddings, double value) {
  if (static_cast<int>(paddings.size()) != x.rank()) {
    refuse("pad", fmt::format("one padding for each axis is needed, got {} for shape {}", paddings.size(),
                              x.shape().string()));
  }
  Shape shape = x.shape();
  for (int a = 0; a < x.rank(); ++a) {
    const Padding& padding = paddings[static_cast<std::size_t>(a)];
    if (padding.before < 0 || padding.after < 0) {
      refuse("pad", fmt::format("paddings must not be negative, got {} and {} for axis {}; slice() cuts off",
                                padding.before, padding.after, a));
    }
    shape[a] = add_sizes("pad", shape[a], add_sizes("pad", padding.before, padding.after));
  }
  if (Tape* tape = recording_tape(x)) {
    const Tensor y = pad(tape->below(x), paddings, value);
    return tape->record("pad", y, {&x}, [paddings, inside = x.shape()](const Tensor& g, Pull& pull) {
      pull(0, [&] {
        Tensor middle = g;
        for (int a = 0; a < inside.rank(); ++a) {
          const std::int64_t start = paddings[static_cast<std::size_t>(a)].before;
          middle = slice(middle, a, {start, start + inside[a]});
        }
        return middle;
      });
    });
  }
  Tensor y = full(shape, value, x.dtype());
  if (x.size() == 0) return y;
  std::int64_t offset = 0;
  for (int a = 0; a < x.rank(); ++a) offset += paddings[static_cast<std::size_t>(a)].before * y.strides()[a];
  const std::size_t element = size_of(x.dtype());
  char* to = static_cast<char*>(y.mutable_raw()) + offset * static_cast<std::int64_t>(element);
  detail::copy_strided(element, x.shape(), x.raw(), x.strides(), to, y.strides());
  return y;
}

Tensor flip(const Tensor& x, const Axes& axes) {
  Tensor y = x;
  const std::uint32_t flipped = axes.mask("flip", x.shape());
  for (int a = 0; a < x.rank(); ++a) {
    if ((flipped >> a & 1u) != 0) y = slice(y, a, {.step = -1});
  }
  return y;
}

Tensor roll(const Tensor& x, std::int64_t shift, int axis) {
  const int a = x.shape().axis("roll", axis);
  const std::int64_t n = x.shape()[a];
  if (n == 0) return x;
  const std::int64_t by = (shift % n + n) % n;
  if (by == 0) return x;
  return concat({slice(x, a, {n - by, n}), slice(x, a, {0, n - by})}, a);
}

}  // namespace likely
