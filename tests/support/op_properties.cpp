#include "tests/support/op_properties.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <ostream>

#include "likely/autodiff/gradient.hpp"
#include "likely/core/threads.hpp"
#include "likely/ops/arithmetic.hpp"
#include "likely/ops/reduce.hpp"
#include "tests/support/layouts.hpp"
#include "tests/support/op_draws.hpp"
#include "tests/support/plain_compare.hpp"

namespace likely::testing {

namespace {

using plain::Array;
using plain::Real;

plain::Extents extents_of(const Shape& shape) { return {shape.begin(), shape.end()}; }

plain::Precision precision_of(DType type) {
  // A subnormal factor has few digits, and its product no more.
  constexpr Real kSubnormalSteps = 16;
  if (type == DType::f32) {
    using Limits = std::numeric_limits<float>;
    return {Limits::epsilon() / 2.0, Limits::denorm_min() * kSubnormalSteps, Limits::max()};
  }
  using Limits = std::numeric_limits<double>;
  if (type == DType::f64)
    return {Limits::epsilon() / 2.0, Limits::denorm_min() * kSubnormalSteps, Limits::max()};
  return {0, 0, 0};
}

std::vector<Real> numbers_of(const Tensor& x) {
  if (is_floating(x.dtype())) {
    const std::vector<double> values = x.to_vector<double>();
    return {values.begin(), values.end()};
  }
  const std::vector<std::int64_t> values = x.to_vector<std::int64_t>();
  return {values.begin(), values.end()};
}

// Bit for bit, NaN included.
bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  const Tensor dense_a = a.contiguous();
  const Tensor dense_b = b.contiguous();
  const std::size_t bytes = static_cast<std::size_t>(a.size()) * size_of(a.dtype());
  return bytes == 0 || std::memcmp(dense_a.raw(), dense_b.raw(), bytes) == 0;
}

DType result_type(ResultType result, DType type) {
  switch (result) {
    case ResultType::same: return type;
    case ResultType::floating: return is_floating(type) ? type : DType::f32;
    case ResultType::number: return type == DType::boolean ? DType::i64 : type;
    case ResultType::i64: return DType::i64;
    case ResultType::boolean: return DType::boolean;
  }
  return type;
}

// One operation on inputs of one type and one size.
class Case {
 public:
  Case(const Op& op, DType type, const Sizes& sizes)
      : op_(op), type_(type), random_(std::hash<std::string>()(op.name + text_of(sizes))) {
    for (const Input& input : op.inputs) {
      types_.push_back(input.type.value_or(type));
      shapes_.push_back(shape_of(input.axes, sizes));
      values_.push_back(draw(input, shapes_.back(), types_.back(), sizes, random_));
    }
  }

  // Makes all inputs such that this layout can hold them.
  void repeat(Layout layout) {
    for (std::size_t i = 0; i < values_.size(); ++i) make_repeated(values_[i], shapes_[i], layout);
  }
  void replace(const std::vector<std::vector<double>>& values) { values_ = values; }

  // The plain loop. Returns whether the operation may be called at all: otherwise it must refuse.
  bool compute() {
    plain::Record record;
    try {
      expected_ = op_.loop(arrays(record, values_, op_.gradient && is_floating(expected_type())));
    } catch (const plain::Refused&) {
      return false;
    }
    seed_ = cotangent(expected_.elements.size(), expected_type(), random_);
    if (differentiable()) slopes_ = record.gradient(expected_.elements, {seed_.begin(), seed_.end()});
    return true;
  }

  void expect_refusal() const {
    const Tensors inputs = tensors(Layout::contiguous).views;
    try {
      op_.call(inputs);
    } catch (const Error& error) {
      EXPECT_EQ(error.what()[0], '[') << error.what();
      return;
    }
    ADD_FAILURE() << "nothing was refused";
  }

  // Value and gradient with inputs in this layout.
  void check(Layout layout, bool signs = false) {
    SCOPED_TRACE(std::string(name_of(layout)));
    const LaidOutInputs inputs = tensors(layout);
    const Tensor result = op_.call(inputs.views);
    check_value(result, signs);
    if (differentiable()) check_gradient(inputs.views, layout);
    for (std::size_t i = 0; i < inputs.memory.size(); ++i) {
      EXPECT_TRUE(same_bits(inputs.memory[i], inputs.before[i])) << "input " << i << " was changed";
    }
    if (layout == Layout::contiguous) contiguous_ = result;
    if (op_.same_bits && contiguous_.defined()) {
      EXPECT_TRUE(same_bits(result, contiguous_)) << "not the bits of contiguous inputs";
    }
  }

