#include "tests/support/plain_number.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace likely::testing::plain {

namespace {

// All steps in the order of computation: node i has the edges [ends[i - 1], ends[i]).
struct Steps {
  std::vector<Edge> edges;
  std::vector<std::size_t> ends;
  bool recording = false;
};

Steps& steps() {
  static Steps record;
  return record;
}

void push(const Number& from, Real weight, double wobble) {
  if (from.node >= 0) steps().edges.push_back({from.node, static_cast<double>(weight), wobble});
}

std::int32_t close_node() {
  Steps& all = steps();
  if (all.ends.size() > 0x7ffffff0U) throw std::length_error("too many steps for one record");
  all.ends.push_back(all.edges.size());
  return static_cast<std::int32_t>(all.ends.size() - 1);
}

double magnitude(Real x) { return static_cast<double>(std::abs(x)); }

bool tracked(const Number& x) { return x.node >= 0; }

Number step(Real value, const Number& x, Real slope, double slope_wobble) {
  Number result(value);
  result.wobble = magnitude(slope) * x.wobble + magnitude(value);
  if (tracked(x)) {
    push(x, slope, slope_wobble);
    result.node = close_node();
  }
  return result;
}

Number step(Real value, const Number& a, Real slope_a, double wobble_a, const Number& b, Real slope_b,
            double wobble_b) {
  Number result(value);
  result.wobble = magnitude(slope_a) * a.wobble + magnitude(slope_b) * b.wobble + magnitude(value);
  if (tracked(a) || tracked(b)) {
    push(a, slope_a, wobble_a);
    push(b, slope_b, wobble_b);
    result.node = close_node();
  }
  return result;
}

Real step_size(Real x) { return 1e-3L * std::max<Real>(std::abs(x), 0.3L); }

// Central differences of eighth order.
Real slope_of(const Function& f, Real x) {
  const Real h = step_size(x);
  const auto difference = [&](int steps) {
    return f(x + static_cast<Real>(steps) * h) - f(x - static_cast<Real>(steps) * h);
  };
  return (672 * difference(1) - 168 * difference(2) + 32 * difference(3) - 3 * difference(4)) / (840 * h);
}

// What the rounding of Real does to such differences, in units of the rounding of double.
double wobble_of_differences(Real value, Real x) { return 1e-3 * magnitude(value) / magnitude(step_size(x)); }

}  // namespace

Number operator+(const Number& a, const Number& b) { return step(a.value + b.value, a, 1, 0, b, 1, 0); }
Number operator-(const Number& a, const Number& b) { return step(a.value - b.value, a, 1, 0, b, -1, 0); }
Number operator*(const Number& a, const Number& b) {
  return step(a.value * b.value, a, b.value, b.wobble, b, a.value, a.wobble);
}
Number operator/(const Number& a, const Number& b) {
  const Real ratio = a.value / b.value;
  const double inverse = 1 / magnitude(b.value);
  const double relative = inverse * b.wobble + 1;
  return step(ratio, a, 1 / b.value, inverse * relative, b, -ratio / b.value,
              inverse * (inverse * a.wobble + 2 * magnitude(ratio) * relative));
}
Number operator-(const Number& a) { return step(-a.value, a, -1, 0); }

Number exp(const Number& x) {
  const Real y = std::exp(x.value);
  return step(y, x, y, magnitude(y) * (x.wobble + 1));
}
Number log(const Number& x) {
  const double inverse = 1 / magnitude(x.value);
  return step(std::log(x.value), x, 1 / x.value, inverse * inverse * x.wobble + inverse);
}
Number sqrt(const Number& x) {
  const Real y = std::sqrt(x.value);
  const double slope = 0.5 / magnitude(y);
  return step(y, x, 0.5L / y, slope * (0.5 * x.wobble / magnitude(x.value) + 1));
}
Number pow(const Number& x, Real exponent) {
  const Real slope = exponent * std::pow(x.value, exponent - 1);
  const Real bend = exponent * (exponent - 1) * std::pow(x.value, exponent - 2);
  return step(std::pow(x.value, exponent), x, slope, magnitude(bend) * x.wobble + magnitude(slope));
}

