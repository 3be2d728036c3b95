#include "likely/ops/view.hpp"

#include <algorithm>

#include "likely/autodiff/tape.hpp"
#include "likely/core/create.hpp"
#include "likely/core/strided_copy.hpp"
#include "likely/ops/reduce.hpp"

namespace likely {

namespace {

// How a view walks the memory of its base.
struct Look {
  Shape shape;
  Strides strides;
  std::int64_t offset = 0;
};

// The part of a view that a slice keeps.
Look slice_look(const Shape& shape, const Strides& strides, int axis, const Range& range) {
  if (range.step == 0) refuse("slice", "the step must not be 0");
  const std::int64_t n = shape[axis];
  const bool backwards = range.step < 0;
  const auto clamp = [&](std::int64_t i) {
    if (i < 0) i += n;
    return std::clamp(i, backwards ? std::int64_t{-1} : std::int64_t{0}, backwards ? n - 1 : n);
  };
  const std::int64_t start = range.start ? clamp(*range.start) : (backwards ? n - 1 : 0);
  const std::int64_t stop = range.stop ? clamp(*range.stop) : (backwards ? -1 : n);
  const std::int64_t span = backwards ? start - stop : stop - start;
  // A step beyond the axis keeps one element, however long it is.
  const std::int64_t longest = std::max<std::int64_t>(n, 1);
  const std::int64_t step = std::clamp(range.step, -longest, longest);
  Look look{shape, strides, 0};
  look.shape[axis] = span > 0 ? (span - 1) / std::abs(step) + 1 : 0;
  look.strides[axis] = strides[axis] * step;
  look.offset = look.shape[axis] > 0 ? start * strides[axis] : 0;
  return look;
}

Look diagonal_look(const Shape& shape, const Strides& strides, int offset, int a, int b) {
  const std::int64_t row = offset < 0 ? -std::int64_t{offset} : 0;
  const std::int64_t column = offset > 0 ? offset : 0;
  const std::int64_t length = std::max<std::int64_t>(0, std::min(shape[a] - row, shape[b] - column));
  Look look{shape, strides, length > 0 ? row * strides[a] + column * strides[b] : 0};
  const std::int64_t step = strides[a] + strides[b];
  for (const int axis : {std::max(a, b), std::min(a, b)}) {
    look.shape.erase(axis);
    look.strides.erase(axis);
  }
  look.shape.push_back(length);
  look.strides.push_back(step);
  return look;
}

// A view whose elements are all different ones of its base. `look` is made from a shape and strides, so that
// the gradient, which is dense, can be written through the same look. Its gradient is embed(), and the other
// way round.
template <class MakeLook>
Tensor embed(const char* name, const Tensor& part, const Shape& whole, const MakeLook& make_look);

template <class MakeLook>
Tensor view_of(const char* name, const Tensor& x, const MakeLook& make_look) {
  if (Tape* tape = recording_tape(x)) {
    const Tensor y = view_of(name, tape->below(x), make_look);
    return tape->record(name, y, {&x}, [name, make_look, whole = x.shape()](const Tensor& g, Pull& pull) {
      pull(0, [&] { return embed(name, g, whole, make_look); });
    });
  }
  const Look look = make_look(x.shape(), x.strides());
  return x.view(look.shape, look.strides, look.offset);
}

template <class MakeLook>
Tensor embed(const char* name, const Tensor& part, const Shape& whole, const MakeLook& make_look) {
  if (Tape* tape = recording_tape(part)) {
    const Tensor y = embed(name, tape->below(part), whole, make_look);
    return tape->record(name, y, {&part}, [name, make_look](const Tensor& g, Pull& pull) {
      pull(0, [&] { return view_of(name, g, make_look); });
    });
  }
  Tensor result = zeros(whole, part.dtype());
  const Look look = make_look(whole, result.strides());
  char* target = static_cast<char*>(result.mutable_raw()) +
                 look.offset * static_cast<std::int64_t>(size_of(part.dtype()));
  detail::copy_strided(size_of(part.dtype()), look.shape, part.raw(), part.strides(), target, look.strides);
  return result;
}

// Records a view whose gradient is another look at g.
template <class Backward>
Tensor record_view(Tape* tape, const char* name, const Tensor& x, const Tensor& y, Backward backward) {
  return tape->record(name, y, {&x},
                      [backward](const Tensor& g, Pull& pull) { pull(0, [&] { return backward(g); }); });
}

// Strides for seeing the same elements in another shape without a copy, if there are any.
std::optional<Strides> reshaped_strides(const Tensor& x, const Shape& shape) {
  if (x.is_contiguous() || x.size() == 0) return row_major_strides(shape);
  Strides result = shape;
  int from = 0;
  int to = 0;
  const Shape& old = x.shape();
  while (from < old.rank() || to < shape.rank()) {
    // The shortest runs of old and new dimensions that hold the same number of elements.
    const int from_begin = from;
    const int to_begin = to;
    std::int64_t have = from < old.rank() ? old[from++] : 1;
    std::int64_t want = to < shape.rank() ? shape[to++] : 1;
    while (have != want) {
      if (have < want) {
        have *= old[from++];
      } else {
        want *= shape[to++];
      }
    }
    while (from < old.rank() && old[from] == 1) ++from;
    while (to < shape.rank() && shape[to] == 1) ++to;
    std::int64_t step = 0;
    bool first = true;
    for (int i = from - 1; i >= from_begin; --i) {
      if (old[i] == 1) continue;
      if (!first && x.strides()[i] != step) return std::nullopt;
      if (first) {
        std::int64_t inner = x.strides()[i];
        for (int j = to - 1; j >= to_begin; --j) {
          result[j] = inner;
          inner *= shape[j];
        }
        first = false;
        step = x.strides()[i];
      }
      step *= old[i];
    }
    if (first) {
      for (int j = to_begin; j < to; ++j) result[j] = 0;
    }
  }
  return result;
}

Shape resolve(const Tensor& x, const Shape& wanted) {
  Shape shape = wanted;
  int unknown = -1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == -1 && unknown < 0) {
      unknown = i;
    } else if (shape[i] < 0) {
      refuse("reshape",
             (shape[i] == -1 ? "at most one dimension may be -1, got " : "a dimension is negative in ") +
                 wanted.string());
    }
  }
  if (unknown >= 0) {
    shape[unknown] = 1;
    const std::int64_t known = shape.has_size() ? shape.size() : 0;
    shape[unknown] = known > 0 && x.size() % known == 0 ? x.size() / known : -1;
  }
  if (!shape.has_size() || shape.size() != x.size()) {
    refuse("reshape", "cannot reshape " + x.shape().string() + " to " + wanted.string());
  }
  return shape;
}

}  // namespace