  void check_threads() {
    const Tensors inputs = tensors(Layout::contiguous).views;
    const int before = threads();
    std::vector<Tensors> results;
    for (const int count : {1, 2, 3}) {
      set_threads(count);
      Tensors all = {op_.call(inputs)};
      if (differentiable()) {
        for (const Tensor& gradient : gradients(inputs, Layout::contiguous)) all.push_back(gradient);
      }
      results.push_back(std::move(all));
    }
    set_threads(before);
    for (std::size_t i = 0; i < results[0].size(); ++i) {
      EXPECT_TRUE(same_bits(results[0][i], results[1][i]) && same_bits(results[0][i], results[2][i]))
          << "other bits with more threads: " << (i == 0 ? "value" : "gradient " + std::to_string(i - 1));
    }
  }

  // The derivative of the gradient along a direction, against differences of the plain gradient.
  void check_second() {
    std::vector<std::vector<double>> direction;
    for (const auto& values : values_) direction.push_back(cotangent(values.size(), DType::f64, random_));
    std::vector<Real> expected(slopes_.value.size(), 0);
    constexpr Real kStep = 1e-4L;
    for (const auto& [steps, weight] : {std::pair{1, 8.0L}, {-1, -8.0L}, {2, -1.0L}, {-2, 1.0L}}) {
      const std::vector<Real> slope = plain_gradient(direction, kStep * static_cast<Real>(steps));
      for (std::size_t i = 0; i < slope.size(); ++i) expected[i] += weight * slope[i] / (12 * kStep);
    }
    const Tensor seed = lay_out(seed_, shape_of_result(), DType::f64, Layout::contiguous).view;
    Tensors along;
    for (const std::size_t i : learned()) {
      along.push_back(lay_out(direction[i], shapes_[i], DType::f64, Layout::contiguous).view);
    }
    const Tensors inputs = tensors(Layout::contiguous).views;
    const auto slope = [&](const Tensors& point) {
      const Tensors first =
          grad(point, [&](const Tensors& inner) { return sum(op_.call(merged(inputs, inner)) * seed); });
      Tensor total = sum(first[0] * along[0]);
      for (std::size_t i = 1; i < first.size(); ++i) total = total + sum(first[i] * along[i]);
      return total;
    };
    expect_slopes("second derivative", grad(picked(inputs), slope), expected, {}, 1e-6);
  }

  bool differentiable() const {
    return op_.gradient && is_floating(type_) && is_floating(expected_type()) && !learned().empty();
  }
  // Of the inputs.
  std::size_t elements() const {
    std::size_t total = 0;
    for (const auto& values : values_) total += values.size();
    return total;
  }

 private:
  struct LaidOutInputs {
    Tensors views;
    Tensors memory;
    Tensors before;
  };

  DType expected_type() const { return result_type(op_.result, type_); }
  Shape shape_of_result() const { return Shape(std::span<const std::int64_t>(expected_.shape)); }

  std::vector<std::size_t> learned() const {
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < types_.size(); ++i) {
      if (op_.inputs[i].learned && is_floating(types_[i])) which.push_back(i);
    }
    return which;
  }
  Tensors picked(const Tensors& inputs) const {
    Tensors result;
    for (const std::size_t i : learned()) result.push_back(inputs[i]);
    return result;
  }
  Tensors merged(Tensors inputs, const Tensors& point) const {
    const std::vector<std::size_t> which = learned();
    for (std::size_t i = 0; i < which.size(); ++i) inputs[which[i]] = point[i];
    return inputs;
  }

  Arrays arrays(plain::Record& record, const std::vector<std::vector<double>>& values, bool watched,
                const std::vector<std::vector<double>>& direction = {}, Real step = 0) const {
    Arrays result;
    for (std::size_t i = 0; i < values.size(); ++i) {
      plain::Numbers numbers(values[i].begin(), values[i].end());
      for (std::size_t j = 0; j < numbers.size(); ++j) {
        if (step != 0 && op_.inputs[i].learned) numbers[j].value += step * direction[i][j];
        if (watched && op_.inputs[i].learned && is_floating(types_[i])) record.watch(numbers[j]);
      }
      result.emplace_back(extents_of(shapes_[i]), std::move(numbers));
    }
    return result;
  }

