#include "likely/ops/cumulative.hpp"

#include <algorithm>
#include <cmath>

#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"

namespace likely::testing {

namespace {

using plain::Number;
using plain::Numbers;
using plain::Real;

// Each total from all that came before: no step relies on the one before it.
Numbers running(const Numbers& x, bool reversed, const std::function<Number(const Numbers&)>& total) {
  Numbers ordered = x;
  if (reversed) std::reverse(ordered.begin(), ordered.end());
  Numbers result;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    result.push_back(total(Numbers(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(i) + 1)));
  }
  if (reversed) std::reverse(result.begin(), result.end());
  return result;
}

Number product(const Numbers& x) {
  Number result = x[0];
  for (std::size_t i = 1; i < x.size(); ++i) result = result * x[i];
  return result;
}

Number log_sum_exp(const Numbers& x) {
  Real largest = x[0].value;
  for (const Number& element : x) largest = std::max(largest, element.value);
  plain::Sum total;
  for (const Number& element : x) total.add(exp(element - Number(largest)));
  return Number(largest) + log(total.total());
}

void add(Ops& ops, const std::string& name, Tensor (*call)(const Tensor&, int, bool),
         const std::function<Number(const Numbers&)>& total, ResultType result, double low, double high) {
  for (const int axis : {0, 1, 2}) {
    for (const bool reversed : {false, true}) {
      ops.push_back({.name = name + " along axis " + std::to_string(axis) + (reversed ? ", reversed" : ""),
                     .declares = {name + "(Tensor, int, bool)"},
                     .inputs = {{.axes = "abc", .low = low, .high = high}},
                     .sizes = {"a=3 b=7 c=5", "a=5 b=3 c=67", "a=3 b=67 c=2"},
                     .call = [call, axis, reversed](const Tensors& x) { return call(x[0], axis, reversed); },
                     .loop =
                         [total, axis, reversed](const Arrays& x) {
                           return plain::along(
                               [&](const Numbers& line) { return running(line, reversed, total); }, x[0],
                               axis);
                         },
                     .types = kAllTypes,
                     .result = result,
                     .same_bits = true});
    }
  }
}

Numbers recurrence(const Numbers& a, const Numbers& b) {
  Numbers y;
  for (std::size_t i = 0; i < a.size(); ++i) y.push_back(i == 0 ? b[0] : a[i] * y[i - 1] + b[i]);
  return y;
}

Op recurrence_op(int axis, bool reversed, const std::string& factors, const std::string& inputs) {
  return {
      .name = "linear_recurrence along axis " + std::to_string(axis) + (reversed ? ", reversed" : "") +
              " of " + factors + " and " + inputs,
      .declares = {"linear_recurrence(Tensor, Tensor, int, bool)"},
      .inputs = {{.axes = factors, .low = -1.0, .high = 1.0}, {.axes = inputs}},
      .sizes = {"a=3 b=7 c=5", "a=2 b=67 c=131", "a=3 b=129 c=2"},
      .call = [axis, reversed](const Tensors& x) { return linear_recurrence(x[0], x[1], axis, reversed); },
      .loop =
          [axis, reversed](const Arrays& x) {
            const plain::Extents shape = plain::broadcast(x[0].shape, x[1].shape);
            const plain::Array a = plain::expanded(x[0], shape);
            const plain::Array b = plain::expanded(x[1], shape);
            plain::Array y(shape);
            const auto length = shape[static_cast<std::size_t>(axis)];
            std::int64_t inner = 1;
            for (std::size_t i = static_cast<std::size_t>(axis) + 1; i < shape.size(); ++i) inner *= shape[i];
            if (y.size() == 0) return y;
            for (std::int64_t line = 0; line < y.size() / length; ++line) {
              const std::int64_t first = line / inner * length * inner + line % inner;
              Numbers of_a, of_b;
              for (std::int64_t l = 0; l < length; ++l) {
                const std::int64_t at = first + (reversed ? length - 1 - l : l) * inner;
                of_a.push_back(a[at]);
                of_b.push_back(b[at]);
              }
              const Numbers result = recurrence(of_a, of_b);
              for (std::int64_t l = 0; l < length; ++l) {
                y[first + (reversed ? length - 1 - l : l) * inner] = result[static_cast<std::size_t>(l)];
              }
            }
            return y;
          },
      .types = {DType::f32, DType::f64}};
}

}  // namespace

Ops cumulative_ops() {
  Ops ops;
  add(ops, "cumsum", cumsum, plain::sum, ResultType::number, -2.0, 2.0);
  add(ops, "cumprod", cumprod, product, ResultType::number, 0.5, 1.2);
  add(ops, "logcumsumexp", logcumsumexp, log_sum_exp, ResultType::floating, -2.0, 2.0);
  for (Op& op : ops) {
    // Whole products overflow.
    if (op.name.starts_with("cumprod")) op.types = {DType::f32, DType::f64, DType::boolean};
  }
  for (const bool reversed : {false, true}) {
    for (const int axis : {0, 1, 2}) ops.push_back(recurrence_op(axis, reversed, "abc", "abc"));
    ops.push_back(recurrence_op(1, reversed, "1b1", "abc"));
    ops.push_back(recurrence_op(2, reversed, "c", "ab1"));
  }
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Cumulative, OpProperties, ::testing::ValuesIn(cumulative_ops()), name_of_op);

}  // namespace likely::testing
