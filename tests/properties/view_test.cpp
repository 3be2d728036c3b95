#include "likely/ops/view.hpp"

#include <algorithm>
#include <cmath>

#include "likely/ops/join.hpp"
#include "likely/ops/rearrange.hpp"
#include "likely/ops/triangle.hpp"
#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"

namespace likely::testing {

namespace {

using plain::Array;
using plain::Extents;
using plain::Number;

// Elements that move: every type, the same bits, large enough for the squares and lines of strided copies.
Op moving(const std::string& name, const std::string& declared, std::function<Tensor(const Tensor&)> call,
          std::function<Array(const Array&)> loop, const std::string& axes = "abc") {
  return {.name = name,
          .declares = {declared},
          .inputs = {{.axes = axes}},
          .sizes = {"a=3 b=7 c=5", "a=33 b=66 c=9", "a=2 b=130 c=67"},
          .call = [call = std::move(call)](const Tensors& x) { return call(x[0]); },
          .loop = [loop = std::move(loop)](const Arrays& x) { return loop(x[0]); },
          .types = kAllTypes,
          .same_bits = true};
}

// x[start], x[start + step], ... along an axis, `count` of them.
Array sliced(const Array& x, std::size_t axis, std::int64_t start, std::int64_t count, std::int64_t step) {
  Extents shape = x.shape;
  shape[axis] = std::max<std::int64_t>(0, count);
  return plain::moved(x, shape, [&](Extents index) {
    index[axis] = start + step * index[axis];
    return index;
  });
}

Ops slices() {
  return {
      moving(
          "slice of an axis", "slice(Tensor, int, Range)",
          [](const Tensor& x) { return slice(x, 1, {.start = 1, .stop = -1, .step = 2}); },
          [](const Array& x) { return sliced(x, 1, 1, (x.shape[1] - 1) / 2, 2); }),
      moving(
          "slice backwards", "slice(Tensor, int, Range)",
          [](const Tensor& x) { return slice(x, -1, {.step = -1}); },
          [](const Array& x) { return sliced(x, 2, x.shape[2] - 1, x.shape[2], -1); }),
      moving(
          "slice of two axes", "slice(Tensor, initializer_list<Range>)",
          [](const Tensor& x) {
            return slice(x, {{.start = 1}, {.step = 3}});
          },
          [](const Array& x) {
            return sliced(sliced(x, 0, 1, x.shape[0] - 1, 1), 1, 0, (x.shape[1] + 2) / 3, 3);
          }),
      moving(
          "select", "select(Tensor, int, int64_t)", [](const Tensor& x) { return select(x, 1, -1); },
          [](const Array& x) {
            if (x.shape[1] == 0) throw plain::Refused();
            return plain::reshaped(sliced(x, 1, x.shape[1] - 1, 1, 1), {x.shape[0], x.shape[2]});
          }),
  };
}

Ops axes_moved() {
  return {
      moving(
          "transpose of two axes", "transpose(Tensor, int, int)",
          [](const Tensor& x) { return contiguous(transpose(x, 0, -1)); },
          [](const Array& x) {
            return plain::permuted(x, {2, 1, 0});
          }),
      moving(
          "transpose", "transpose(Tensor)", [](const Tensor& x) { return transpose(x); },
          [](const Array& x) {
            return plain::permuted(x, {0, 2, 1});
          }),
      moving(
          "permute", "permute(Tensor, initializer_list<int>)",
          [](const Tensor& x) {
            return contiguous(permute(x, {1, 2, 0}));
          },
          [](const Array& x) {
            return plain::permuted(x, {1, 2, 0});
          }),
      moving(
          "permute by a span", "permute(Tensor, span<const int>)",
          [](const Tensor& x) {
            return permute(x, std::vector<int>{2, 0, 1});
          },
          [](const Array& x) {
            return plain::permuted(x, {2, 0, 1});
          }),
      moving(
          "reshape", "reshape(Tensor, Shape)",
          [](const Tensor& x) {
            return reshape(x, {x.dim(1), x.dim(0) * x.dim(2)});
          },
          [](const Array& x) {
            return plain::reshaped(x, {x.shape[1], x.shape[0] * x.shape[2]});
          }),
      moving(
          "flatten", "flatten(Tensor, int, int)", [](const Tensor& x) { return flatten(x, 1); },
          [](const Array& x) {
            return plain::reshaped(x, {x.shape[0], x.shape[1] * x.shape[2]});
          }),
      moving(
          "expand", "expand(Tensor, Shape)",
          [](const Tensor& x) {
            return expand(x, {3, x.dim(0), 4, x.dim(2)});
          },
          [](const Array& x) {
            return plain::expanded(x, {3, x.shape[0], 4, x.shape[2]});
          },
          "a1c"),
      moving(
          "squeeze an axis", "squeeze(Tensor, int)", [](const Tensor& x) { return squeeze(x, 1); },
          [](const Array& x) {
            return plain::reshaped(x, {x.shape[0], x.shape[2]});
          },
          "a1c"),
      moving(
          "squeeze", "squeeze(Tensor)", [](const Tensor& x) { return squeeze(x); },
          [](const Array& x) {
            Extents shape;
            for (const std::int64_t size : x.shape) {
              if (size != 1) shape.push_back(size);
            }
            return plain::reshaped(x, shape);
          },
          "a1c1"),
      moving(
          "unsqueeze", "unsqueeze(Tensor, int)", [](const Tensor& x) { return unsqueeze(x, -2); },
          [](const Array& x) {
            return plain::reshaped(x, {x.shape[0], x.shape[1], 1, x.shape[2]});
          }),
      moving(
          "diagonal", "diagonal(Tensor, int, int, int)", [](const Tensor& x) { return diagonal(x, 1, 0, 2); },
          [](const Array& x) {
            const std::int64_t count = std::max<std::int64_t>(0, std::min(x.shape[0], x.shape[2] - 1));
            return plain::moved(x, {x.shape[1], count}, [](const Extents& at) {
              return Extents{at[1], at[0], at[1] + 1};
            });
          }),
      moving(
          "contiguous", "contiguous(Tensor)", [](const Tensor& x) { return contiguous(x); },
          [](const Array& x) { return x; }),
      with(moving(
               "sum_to", "sum_to(Tensor, Shape)",
               [](const Tensor& g) {
                 return sum_to(g, {g.dim(1), 1});
               },
               [](const Array& g) {
                 return plain::reshaped(plain::reduced(plain::sum, g, {0, 2}, false), {g.shape[1], 1});
               }),
           [](Op& op) {
             op.same_bits = false;
             op.types = {DType::f32, DType::f64};
           }),
  };
}

Ops rearranged() {
  Ops ops = {
      moving(
          "repeat", "repeat(Tensor, int64_t, int)", [](const Tensor& x) { return repeat(x, 3, 1); },
          [](const Array& x) {
            return plain::moved(x, {x.shape[0], 3 * x.shape[1], x.shape[2]}, [](const Extents& at) {
              return Extents{at[0], at[1] / 3, at[2]};
            });
          }),
      moving(
          "tile", "tile(Tensor, Shape)",
          [](const Tensor& x) {
            return tile(x, {2, 1, 3, 2});
          },
          [](const Array& x) {
            return plain::moved(x, {2, x.shape[0], 3 * x.shape[1], 2 * x.shape[2]}, [&](const Extents& at) {
              return Extents{at[1], at[2] % x.shape[1], at[3] % x.shape[2]};
            });
          }),
      moving(
          "pad", "pad(Tensor, vector<Padding>, number)",
          [](const Tensor& x) {
            return pad(x, {{1, 2}, {0, 3}, {2, 0}}, 1.0);
          },
          [](const Array& x) {
            Array y({x.shape[0] + 3, x.shape[1] + 3, x.shape[2] + 2});
            std::fill(y.elements.begin(), y.elements.end(), Number(1));
            plain::for_each_index(x.shape, [&](const Extents& at) {
              y.at({at[0] + 1, at[1], at[2] + 2}) = x.at(at);
            });
            return y;
          }),
      moving(
          "flip", "flip(Tensor, Axes)",
          [](const Tensor& x) {
            return contiguous(flip(x, {0, 2}));
          },
          [](const Array& x) {
            return plain::moved(x, x.shape, [&](const Extents& at) {
              return Extents{x.shape[0] - 1 - at[0], at[1], x.shape[2] - 1 - at[2]};
            });
          }),
      moving(
          "roll", "roll(Tensor, int64_t, int)", [](const Tensor& x) { return roll(x, -9, 1); },
          [](const Array& x) {
            return plain::moved(x, x.shape, [&](const Extents& at) {
              return Extents{at[0], (at[1] + 9) % x.shape[1], at[2]};
            });
          }),
      moving(
          "tril", "tril(Tensor, int64_t)", [](const Tensor& x) { return tril(x, 1); },
          [](const Array& x) {
            Array y = x;
            plain::for_each_index(x.shape, [&](const Extents& at) {
              if (at[2] > at[1] + 1) y.at(at) = Number(0);
            });
            return y;
          }),
      moving(
          "triu", "triu(Tensor, int64_t)", [](const Tensor& x) { return triu(x, -1); },
          [](const Array& x) {
            Array y = x;
            plain::for_each_index(x.shape, [&](const Extents& at) {
              if (at[2] < at[1] - 1) y.at(at) = Number(0);
            });
            return y;
          }),
  };
  // Their results are several times as large.
  for (Op& op : ops) {
    if (op.name == "tile" || op.name == "repeat") op.sizes = {"a=3 b=7 c=5", "a=9 b=33 c=17"};
  }
  return ops;
}

// Three tensors side by side along an axis.
Array joined(const Arrays& parts, std::size_t axis) {
  Extents shape = parts[0].shape;
  shape[axis] = 0;
  for (const Array& part : parts) shape[axis] += part.shape[axis];
  Array y(shape);
  std::int64_t start = 0;
  for (const Array& part : parts) {
    plain::for_each_index(part.shape, [&](const Extents& at) {
      Extents to = at;
      to[axis] += start;
      y.at(to) = part.at(at);
    });
    start += part.shape[axis];
  }
  return y;
}

Ops joins() {
  const Op base = moving(
      "", "", [](const Tensor& x) { return x; }, [](const Array& x) { return x; });
  Ops ops;
  for (const int axis : {0, 1, 2}) {
    ops.push_back(with(base, [axis](Op& op) {
      op.name = "concat along axis " + std::to_string(axis);
      op.declares = {"concat(vector<Tensor>, int)"};
      const std::string other[] = {"dbc", "adc", "abd"};
      op.inputs = {{.axes = "abc"}, {.axes = other[axis]}, {.axes = "abc"}};
      op.sizes = {"a=3 b=7 c=5 d=2", "a=17 b=66 c=9 d=65"};
      op.call = [axis](const Tensors& x) { return concat(x, axis); };
      op.loop = [axis](const Arrays& x) { return joined(x, static_cast<std::size_t>(axis)); };
    }));
    ops.push_back(with(base, [axis](Op& op) {
      op.name = "stack along axis " + std::to_string(axis);
      op.declares = {"stack(vector<Tensor>, int)"};
      op.inputs = {{.axes = "ab"}, {.axes = "ab"}};
      op.sizes = {"a=3 b=7", "a=67 b=131"};
      op.call = [axis](const Tensors& x) { return stack(x, axis); };
      op.loop = [axis](const Arrays& x) {
        Arrays parts;
        for (const Array& part : x) {
          Extents shape = part.shape;
          shape.insert(shape.begin() + axis, 1);
          parts.push_back(plain::reshaped(part, shape));
        }
        return joined(parts, static_cast<std::size_t>(axis));
      };
    }));
  }
  ops.push_back(moving(
      "split by sizes", "split(Tensor, vector<int64_t>, int)",
      [](const Tensor& x) {
        return split(x, {x.dim(1) / 3, x.dim(1) - x.dim(1) / 3}, 1)[1];
      },
      [](const Array& x) {
        const std::int64_t first = x.shape[1] / 3;
        return sliced(x, 1, first, x.shape[1] - first, 1);
      }));
  ops.push_back(moving(
      "split in pieces", "split(Tensor, int64_t, int)",
      [](const Tensor& x) { return split(x, std::int64_t{2}, 1)[1]; },
      [](const Array& x) { return sliced(x, 1, 3, 3, 1); }, "a6c"));
  return ops;
}

}  // namespace

Ops view_ops() {
  Ops ops;
  for (const Ops& more : {slices(), axes_moved(), rearranged(), joins()}) {
    ops.insert(ops.end(), more.begin(), more.end());
  }
  return ops;
}

INSTANTIATE_TEST_SUITE_P(View, OpProperties, ::testing::ValuesIn(view_ops()), name_of_op);

}  // namespace likely::testing
