#include "likely/ops/arithmetic.hpp"

#include <cmath>
#include <limits>

#include "likely/ops/accumulate.hpp"
#include "likely/ops/cast.hpp"
#include "tests/properties/elementwise.hpp"
#include "tests/properties/families.hpp"

namespace likely::testing {

namespace {

using plain::Number;
using plain::Real;

// Equal numbers share the gradient in halves.
Number shared(const Number& a, const Number& b) {
  Number result = (a + b) * Number(0.5L);
  result.value = a.value;
  return result;
}

Number larger(const Number& a, const Number& b) {
  if (std::isnan(a.value) || std::isnan(b.value)) return Number(std::nanl(""));
  if (a.value == b.value) return shared(a, b);
  return a.value > b.value ? a : b;
}
Number smaller(const Number& a, const Number& b) {
  if (std::isnan(a.value) || std::isnan(b.value)) return Number(std::nanl(""));
  if (a.value == b.value) return shared(a, b);
  return a.value < b.value ? a : b;
}
Number power(const Number& a, const Number& b) {
  if (a.node < 0 && b.node < 0) {
    Number result(std::pow(a.value, b.value));
    // a^b = e^(b log a): what rounding does to the exponent, it does to the result.
    result.wobble =
        static_cast<double>(std::abs(result.value) * (1 + std::abs(b.value * std::log(std::abs(a.value)))));
    return result;
  }
  return exp(b * log(a));
}

Number floor_quotient(const Number& a, const Number& b) {
  return b.value == 0 ? Number(0) : Number(std::floor(a.value / b.value));
}

Number stepwise(const Number& x, Real (*f)(Real)) { return Number(f(x.value)); }

Op with_number(const std::string& name, const std::string& arguments,
               std::function<Tensor(const Tensor&)> call, const PlainUnary& loop, double low = -2.0,
               double high = 2.0) {
  Op op = unary_op(name, std::move(call), loop, low, high);
  op.declares = {name.substr(0, name.find(' ')) + arguments};
  return op;
}

Ops with_numbers() {
  const std::string behind = "(Tensor, number)";
  return {
      with_number(
          "add a number", behind, [](const Tensor& x) { return add(x, 1.5); },
          [](const Number& x) { return x + Number(1.5L); }),
      with_number(
          "multiply by a number", behind, [](const Tensor& x) { return multiply(x, -2.5); },
          [](const Number& x) { return x * Number(-2.5L); }),
      // Beside whole numbers and bools a whole number gives i64, a floating one f32.
      with(with_number(
               "add a whole number", behind, [](const Tensor& x) { return add(x, 3); },
               [](const Number& x) { return x + Number(3); }),
           [](Op& op) {
             op.types = kAllTypes;
             op.result = ResultType::number;
           }),
      with(with_number(
               "multiply whole numbers by a fraction", behind,
               [](const Tensor& x) { return multiply(x, -2.5); },
               [](const Number& x) { return x * Number(-2.5L); }),
           [](Op& op) {
             op.types = {DType::i64, DType::boolean};
             op.result = ResultType::floating;
           }),
      with(with_number(
               "operator/ of whole numbers with a floating one", behind,
               [](const Tensor& x) { return x / 4.0; }, [](const Number& x) { return x / Number(4); }),
           [](Op& op) {
             op.types = {DType::i64, DType::boolean};
             op.result = ResultType::floating;
           }),
      with_number(
          "operator+= a number", behind,
          [](const Tensor& x) {
            Tensor result = x;
            result += 1.5;
            return result;
          },
          [](const Number& x) { return x + Number(1.5L); }),
      with_number(
          "operator-= a number", behind,
          [](const Tensor& x) {
            Tensor result = x;
            result -= 1.5;
            return result;
          },
          [](const Number& x) { return x - Number(1.5L); }),
      with_number(
          "operator*= a number", behind,
          [](const Tensor& x) {
            Tensor result = x;
            result *= -2.5;
            return result;
          },
          [](const Number& x) { return x * Number(-2.5L); }),
      with_number(
          "operator/= a number", behind,
          [](const Tensor& x) {
            Tensor result = x;
            result /= 4.0;
            return result;
          },
          [](const Number& x) { return x / Number(4); }),
      with_number(
          "maximum with a number", behind, [](const Tensor& x) { return maximum(x, 0.25); },
          [](const Number& x) { return larger(x, Number(0.25L)); }),
      with_number(
          "minimum with a number", behind, [](const Tensor& x) { return minimum(x, 0.25); },
          [](const Number& x) { return smaller(x, Number(0.25L)); }),
      with_number(
          "pow to 3", behind, [](const Tensor& x) { return pow(x, 3.0); },
          [](const Number& x) { return pow(x, 3); }),
      with_number(
          "pow to -1.5", behind, [](const Tensor& x) { return pow(x, -1.5); },
          [](const Number& x) { return pow(x, -1.5L); }, 0.2, 3.0),
      with_number(
          "pow of 2.5", "(number, Tensor)", [](const Tensor& x) { return pow(2.5, x); },
          [](const Number& x) { return plain::apply([](Real y) { return std::pow(2.5L, y); }, x); }),
      with_number(
          "clip", "(Tensor, number, number)", [](const Tensor& x) { return clip(x, -0.5, 0.75); },
          [](const Number& x) {
            return x.value < -0.5L ? Number(-0.5L) : x.value > 0.75L ? Number(0.75L) : x;
          }),
      with_number(
          "operator+ with a number", behind, [](const Tensor& x) { return x + 1.5; },
          [](const Number& x) { return x + Number(1.5L); }),
      with_number(
          "operator+ of a number", "(number, Tensor)", [](const Tensor& x) { return 1.5 + x; },
          [](const Number& x) { return x + Number(1.5L); }),
      with_number(
          "operator- with a number", behind, [](const Tensor& x) { return x - 1.5; },
          [](const Number& x) { return x - Number(1.5L); }),
      with_number(
          "operator- of a number", "(number, Tensor)", [](const Tensor& x) { return 1.5 - x; },
          [](const Number& x) { return Number(1.5L) - x; }),
      with_number(
          "operator* with a number", behind, [](const Tensor& x) { return x * -2.5; },
          [](const Number& x) { return x * Number(-2.5L); }),
      with_number(
          "operator* of a number", "(number, Tensor)", [](const Tensor& x) { return -2.5 * x; },
          [](const Number& x) { return x * Number(-2.5L); }),
      with_number(
          "operator/ with a number", behind, [](const Tensor& x) { return x / 3.0; },
          [](const Number& x) { return x / Number(3); }),
      with_number(
          "operator/ of a number", "(number, Tensor)", [](const Tensor& x) { return 3.0 / x; },
          [](const Number& x) { return Number(3) / x; }, 0.3, 2.0),
  };
}

Ops unaries() {
  Ops ops = {
      unary_op("negative", negative, [](const Number& x) { return -x; }),
      unary_op("abs", likely::abs,
               [](const Number& x) { return x.value < 0 || std::signbit(x.value) ? -x : x; }),
      unary_op("sign", sign,
               [](const Number& x) {
                 return std::isnan(x.value) ? x : Number(x.value > 0 ? 1.0L : x.value < 0 ? -1.0L : 0.0L);
               }),
      unary_op("square", square, [](const Number& x) { return x * x; }),
      unary_op(
          "reciprocal", reciprocal, [](const Number& x) { return Number(1) / x; }, 0.3, 2.0),
      unary_op("floor", likely::floor, [](const Number& x) { return stepwise(x, std::floor); }),
      unary_op("ceil", likely::ceil, [](const Number& x) { return stepwise(x, std::ceil); }),
      unary_op("round", likely::round, [](const Number& x) { return stepwise(x, std::nearbyint); }),
      with(unary_op(
               "operator- of one", [](const Tensor& x) { return -x; }, [](const Number& x) { return -x; }),
           [](Op& op) {
             op.types = kNumberTypes;
             op.declares = {"operator-(Tensor)"};
           }),
  };
  for (const char* name : {"negative", "abs", "sign", "square", "floor", "ceil", "round"}) {
    for (Op& op : ops) {
      if (op.name != name) continue;
      op.types = kNumberTypes;
      op.zero_signs = op.name != "sign";
    }
  }
  return ops;
}

// x op= y, as a function.
template <class Assign>
Op assigning(const std::string& name, Assign assign, const PlainBinary& loop, double low = -2.0) {
  Op op = binary_op(
      name,
      [assign](const Tensor& a, const Tensor& b) {
        Tensor result = a;
        assign(result, b);
        return result;
      },
      loop, low);
  op.sizes = kElementSizes;
  return op;
}

}  // namespace

Ops arithmetic_ops() {
  const PlainBinary plus = [](const Number& a, const Number& b) { return a + b; };
  const PlainBinary minus = [](const Number& a, const Number& b) { return a - b; };
  const PlainBinary times = [](const Number& a, const Number& b) { return a * b; };
  const PlainBinary over = [](const Number& a, const Number& b) { return a / b; };
  const auto sum_of = static_cast<Binary>(add);
  const auto product_of = static_cast<Binary>(multiply);
  const auto whole = [](Op& op) {
    op.types = kNumberTypes;
    op.zero_signs = op.name != "maximum" && op.name != "minimum";
  };
  const auto only_whole = [](Op& op) {
    op.name += ", whole numbers";
    op.types = {DType::i64};
  };
  Ops ops = {
      with(binary_op("add", sum_of, plus), whole),
      with(binary_op("subtract", subtract, minus), whole),
      with(binary_op("multiply", product_of, times), whole),
      binary_op("divide", divide, over, 0.3),
      with(binary_op("divide", divide, floor_quotient), only_whole),
      binary_op("pow", static_cast<Binary>(likely::pow), power, 0.2),
      with(binary_op("maximum", static_cast<Binary>(maximum), larger), whole),
      with(binary_op("minimum", static_cast<Binary>(minimum), smaller), whole),
      binary_op(
          "operator+", [](const Tensor& a, const Tensor& b) { return a + b; }, plus),
      binary_op(
          "operator-", [](const Tensor& a, const Tensor& b) { return a - b; }, minus),
      binary_op(
          "operator*", [](const Tensor& a, const Tensor& b) { return a * b; }, times),
      binary_op(
          "operator/", [](const Tensor& a, const Tensor& b) { return a / b; }, over, 0.3),
      assigning(
          "operator+=", [](Tensor& a, const Tensor& b) { a += b; }, plus),
      assigning(
          "operator-=", [](Tensor& a, const Tensor& b) { a -= b; }, minus),
      assigning(
          "operator*=", [](Tensor& a, const Tensor& b) { a *= b; }, times),
      assigning(
          "operator/=", [](Tensor& a, const Tensor& b) { a /= b; }, over, 0.3),
      assigning(
          "accumulate", [](Tensor& a, const Tensor& b) { accumulate(a, b); }, plus),
      // More elements than one thread takes.
      with(binary_op("add", sum_of, plus),
           [](Op& op) {
             op.name += " on threads";
             op.sizes = kManyElementSizes;
           }),
  };
  for (const auto& [first, second] : kBroadcasts) {
    ops.push_back(broadcasting(with(binary_op("add", sum_of, plus), whole), first, second));
    ops.push_back(broadcasting(binary_op("multiply", product_of, times), first, second));
    ops.push_back(broadcasting(binary_op("divide", divide, over, 0.3), first, second));
    ops.push_back(broadcasting(binary_op("maximum", static_cast<Binary>(maximum), larger), first, second));
  }
  for (const Ops& more : {with_numbers(), unaries()}) ops.insert(ops.end(), more.begin(), more.end());
  return ops;
}

INSTANTIATE_TEST_SUITE_P(Arithmetic, OpProperties, ::testing::ValuesIn(arithmetic_ops()), name_of_op);

}  // namespace likely::testing
