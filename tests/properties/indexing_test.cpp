#include "likely/ops/index.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "likely/ops/arithmetic.hpp"
#include "likely/ops/cumulative.hpp"
#include "likely/ops/order.hpp"
#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"

namespace likely::testing {

namespace {

using plain::Array;
using plain::Extents;
using plain::Number;
using plain::Numbers;
using plain::Real;

std::int64_t label(const Number& x, std::int64_t below) {
  const auto value = static_cast<std::int64_t>(x.value);
  if (value < 0 || value >= below) throw plain::Refused();
  return value;
}

// Where index[at] sends the element at `at`.
Extents sent(const Extents& at, std::size_t axis, const Number& index, const Array& x) {
  Extents to = at;
  to[axis] = label(index, x.shape[axis]);
  return to;
}

Array gathered(const Array& x, std::size_t axis, const Array& index) {
  return plain::moved(x, index.shape, [&](const Extents& at) { return sent(at, axis, index.at(at), x); });
}

std::string other(int axis, char letter) {
  std::string axes = "abc";
  axes[static_cast<std::size_t>(axis)] = letter;
  return axes;
}

void add_gathers(Ops& ops) {
  for (const int axis : {0, 1, 2}) {
    const auto place = static_cast<std::size_t>(axis);
    const std::vector<std::string> sizes = {"a=3 b=7 c=5 d=4", "a=17 b=33 c=70 d=9"};
    const char below = "abc"[axis];
    ops.push_back({.name = "gather along axis " + std::to_string(axis),
                   .declares = {"gather(Tensor, int, Tensor)"},
                   .inputs = {{.axes = "abc"}, labels(other(axis, 'd'), below)},
                   .sizes = sizes,
                   .call = [axis](const Tensors& x) { return gather(x[0], axis, x[1]); },
                   .loop = [place](const Arrays& x) { return gathered(x[0], place, x[1]); },
                   .types = kAllTypes,
                   .same_bits = true});
    ops.push_back({.name = "take_along_axis " + std::to_string(axis),
                   .declares = {"take_along_axis(Tensor, Tensor, int)"},
                   .inputs = {{.axes = "abc"},
                              labels(axis == 0   ? "d1c"
                                     : axis == 1 ? "1dc"
                                                 : "1bd",
                                     below)},
                   .sizes = sizes,
                   .call = [axis](const Tensors& x) { return take_along_axis(x[0], x[1], axis); },
                   .loop =
                       [place](const Arrays& x) {
                         Extents shape = x[0].shape;
                         shape[place] = x[1].shape[place];
                         return gathered(x[0], place, plain::expanded(x[1], shape));
                       },
                   .types = kAllTypes,
                   .same_bits = true});
    ops.push_back({.name = "scatter_add along axis " + std::to_string(axis),
                   .declares = {"scatter_add(Tensor, int, Tensor, Tensor)"},
                   .inputs = {{.axes = "abc"}, labels(other(axis, 'd'), below), {.axes = other(axis, 'd')}},
                   .sizes = sizes,
                   .call = [axis](const Tensors& x) { return scatter_add(x[0], axis, x[1], x[2]); },
                   .loop =
                       [place](const Arrays& x) {
                         Array y = x[0];
                         plain::for_each_index(x[1].shape, [&](const Extents& at) {
                           Number& to = y.at(sent(at, place, x[1].at(at), y));
                           to = to + x[2].at(at);
                         });
                         return y;
                       },
                   .types = kNumberTypes,
                   .same_bits = true});
    ops.push_back({.name = "index_select along axis " + std::to_string(axis),
                   .declares = {"index_select(Tensor, int, Tensor)"},
                   .inputs = {{.axes = "abc"}, labels("d", below)},
                   .sizes = sizes,
                   .call = [axis](const Tensors& x) { return index_select(x[0], axis, x[1]); },
                   .loop =
                       [place](const Arrays& x) {
                         Extents shape = x[0].shape;
                         shape[place] = x[1].size();
                         // An index is refused even where there is nothing to pick.
                         for (const Number& index : x[1].elements) label(index, x[0].shape[place]);
                         return plain::moved(x[0], shape, [&](const Extents& at) {
                           return sent(at, place, x[1][at[place]], x[0]);
                         });
                       },
                   .types = kAllTypes,
                   .same_bits = true});
  }
}

Op one_hot_of(DType type, ResultType result) {
  return {.name = "one_hot of " + std::string(name_of(type)),
          .declares = {"one_hot(Tensor, int64_t, DType)"},
          .inputs = {labels("ab", 'd')},
          .sizes = {"a=3 b=7 d=5", "a=33 b=65 d=17"},
          .call =
              [type](const Tensors& x) {
                // The number of classes is not a size of the input: as many as the labels can need.
                return one_hot(x[0], x[0].dim(0) > 3 ? 17 : 5, type);
              },
          .loop =
              [](const Arrays& x) {
                const std::int64_t classes = x[0].shape[0] > 3 ? 17 : 5;
                Array y({x[0].shape[0], x[0].shape[1], classes});
                for (std::int64_t i = 0; i < x[0].size(); ++i)
                  y[i * classes + label(x[0][i], classes)] = Number(1);
                return y;
              },
          .types = {DType::i64},
          .result = result,
          .same_bits = true};
}

// Stable; NaN would come last.
std::vector<std::size_t> sorted_places(const Numbers& x, bool descending) {
  std::vector<std::size_t> places(x.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    return descending ? x[a].value > x[b].value : x[a].value < x[b].value;
  });
  return places;
}

// The first `count` places in order, as numbers or as the elements that stand there.
Numbers best_of(const Numbers& x, bool descending, std::size_t count, bool places) {
  if (count > x.size()) throw plain::Refused();
  Numbers result;
  const std::vector<std::size_t> order = sorted_places(x, descending);
  for (std::size_t i = 0; i < count; ++i) {
    result.push_back(places ? Number(static_cast<Real>(order[i])) : x[order[i]]);
  }
  return result;
}

Op ordering(const std::string& name, const std::string& declared, int axis, bool places,
            std::function<Tensor(const Tensor&)> call, std::function<Numbers(const Numbers&)> loop) {
  return {
      .name = name + " along axis " + std::to_string(axis),
      .declares = {declared},
      .inputs = {apart("abc")},
      // Beyond the length from which a row is sorted by its digits, and beyond the first look for the best.
      .sizes = {"a=3 b=7 c=13", axis == 0   ? "a=800 b=2 c=3"
                                : axis == 1 ? "a=2 b=1600 c=2"
                                            : "a=2 b=2 c=3001"},
      .call = [call = std::move(call)](const Tensors& x) { return call(x[0]); },
      .loop = [loop = std::move(loop), axis](const Arrays& x) { return plain::along(loop, x[0], axis); },
      .types = kAllTypes,
      .result = places ? ResultType::i64 : ResultType::same,
      .same_bits = true};
}

// The best come last, where a walk that ends too early misses them: running totals of positive numbers.
Op rising(bool largest, bool places) {
  const auto total = [](const Tensor& x) { return cumsum(x, -1, false); };
  Op op = ordering(
      std::string("topk of rising numbers, ") + (largest ? "largest" : "smallest") +
          (places ? ", indices" : ", values"),
      "topk(Tensor, int64_t, int, bool)", 2, places,
      [=](const Tensor& x) {
        const TopK best = topk(largest ? total(x) : -total(x), 5, -1, largest);
        return places ? best.indices : best.values;
      },
      [=](const Numbers& x) {
        Numbers totals;
        for (const Number& element : x) totals.push_back(totals.empty() ? element : totals.back() + element);
        if (!largest) {
          for (Number& element : totals) element = -element;
        }
        return best_of(totals, largest, 5, places);
      });
  op.inputs = {{.axes = "abc", .low = 0.5, .high = 1.0}};
  op.sizes = {"a=3 b=7 c=13", "a=1 b=2 c=271", "a=1 b=2 c=1033", "a=2 b=1 c=3001"};
  op.types = {DType::f32, DType::f64};
  op.same_bits = false;
  return op;
}

}  // namespace