Tensor slice(const Tensor& x, int axis, const Range& range) {
  const int a = x.shape().axis("slice", axis);
  return view_of("slice", x, [a, range](const Shape& shape, const Strides& strides) {
    return slice_look(shape, strides, a, range);
  });
}

Tensor slice(const Tensor& x, std::initializer_list<Range> ranges) {
  if (static_cast<int>(ranges.size()) > x.rank()) {
    refuse("slice", std::to_string(ranges.size()) + " ranges given for shape " + x.shape().string());
  }
  Tensor result = x;
  int axis = 0;
  for (const Range& range : ranges) {
    const bool whole = !range.start && !range.stop && range.step == 1;
    if (!whole) result = slice(result, axis, range);
    ++axis;
  }
  return result;
}

Tensor select(const Tensor& x, int axis, std::int64_t index) {
  const int a = x.shape().axis("select", axis);
  const std::int64_t i = x.shape().index("select", a, index);
  return view_of("select", x, [a, i](const Shape& shape, const Strides& strides) {
    Look look{shape, strides, i * strides[a]};
    look.shape.erase(a);
    look.strides.erase(a);
    return look;
  });
}

Tensor diagonal(const Tensor& x, int offset, int axis_a, int axis_b) {
  const int a = x.shape().axis("diagonal", axis_a);
  const int b = x.shape().axis("diagonal", axis_b);
  if (a == b) refuse("diagonal", "two different axes are needed, got " + std::to_string(a) + " twice");
  return view_of("diagonal", x, [offset, a, b](const Shape& shape, const Strides& strides) {
    return diagonal_look(shape, strides, offset, a, b);
  });
}

Tensor permute(const Tensor& x, std::span<const int> order) {
  const int rank = x.rank();
  std::vector<int> inverse(static_cast<std::size_t>(rank), -1);
  std::vector<int> axes;
  for (const int axis : order) axes.push_back(x.shape().axis("permute", axis));
  for (std::size_t i = 0; i < axes.size() && axes.size() == inverse.size(); ++i) {
    inverse[static_cast<std::size_t>(axes[i])] = static_cast<int>(i);
  }
  if (std::ranges::find(inverse, -1) != inverse.end()) {
    refuse("permute", "the order must name each axis of shape " + x.shape().string() + " once");
  }
  if (Tape* tape = recording_tape(x)) {
    return record_view(tape, "permute", x, permute(tape->below(x), axes),
                       [inverse](const Tensor& g) { return permute(g, inverse); });
  }
  Shape shape = x.shape();
  Strides strides = x.strides();
  for (int i = 0; i < rank; ++i) {
    shape[i] = x.shape()[axes[static_cast<std::size_t>(i)]];
    strides[i] = x.strides()[axes[static_cast<std::size_t>(i)]];
  }
  return x.view(shape, strides, 0);
}

Tensor permute(const Tensor& x, std::initializer_list<int> order) {
  return permute(x, std::span(order.begin(), order.size()));
}

