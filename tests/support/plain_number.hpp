// A number that knows where it came from: what plain loops are written with, so that one loop gives the value
// of an operation, its gradient, and how far rounding may move either. Nothing here uses likely.
//
// Each number carries `wobble`, a first-order bound of what rounding every step may have done to it, in units
// of the relative rounding error (running error analysis). So the tolerance of a comparison follows from the
// formula and the numbers at hand.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace likely::testing::plain {

using Real = long double;

struct Number {
  Real value = 0;
  double wobble = 0;
  std::int32_t node = -1;  // in the record of steps; -1: a constant

  Number() = default;
  Number(Real constant) : value(constant) {}  // NOLINT(google-explicit-constructor)
};

Number operator+(const Number& a, const Number& b);
Number operator-(const Number& a, const Number& b);
Number operator*(const Number& a, const Number& b);
Number operator/(const Number& a, const Number& b);
Number operator-(const Number& a);

Number exp(const Number& x);
Number log(const Number& x);
Number sqrt(const Number& x);
Number pow(const Number& x, Real exponent);

using Function = std::function<Real(Real)>;
// f(x) with its derivative: given, or by central differences (exact to about 1e-14 where f is smooth around
// x).
Number apply(const Function& f, const Number& x);
Number apply(const Function& f, const Function& slope, const Number& x);

// The same for several arguments, by differences.
Number apply(const std::function<Real(const std::vector<Real>&)>& f, const std::vector<Number>& arguments);

// How a step depends on an earlier number.
struct Edge {
  std::int32_t from;
  double weight;  // the derivative of the step by it
  double wobble;  // of the weight
};

// A long sum as one step.
class Sum {
 public:
  void add(const Number& x);
  void add_product(const Number& a, const Number& b);
  Number total() const;

 private:
  Real value_ = 0;
  double magnitude_ = 0;
  std::vector<Edge> edges_;
};

// While alive, steps are recorded. One at a time.
class Record {
 public:
  Record();
  ~Record();
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  // Makes this number one that gradients are taken of.
  void watch(Number& x);

  struct Slopes {
    std::vector<Real> value;     // for each watched number, in order
    std::vector<double> wobble;  // how far rounding may move it, in the same units as above
  };
  // The gradient of sum_i weights[i] outputs[i].
  Slopes gradient(const std::vector<Number>& outputs, const std::vector<Real>& weights) const;

 private:
  std::int32_t watched_ = 0;
};

}  // namespace likely::testing::plain