  std::vector<Real> plain_gradient(const std::vector<std::vector<double>>& direction, Real step) const {
    plain::Record record;
    const Array result = op_.loop(arrays(record, values_, true, direction, step));
    return record.gradient(result.elements, {seed_.begin(), seed_.end()}).value;
  }

  LaidOutInputs tensors(Layout layout) const {
    LaidOutInputs result;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const LaidOut laid = lay_out(values_[i], shapes_[i], types_[i], layout);
      result.memory.push_back(laid.memory);
      result.before.push_back(laid.memory.copy());
      result.views.push_back(laid.view);
    }
    return result;
  }

  void check_value(const Tensor& result, bool signs) const {
    ASSERT_EQ(result.shape().string(), shape_of_result().string());
    ASSERT_EQ(name_of(result.dtype()), name_of(expected_type()));
    std::vector<Real> values;
    std::vector<double> wobbles;
    for (const plain::Number& number : expected_.elements) {
      values.push_back(number.value);
      wobbles.push_back(number.wobble);
    }
    EXPECT_EQ(plain::first_difference(numbers_of(result), values, wobbles, precision_of(result.dtype()),
                                      op_.slack, signs),
              "");
  }

  Tensors gradients(const Tensors& inputs, Layout layout) const {
    const auto forward =
        vjp(picked(inputs), [&](const Tensors& point) { return op_.call(merged(inputs, point)); });
    const bool repeats = layout == Layout::repeated_first || layout == Layout::repeated_last;
    const Layout of_seed = repeats ? Layout::contiguous : layout;
    return forward.pull_back(lay_out(seed_, shape_of_result(), expected_type(), of_seed).view);
  }

  void check_gradient(const Tensors& inputs, Layout layout) const {
    expect_slopes("gradient", gradients(inputs, layout), slopes_.value, slopes_.wobble, 0);
  }

  // With wobbles, to what rounding explains; else to a part of the largest slope.
  void expect_slopes(const std::string& what, const Tensors& computed, const std::vector<Real>& expected,
                     const std::vector<double>& wobble, double part) const {
    const std::vector<std::size_t> which = learned();
    ASSERT_EQ(computed.size(), which.size());
    auto first = expected.begin();
    for (std::size_t i = 0; i < which.size(); ++i) {
      const Shape& shape = shapes_[which[i]];
      const std::string name = what + " for input " + std::to_string(which[i]);
      ASSERT_EQ(computed[i].shape().string(), shape.string()) << name;
      ASSERT_EQ(name_of(computed[i].dtype()), name_of(types_[which[i]])) << name;
      const std::vector<Real> slopes(first, first + shape.size());
      const plain::Precision precision = precision_of(types_[which[i]]);
      std::vector<double> allowed;
      if (wobble.empty()) {
        Real largest = 1;
        for (const Real slope : slopes) largest = std::max(largest, std::abs(slope));
        const double scale = static_cast<double>(largest) * part / precision.rounding / op_.gradient_slack;
        allowed.assign(slopes.size(), scale);
      } else {
        const auto from = wobble.begin() + (first - expected.begin());
        allowed.assign(from, from + shape.size());
      }
      EXPECT_EQ(
          plain::first_difference(numbers_of(computed[i]), slopes, allowed, precision, op_.gradient_slack),
          "")
          << name;
      first += shape.size();
    }
  }

  const Op& op_;
  DType type_;
  Random random_;
  std::vector<DType> types_;
  std::vector<Shape> shapes_;
  std::vector<std::vector<double>> values_;
  std::vector<double> seed_;
  Array expected_;
  plain::Record::Slopes slopes_;
  Tensor contiguous_;
};

constexpr Layout kSameElements[] = {Layout::contiguous, Layout::offset, Layout::turned, Layout::stepped,
                                    Layout::reversed};

