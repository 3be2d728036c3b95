#include "likely/ops/reduce.hpp"

#include <cmath>
#include <limits>

#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"

namespace likely::testing {

namespace {

using plain::Number;
using plain::Numbers;
using plain::Real;
using Whole = Tensor (*)(const Tensor&, const Axes&, bool);
using PlainReduction = std::function<Number(const Numbers&)>;

// Rows, columns, both and axes that lie apart; more rows and longer ones than a tile, narrow matrices that
// are folded, few numbers. abc is the shape.
struct Way {
  std::string name;
  std::vector<int> axes;  // none: all
  bool keep;
  std::vector<std::string> sizes;
};

std::vector<Way> ways() {
  return {
      {"over all", {}, false, {"a=3 b=7 c=13", "a=1 b=1 c=31", "a=2 b=5 c=7000", "a=1 b=1 c=65601"}},
      {"over the last axis",
       {-1},
       false,
       {"a=3 b=7 c=13", "a=2 b=17 c=65", "a=1 b=3 c=4099", "a=1 b=1 c=65601"}},
      {"over the first axis, kept",
       {0},
       true,
       {"a=7 b=3 c=5", "a=259 b=1 c=3", "a=33 b=5 c=131", "a=513 b=2 c=261"}},
      {"over the middle axis", {1}, false, {"a=3 b=7 c=5", "a=2 b=131 c=17"}},
      {"over axes that lie apart", {0, 2}, false, {"a=3 b=7 c=5", "a=17 b=3 c=65"}},
  };
}

Axes axes_of(const std::vector<int>& axes) { return axes.empty() ? Axes() : Axes(axes); }

// One operation in all ways.
void add(
    Ops& ops, const std::string& name, const std::string& declared,
    const std::function<Tensor(const Tensor&, const Axes&, bool)>& call, const PlainReduction& loop,
    const std::function<void(Op&)>& change = [](Op&) {}) {
  for (const Way& way : ways()) {
    Op op = {.name = name + " " + way.name,
             .declares = {declared},
             .inputs = {apart("abc")},
             .sizes = way.sizes,
             .call = [call, way](const Tensors& x) { return call(x[0], axes_of(way.axes), way.keep); },
             .loop = [loop, way](const Arrays& x) { return plain::reduced(loop, x[0], way.axes, way.keep); },
             .types = kAllTypes};
    change(op);
    // Columns are cut in the same way for all; these put their totals together in different ones.
    const bool cuts_columns = name == "sum" || name == "max" || name == "logsumexp";
    if (!cuts_columns && op.sizes.back() == "a=513 b=2 c=261") op.sizes.pop_back();
    ops.push_back(op);
  }
}

Number product(const Numbers& x) {
  Number result(1);
  for (const Number& element : x) result = result * element;
  return result;
}

Number variance(const Numbers& x, Real correction) {
  const Real degrees = static_cast<Real>(x.size()) - correction;
  if (!(degrees > 0)) throw plain::Refused();
  const Number middle = plain::mean(x);
  Numbers squares;
  for (const Number& element : x) squares.push_back((element - middle) * (element - middle));
  return plain::sum(squares) / Number(degrees);
}

// Where all are equal the derivative is 0.
Number deviation(const Numbers& x, Real correction) {
  const Number squared = variance(x, correction);
  return squared.value == 0 ? Number(0) : sqrt(squared);
}

std::size_t first_best(const Numbers& x, bool largest) {
  if (x.empty()) throw plain::Refused();
  std::size_t best = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    if (std::isnan(x[best].value)) break;
    if (std::isnan(x[i].value) || (largest ? x[i].value > x[best].value : x[i].value < x[best].value))
      best = i;
  }
  return best;
}

// Equal ones share the gradient.
Number extreme(const Numbers& x, bool largest) {
  const Number best = x[first_best(x, largest)];
  Numbers equal;
  for (const Number& element : x) {
    if (element.value == best.value) equal.push_back(element);
  }
  if (equal.size() <= 1) return best;
  Number result = plain::mean(equal);
  result.value = best.value;
  return result;
}

Number power_norm(const Numbers& x, Real order) {
  plain::Sum total;
  bool flat = true;
  for (const Number& element : x) {
    flat = flat && element.value == 0;
    total.add(element.value == 0 ? Number(0) : pow(element.value < 0 ? -element : element, order));
  }
  return flat ? Number(0) : pow(total.total(), 1 / order);
}

Number log_sum_exp(const Numbers& x) {
  if (x.empty()) return Number(-std::numeric_limits<Real>::infinity());
  Real largest = x[0].value;
  for (const Number& element : x) largest = std::max(largest, element.value);
  plain::Sum total;
  for (const Number& element : x) total.add(exp(element - Number(largest)));
  return Number(largest) + log(total.total());
}

// The variance of equal numbers is 0 but for the rounding of their mean.
void spreads(Op& op) {
  op.result = ResultType::floating;
  op.repeat_first = op.repeat_last = false;
}
void numbers_only(Op& op) { op.types = kNumberTypes; }
void floating(Op& op) { op.result = ResultType::floating; }
void sums(Op& op) {
  op.result = ResultType::number;
  // A sum of f32 over thousands of numbers, in the gradient of a broadcast, is itself rounded.
  op.slack = 8;
}

Ops positions() {
  Ops ops;
  for (const bool largest : {true, false}) {
    const std::string name = largest ? "argmax" : "argmin";
    const PlainReduction loop = [largest](const Numbers& x) {
      return Number(static_cast<Real>(first_best(x, largest)));
    };
    const Op base = {.name = name,
                     .declares = {name + "(Tensor)"},
                     .inputs = {apart("abc")},
                     .sizes = {"a=3 b=7 c=13", "a=1 b=1 c=600", "a=2 b=5 c=3500"},
                     .call = [largest](const Tensors& x) { return largest ? argmax(x[0]) : argmin(x[0]); },
                     .loop = [loop](const Arrays& x) { return plain::reduced(loop, x[0], {}, false); },
                     .types = kAllTypes,
                     .result = ResultType::i64,
                     .same_bits = true};
    ops.push_back(base);
    for (const int axis : {0, 1, 2}) {
      ops.push_back(with(base, [&](Op& op) {
        op.name += " along axis " + std::to_string(axis);
        op.declares = {name + "(Tensor, int, bool)"};
        op.sizes = {"a=3 b=7 c=13", "a=65 b=3 c=17", "a=2 b=259 c=33", "a=2 b=3 c=1100", "a=9 b=2 c=2100"};
        op.call = [largest, axis](const Tensors& x) {
          return largest ? argmax(x[0], axis, axis == 1) : argmin(x[0], axis, axis == 1);
        };
        op.loop = [loop, axis](const Arrays& x) { return plain::reduced(loop, x[0], {axis}, axis == 1); };
      }));
    }
  }
  return ops;
}

}  // namespace