Tensor transpose(const Tensor& x, int axis_a, int axis_b) {
  const int a = x.shape().axis("transpose", axis_a);
  const int b = x.shape().axis("transpose", axis_b);
  if (Tape* tape = recording_tape(x)) {
    return record_view(tape, "transpose", x, transpose(tape->below(x), a, b),
                       [a, b](const Tensor& g) { return transpose(g, a, b); });
  }
  Shape shape = x.shape();
  Strides strides = x.strides();
  std::swap(shape[a], shape[b]);
  std::swap(strides[a], strides[b]);
  return x.view(shape, strides, 0);
}

Tensor transpose(const Tensor& x) {
  if (x.rank() < 2) refuse("transpose", "a matrix is needed, got shape " + x.shape().string());
  return transpose(x, -2, -1);
}

Tensor reshape(const Tensor& x, const Shape& wanted) {
  const Shape shape = resolve(x, wanted);
  if (Tape* tape = recording_tape(x)) {
    return record_view(tape, "reshape", x, reshape(tape->below(x), shape),
                       [old = x.shape()](const Tensor& g) { return reshape(g, old); });
  }
  if (const std::optional<Strides> strides = reshaped_strides(x, shape)) return x.view(shape, *strides, 0);
  return x.copy().view(shape, row_major_strides(shape), 0);
}

Tensor flatten(const Tensor& x, int first, int last) {
  if (x.rank() == 0) return reshape(x, {1});
  const int a = x.shape().axis("flatten", first);
  const int b = x.shape().axis("flatten", last);
  if (a > b)
    refuse("flatten",
           "the first axis lies behind the last one: " + std::to_string(a) + ", " + std::to_string(b));
  Shape shape = x.shape().sub(0, a);
  shape.push_back(x.shape().sub(a, b + 1).size());
  for (int i = b + 1; i < x.rank(); ++i) shape.push_back(x.shape()[i]);
  return reshape(x, shape);
}

Tensor expand(const Tensor& x, const Shape& shape) {
  if (shape == x.shape()) return x;
  const int lead = shape.rank() - x.rank();
  bool fits = lead >= 0;
  for (int i = 0; fits && i < x.rank(); ++i) fits = x.shape()[i] == shape[lead + i] || x.shape()[i] == 1;
  if (!fits) refuse("expand", "shape " + x.shape().string() + " does not broadcast to " + shape.string());
  if (Tape* tape = recording_tape(x)) {
    return record_view(tape, "expand", x, expand(tape->below(x), shape),
                       [old = x.shape()](const Tensor& g) { return sum_to(g, old); });
  }
  Strides strides = Strides::filled(shape.rank(), 0);
  for (int i = 0; i < x.rank(); ++i) {
    if (x.shape()[i] != 1) strides[lead + i] = x.strides()[i];
  }
  return x.view(shape, strides, 0);
}

Tensor squeeze(const Tensor& x, int axis) {
  const int a = x.shape().axis("squeeze", axis);
  if (x.shape()[a] != 1) {
    refuse("squeeze", "axis " + std::to_string(a) + " of shape " + x.shape().string() + " is not 1");
  }
  Shape shape = x.shape();
  shape.erase(a);
  return reshape(x, shape);
}

Tensor squeeze(const Tensor& x) {
  Shape shape;
  for (const std::int64_t d : x.shape()) {
    if (d != 1) shape.push_back(d);
  }
  return reshape(x, shape);
}

Tensor unsqueeze(const Tensor& x, int axis) {
  Shape shape = x.shape();
  shape.push_back(1);
  const int a = shape.axis("unsqueeze", axis);
  shape = x.shape();
  shape.insert(a, 1);
  return reshape(x, shape);
}

Tensor contiguous(const Tensor& x) {
  if (x.is_contiguous()) return x;
  if (Tape* tape = recording_tape(x)) {
    return record_view(tape, "contiguous", x, contiguous(tape->below(x)), [](const Tensor& g) { return g; });
  }
  return x.contiguous();
}

Tensor sum_to(const Tensor& g, const Shape& shape) {
  if (g.shape() == shape) return g;
  const int lead = g.rank() - shape.rank();
  bool fits = lead >= 0;
  for (int i = 0; fits && i < shape.rank(); ++i) fits = shape[i] == 1 || shape[i] == g.shape()[lead + i];
  if (!fits) refuse("sum_to", "shape " + shape.string() + " does not broadcast to " + g.shape().string());
  std::vector<int> axes;
  bool inside = false;  // whether an axis that stays, with size 1, is summed too
  for (int i = 0; i < g.rank(); ++i) {
    if (i < lead || (shape[i - lead] == 1 && g.shape()[i] != 1)) axes.push_back(i);
    inside = inside || (i >= lead && shape[i - lead] == 1 && g.shape()[i] != 1);
  }
  if (axes.empty()) return reshape(g, shape);
  return inside ? reshape(sum(g, axes, true), shape) : sum(g, axes);
}

}  // namespace likely
