#include "likely/ops/compare.hpp"

#include <cmath>

#include "likely/ops/cast.hpp"
#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"

namespace likely::testing {

namespace {

using plain::Number;
using plain::Real;

struct Comparison {
  std::string name;
  std::string sign;
  Binary call;
  Tensor (*with_number)(const Tensor&, PlainNumber);
  std::function<Tensor(const Tensor&, const Tensor&)> by_operator;
  std::function<Tensor(const Tensor&)> operator_with_number;
  bool (*holds)(Real, Real);
};

constexpr double kNumber = 0.5;

std::vector<Comparison> comparisons() {
  using T = const Tensor&;
  return {
      {"equal", "==", equal, equal, [](T a, T b) { return a == b; }, [](T x) { return x == kNumber; },
       [](Real a, Real b) { return a == b; }},
      {"not_equal", "!=", not_equal, not_equal, [](T a, T b) { return a != b; },
       [](T x) { return x != kNumber; }, [](Real a, Real b) { return a != b; }},
      {"less", "<", less, less, [](T a, T b) { return a < b; }, [](T x) { return x < kNumber; },
       [](Real a, Real b) { return a < b; }},
      {"less_equal", "<=", less_equal, less_equal, [](T a, T b) { return a <= b; },
       [](T x) { return x <= kNumber; }, [](Real a, Real b) { return a <= b; }},
      {"greater", ">", greater, greater, [](T a, T b) { return a > b; }, [](T x) { return x > kNumber; },
       [](Real a, Real b) { return a > b; }},
      {"greater_equal", ">=", greater_equal, greater_equal, [](T a, T b) { return a >= b; },
       [](T x) { return x >= kNumber; }, [](Real a, Real b) { return a >= b; }},
  };
}

Op answering(Op op) {
  op.types = kAllTypes;
  op.result = ResultType::boolean;
  return op;
}

void add_comparisons(Ops& ops) {
  for (const Comparison& c : comparisons()) {
    const auto holds = c.holds;
    const PlainBinary two = [holds](const Number& a, const Number& b) {
      return Number(holds(a.value, b.value) ? 1 : 0);
    };
    const PlainUnary one = [holds](const Number& x) { return Number(holds(x.value, kNumber) ? 1 : 0); };
    Op both = answering(binary_op(c.name, c.call, two));
    if (c.name == "less") both.sizes = kManyElementSizes;
    ops.push_back(both);
    for (const auto& [first, second] : kBroadcasts) {
      if (c.name == "less_equal") ops.push_back(broadcasting(both, first, second));
    }
    const auto with_number = c.with_number;
    Op number = answering(unary_op(
        c.name, [with_number](const Tensor& x) { return with_number(x, kNumber); }, one));
    number.name += " with a number";
    number.declares = {c.name + "(Tensor, number)"};
    ops.push_back(number);
    ops.push_back(answering(binary_op("operator" + c.sign, c.by_operator, two)));
    Op sign = answering(unary_op("operator" + c.sign, c.operator_with_number, one));
    sign.name += " with a number";
    sign.declares = {"operator" + c.sign + "(Tensor, number)"};
    ops.push_back(sign);
  }
}

Op logical(const std::string& name, Binary call, bool (*holds)(bool, bool)) {
  Op op = binary_op(name, call, [holds](const Number& a, const Number& b) {
    return Number(holds(a.value != 0, b.value != 0) ? 1 : 0);
  });
  op.types = {DType::boolean};
  op.specials = false;
  return op;
}

Number truncated(const Number& x) { return Number(std::trunc(x.value)); }
Number not_zero(const Number& x) { return Number(x.value != 0 ? 1 : 0); }

Op cast_to(DType to, const PlainUnary& loop) {
  Op op = unary_op(
      "cast to " + std::string(name_of(to)), [to](const Tensor& x) { return cast(x, to); }, loop);
  op.declares = {"cast(Tensor, DType)"};
  op.types = kAllTypes;
  op.specials = false;
  op.result = to == DType::boolean ? ResultType::boolean : ResultType::i64;
  return op;
}

// The same values in another floating type: the check of types wants one that it knows.
Op cast_and_back(DType through, double slack) {
  Op op = unary_op(
      "cast to " + std::string(name_of(through)) + " and back",
      [through](const Tensor& x) { return cast(cast(x, through), x.dtype()); },
      [](const Number& x) { return x * Number(1); });
  op.declares = {"cast(Tensor, DType)"};
  op.specials = false;
  op.sizes = kManyElementSizes;
  op.slack = op.gradient_slack = slack;
  return op;
}

Number chosen(const Number& condition, const Number& a, const Number& b) {
  return condition.value != 0 ? a : b;
}

Op where_op(const std::string& first, const std::string& second, const std::string& third) {
  return {.name = "where of " + first + ", " + second + " and " + third,
          .declares = {"where(Tensor, Tensor, Tensor)"},
          .inputs = {flags(first), {.axes = second}, {.axes = third}},
          .sizes = first == "ab" && second == "ab" && third == "ab"
                       ? kManyElementSizes
                       : std::vector<std::string>{"a=5 b=7", "a=37 b=131"},
          .call = [](const Tensors& x) { return where(x[0], x[1], x[2]); },
          .loop =
              [](const Arrays& x) {
                const plain::Extents shape =
                    plain::broadcast(x[0].shape, plain::broadcast(x[1].shape, x[2].shape));
                const plain::Array condition = plain::expanded(x[0], shape);
                const plain::Array a = plain::expanded(x[1], shape);
                const plain::Array b = plain::expanded(x[2], shape);
                plain::Array y(shape);
                for (std::int64_t i = 0; i < y.size(); ++i) y[i] = chosen(condition[i], a[i], b[i]);
                return y;
              },
          .types = kAllTypes,
          .same_bits = true};
}

Op where_number(const std::string& name, const std::string& declared,
                std::function<Tensor(const Tensor&, const Tensor&)> call, const PlainBinary& loop,
                const std::string& mask = "ab") {
  Op op = binary_op(name, std::move(call), loop);
  op.declares = {declared};
  op.inputs = {flags(mask), {.axes = "ab"}};
  op.specials = false;
  return op;
}

}  // namespace

Ops comparison_ops() {
  Ops ops = {
      logical("logical_and", logical_and, [](bool a, bool b) { return a && b; }),
      logical("logical_or", logical_or, [](bool a, bool b) { return a || b; }),
      logical("logical_xor", logical_xor, [](bool a, bool b) { return a != b; }),
      with(unary_op("logical_not", logical_not, [](const Number& x) { return Number(x.value == 0 ? 1 : 0); }),
           [](Op& op) {
             op.types = {DType::boolean};
             op.specials = false;
           }),
      answering(unary_op("is_finite", is_finite,
                         [](const Number& x) { return Number(std::isfinite(x.value) ? 1 : 0); })),
      answering(
          unary_op("is_nan", is_nan, [](const Number& x) { return Number(std::isnan(x.value) ? 1 : 0); })),
      cast_to(DType::boolean, not_zero),
      cast_to(DType::i64, truncated),
      cast_and_back(DType::f64, 0.0),
      // 29 digits of f64 are lost.
      cast_and_back(DType::f32, 0x1p29),
      where_op("ab", "ab", "ab"),
      where_op("ab", "", "ab"),
      where_op("a1", "1b", "ab"),
      where_op("b", "ab", "1"),
      where_number(
          "where, else a number", "where(Tensor, Tensor, number)",
          [](const Tensor& c, const Tensor& a) { return where(c, a, 2.5); },
          [](const Number& c, const Number& a) { return chosen(c, a, Number(2.5L)); }),
      where_number(
          "where a number", "where(Tensor, number, Tensor)",
          [](const Tensor& c, const Tensor& b) { return where(c, 2.5, b); },
          [](const Number& c, const Number& b) { return chosen(c, Number(2.5L), b); }),
      where_number(
          "masked_fill", "masked_fill(Tensor, Tensor, number)",
          [](const Tensor& c, const Tensor& x) { return masked_fill(x, c, -2.5); },
          [](const Number& c, const Number& x) { return chosen(c, Number(-2.5L), x); }),
      where_number(
          "masked_fill by rows", "masked_fill(Tensor, Tensor, number)",
          [](const Tensor& c, const Tensor& x) { return masked_fill(x, c, -2.5); },
          [](const Number& c, const Number& x) { return chosen(c, Number(-2.5L), x); }, "b"),
  };
  add_comparisons(ops);
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Comparison, OpProperties, ::testing::ValuesIn(comparison_ops()), name_of_op);

}  // namespace likely::testing