void check_case(const Op& op, DType type, const Sizes& sizes, bool every_layout) {
  SCOPED_TRACE(std::string(name_of(type)) + ", " + text_of(sizes));
  Case one(op, type, sizes);
  // So much is there for how work is cut, which does not look at types and strides.
  const bool huge = one.elements() > 60'000;
  if (huge && type != op.types.front()) return;
  if (!one.compute()) return one.expect_refusal();
  for (const Layout layout : kSameElements) {
    if (layout != Layout::contiguous && huge) continue;
    if (!every_layout && (layout == Layout::stepped || layout == Layout::reversed)) continue;
    one.check(layout);
    if (::testing::Test::HasFatalFailure()) return;
  }
  one.check_threads();
  if (every_layout && op.second && type == DType::f64 && one.differentiable() && one.elements() > 0) {
    one.check_second();
  }
}

void check_repeated(const Op& op, DType type, const Sizes& sizes, Layout layout) {
  SCOPED_TRACE(std::string(name_of(type)) + ", " + text_of(sizes));
  Case one(op, type, sizes);
  one.repeat(layout);
  if (!one.compute()) return one.expect_refusal();
  one.check(layout);
}

// Every pair (or each alone) of the numbers where mistakes live, at each place of a vector.
void check_specials(const Op& op, DType type) {
  SCOPED_TRACE(std::string(name_of(type)) + ", special numbers");
  const bool single = type == DType::f32;
  const double infinity = std::numeric_limits<double>::infinity();
  const double tiny =
      single ? std::numeric_limits<float>::denorm_min() : std::numeric_limits<double>::denorm_min();
  const double largest = single ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  const double least = single ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  const std::vector<double> special = {0.0,  -0.0,  1.0,     -1.0,     infinity, -infinity, std::nan(""),
                                       tiny, -tiny, largest, -largest, least,    -least,    0.5,
                                       2.0,  -2.5,  100.0,   -100.0,   1e-3};
  const std::size_t count = op.inputs.size();
  std::vector<std::vector<double>> values(count);
  const std::size_t total = count == 1 ? 3 * special.size() : special.size() * special.size();
  for (std::size_t i = 0; i < total; ++i) {
    values[0].push_back(rounded(special[i % special.size()], type));
    if (count == 2) values[1].push_back(rounded(special[i / special.size()], type));
  }
  Op plain_op = op;
  plain_op.gradient = false;
  for (Input& input : plain_op.inputs) input.axes = "n";
  Case one(plain_op, type, {{'n', static_cast<std::int64_t>(total)}});
  one.replace(values);
  one.compute();
  one.check(Layout::contiguous, op.zero_signs);
  one.check(Layout::reversed, op.zero_signs);
}

}  // namespace

void check_op(const Op& op) {
  for (const DType type : op.types) {
    const Sizes first = sizes_of(op.sizes.at(0));
    for (std::size_t i = 0; i < op.sizes.size(); ++i) check_case(op, type, sizes_of(op.sizes[i]), i == 0);
    for (const Layout layout : {Layout::repeated_first, Layout::repeated_last}) {
      if (layout == Layout::repeated_last ? op.repeat_last : op.repeat_first) {
        check_repeated(op, type, first, layout);
      }
    }
    Sizes ones = first;
    for (auto& [letter, size] : ones) size = 1;
    check_case(op, type, ones, true);
    for (const auto& [letter, size] : first) {
      Sizes empty = first;
      empty[letter] = 0;
      check_case(op, type, empty, true);
    }
    if (op.specials && is_floating(type)) check_specials(op, type);
  }
}

std::string name_of_op(const ::testing::TestParamInfo<Op>& info) {
  // GoogleTest takes letters, digits and _ alone.
  static const std::map<char, std::string> kWords = {{'+', "plus"},  {'-', "minus"}, {'*', "times"},
                                                     {'/', "over"},  {'=', "is"},    {'<', "less"},
                                                     {'>', "above"}, {'!', "not"},   {'.', "point"}};
  std::string name;
  for (const char letter : info.param.name) {
    const auto word = kWords.find(letter);
    if (std::isalnum(letter) != 0) {
      name += letter;
    } else if (word != kWords.end()) {
      name += "_" + word->second;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  return name;
}

std::ostream& operator<<(std::ostream& out, const Op& op) { return out << op.name; }

}  // namespace likely::testing