Number apply(const Function& f, const Number& x) {
  const Real value = f(x.value);
  if (!tracked(x) && x.wobble == 0) return step(value, x, 0, 0);
  const Real slope = slope_of(f, x.value);
  double wobble = magnitude(slope) + wobble_of_differences(value, x.value);
  if (x.wobble > 0) {
    const Real h = step_size(x.value);
    wobble += x.wobble * magnitude((f(x.value + h) - 2 * value + f(x.value - h)) / (h * h));
  }
  return step(value, x, slope, wobble);
}

Number apply(const Function& f, const Function& slope, const Number& x) {
  const Real by_x = slope(x.value);
  return step(f(x.value), x, by_x, magnitude(by_x));
}

Number apply(const std::function<Real(const std::vector<Real>&)>& f, const std::vector<Number>& arguments) {
  std::vector<Real> at;
  for (const Number& argument : arguments) at.push_back(argument.value);
  Number result(f(at));
  result.wobble = magnitude(result.value);
  bool any = false;
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (!tracked(arguments[i])) continue;
    const Function along = [&](Real x) {
      std::vector<Real> moved = at;
      moved[i] = x;
      return f(moved);
    };
    const Real slope = slope_of(along, at[i]);
    push(arguments[i], slope, magnitude(slope) + wobble_of_differences(result.value, at[i]));
    any = true;
  }
  if (any) result.node = close_node();
  return result;
}

void Sum::add(const Number& x) {
  value_ += x.value;
  magnitude_ += magnitude(x.value) + x.wobble;
  if (tracked(x)) edges_.push_back({x.node, 1, 0});
}

void Sum::add_product(const Number& a, const Number& b) {
  const Real product = a.value * b.value;
  value_ += product;
  magnitude_ += magnitude(product) + magnitude(a.value) * b.wobble + magnitude(b.value) * a.wobble;
  if (tracked(a)) edges_.push_back({a.node, static_cast<double>(b.value), b.wobble});
  if (tracked(b)) edges_.push_back({b.node, static_cast<double>(a.value), a.wobble});
}

Number Sum::total() const {
  Number result(value_);
  result.wobble = magnitude_ + magnitude(value_);
  if (!edges_.empty()) {
    steps().edges.insert(steps().edges.end(), edges_.begin(), edges_.end());
    result.node = close_node();
  }
  return result;
}

Record::Record() {
  if (steps().recording) throw std::logic_error("one record at a time");
  steps().recording = true;
}

Record::~Record() {
  Steps& all = steps();
  all.edges.clear();
  all.ends.clear();
  all.recording = false;
}

void Record::watch(Number& x) {
  x.node = close_node();
  if (x.node != watched_++) throw std::logic_error("watch all numbers before the first step");
}

Record::Slopes Record::gradient(const std::vector<Number>& outputs, const std::vector<Real>& weights) const {
  const Steps& all = steps();
  std::vector<Real> slope(all.ends.size(), 0);
  std::vector<double> wobble(all.ends.size(), 0);
  std::vector<bool> begun(all.ends.size(), false);
  std::vector<bool> several(all.ends.size(), false);  // contributions: their sum is rounded
  const auto add = [&](std::size_t node, Real part) {
    slope[node] += part;
    several[node] = begun[node];
    begun[node] = true;
  };
  const auto finish = [&](std::size_t node) {
    if (several[node]) wobble[node] += magnitude(slope[node]);
  };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].node < 0) continue;
    const auto node = static_cast<std::size_t>(outputs[i].node);
    if (begun[node]) wobble[node] += magnitude(weights[i]);
    add(node, weights[i]);
  }
  for (std::size_t node = all.ends.size(); node-- > static_cast<std::size_t>(watched_);) {
    finish(node);
    if (slope[node] == 0 && wobble[node] == 0) continue;
    for (std::size_t e = all.ends[node - 1]; e < all.ends[node]; ++e) {
      const Edge& edge = all.edges[e];
      const auto from = static_cast<std::size_t>(edge.from);
      wobble[from] += std::abs(edge.weight) * wobble[node] +
                      (edge.wobble + std::abs(edge.weight)) * magnitude(slope[node]);
      add(from, edge.weight * slope[node]);
    }
  }
  for (std::size_t node = 0; node < static_cast<std::size_t>(watched_); ++node) finish(node);
  slope.resize(static_cast<std::size_t>(watched_));
  wobble.resize(static_cast<std::size_t>(watched_));
  return {slope, wobble};
}

}  // namespace likely::testing::plain