Ops reduction_ops() {
  Ops ops = positions();
  const std::string usual = "(Tensor, Axes, bool)";
  add(ops, "sum", "sum" + usual, likely::sum, plain::sum, sums);
  add(
      ops, "mean", "mean" + usual, likely::mean,
      [](const Numbers& x) { return x.empty() ? Number(std::nanl("")) : plain::mean(x); }, floating);
  add(
      ops, "var", "var(Tensor, Axes, bool, number)",
      [](const Tensor& x, const Axes& axes, bool keep) { return var(x, axes, keep, 0.5); },
      [](const Numbers& x) { return variance(x, 0.5L); }, spreads);
  add(
      ops, "std", "std(Tensor, Axes, bool, number)",
      [](const Tensor& x, const Axes& axes, bool keep) { return likely::std(x, axes, keep, 0.5); },
      [](const Numbers& x) { return deviation(x, 0.5L); }, spreads);
  add(ops, "prod", "prod" + usual, prod, product, [](Op& op) {
    op.result = ResultType::number;
    // Near 1, so that a long product stays in range; whole numbers are 3 and overflow the same way in both.
    op.inputs[0].low = 0.9;
    op.inputs[0].high = 1.1;
    op.types = {DType::f32, DType::f64, DType::boolean};
    op.sizes.resize(2);
    op.slack = 4;
  });
  add(
      ops, "max", "max" + usual, likely::max, [](const Numbers& x) { return extreme(x, true); },
      [](Op& op) { op.same_bits = true; });
  add(
      ops, "min", "min" + usual, likely::min, [](const Numbers& x) { return extreme(x, false); },
      [](Op& op) { op.same_bits = true; });
  add(
      ops, "any", "any" + usual, any,
      [](const Numbers& x) {
        bool found = false;
        for (const Number& element : x) found = found || element.value != 0;
        return Number(found ? 1 : 0);
      },
      [](Op& op) { op.result = ResultType::boolean; });
  add(
      ops, "all", "all" + usual, all,
      [](const Numbers& x) {
        bool found = true;
        for (const Number& element : x) found = found && element.value != 0;
        return Number(found ? 1 : 0);
      },
      [](Op& op) { op.result = ResultType::boolean; });
  for (const double order : {1.0, 2.0, 3.0, std::numeric_limits<double>::infinity()}) {
    add(
        ops, "norm of order " + std::to_string(static_cast<int>(std::min(order, 9.0))),
        "norm(Tensor, Axes, bool, number)",
        [order](const Tensor& x, const Axes& axes, bool keep) { return norm(x, axes, keep, order); },
        [order](const Numbers& x) {
          if (!std::isinf(order)) return power_norm(x, order);
          Numbers magnitudes;
          for (const Number& element : x) magnitudes.push_back(element.value < 0 ? -element : element);
          return extreme(magnitudes, true);
        },
        [](Op& op) {
          floating(op);
          op.sizes.resize(2);
        });
  }
  add(ops, "logsumexp", "logsumexp" + usual, logsumexp, log_sum_exp, floating);
  for (Op& op : ops) {
    if (op.declares[0].starts_with("max") || op.declares[0].starts_with("min")) numbers_only(op);
  }
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Reduction, OpProperties, ::testing::ValuesIn(reduction_ops()), name_of_op);

}  // namespace likely::testing