Ops indexing_ops() {
  Ops ops;
  add_gathers(ops);
  ops.push_back(one_hot_of(DType::i64, ResultType::i64));
  ops.push_back(one_hot_of(DType::boolean, ResultType::boolean));
  ops.push_back(one_hot_of(DType::f32, ResultType::floating));
  ops.push_back({.name = "embedding",
                 .declares = {"embedding(Tensor, Tensor)"},
                 .inputs = {{.axes = "rw"}, labels("ab", 'r')},
                 .sizes = {"r=5 w=7 a=3 b=4", "r=67 w=65 a=9 b=17"},
                 .call = [](const Tensors& x) { return embedding(x[0], x[1]); },
                 .loop =
                     [](const Arrays& x) {
                       for (const Number& id : x[1].elements) label(id, x[0].shape[0]);
                       return plain::moved(
                           x[0], {x[1].shape[0], x[1].shape[1], x[0].shape[1]}, [&](const Extents& at) {
                             return Extents{label(x[1].at({at[0], at[1]}), x[0].shape[0]), at[2]};
                           });
                     },
                 .types = kAllTypes,
                 .same_bits = true});
  return ops;
}

Ops order_ops() {
  Ops ops;
  for (const bool largest : {true, false}) {
    for (const bool places : {true, false}) ops.push_back(rising(largest, places));
  }
  for (const int axis : {0, 1, 2}) {
    for (const bool descending : {false, true}) {
      const std::string way = descending ? ", descending" : "";
      ops.push_back(ordering(
          "sort" + way, "sort(Tensor, int, bool)", axis, false,
          [=](const Tensor& x) { return sort(x, axis, descending); },
          [=](const Numbers& x) { return best_of(x, descending, x.size(), false); }));
      ops.push_back(ordering(
          "argsort" + way, "argsort(Tensor, int, bool)", axis, true,
          [=](const Tensor& x) { return argsort(x, axis, descending); },
          [=](const Numbers& x) { return best_of(x, descending, x.size(), true); }));
      for (const std::size_t count : {2U, 40U}) {
        const std::string best = "topk of " + std::to_string(count) + (descending ? "" : ", smallest");
        const auto k = static_cast<std::int64_t>(count);
        ops.push_back(ordering(
            best + ", values", "topk(Tensor, int64_t, int, bool)", axis, false,
            [=](const Tensor& x) { return topk(x, k, axis, descending).values; },
            [=](const Numbers& x) { return best_of(x, descending, count, false); }));
        ops.push_back(ordering(
            best + ", indices", "topk(Tensor, int64_t, int, bool)", axis, true,
            [=](const Tensor& x) { return topk(x, k, axis, descending).indices; },
            [=](const Numbers& x) { return best_of(x, descending, count, true); }));
      }
    }
  }
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Indexing, OpProperties, ::testing::ValuesIn(indexing_ops()), name_of_op);
INSTANTIATE_TEST_SUITE_P(Order, OpProperties, ::testing::ValuesIn(order_ops()), name_of_op);

}  // namespace likely::testing
