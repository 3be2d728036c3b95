// What must hold for every operation, and the check of it. An operation is described once: its inputs by the
// letters of their axes, the call, and the same as a plain loop.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "likely/core/tensor.hpp"
#include "tests/support/plain_array.hpp"

namespace likely::testing {

using Tensors = std::vector<Tensor>;
using Arrays = std::vector<plain::Array>;

// How the numbers of an input are drawn.
enum class Draw : std::uint8_t {
  between,   // low to high
  apart,     // low to high, no two equal
  zeros,     // low to high, half of them 0
  labels,    // i64 from 0 to the size of the axis `below` names less 1
  flags,     // bool
  dominant,  // matrices in the last two axes with 3 times their size on the diagonal: regular
};

struct Input {
  std::string axes;  // a letter an axis, whose size is the case's; a digit is a size that stays
  double low = -2.0;
  double high = 2.0;
  Draw draw = Draw::between;
  char below = ' ';
  std::optional<DType> type{};  // where it is not the case's
  bool learned = true;          // whether gradients are taken of it
};

inline Input apart(const std::string& axes) { return {.axes = axes, .draw = Draw::apart}; }
inline Input zeros_in(const std::string& axes) { return {.axes = axes, .draw = Draw::zeros}; }
inline Input labels(const std::string& axes, char below) {
  return {.axes = axes, .draw = Draw::labels, .below = below, .type = DType::i64, .learned = false};
}
inline Input flags(const std::string& axes) {
  return {.axes = axes, .draw = Draw::flags, .type = DType::boolean, .learned = false};
}
inline Input matrices(const std::string& axes) {
  return {.axes = axes, .low = -1.0, .high = 1.0, .draw = Draw::dominant};
}
inline Input constant_input(const std::string& axes, double low, double high) {
  return {.axes = axes, .low = low, .high = high, .learned = false};
}

// The type of the result, from the type of the case.
enum class ResultType : std::uint8_t {
  same,
  floating,  // f32 for whole numbers and bools
  number,    // i64 for bools
  i64,
  boolean,
};

struct Op {
  std::string name;
  std::vector<std::string> declares;  // what it covers of likely/ops/*.hpp: "add(Tensor, Tensor)"
  std::vector<Input> inputs;
  // The sizes of the letters, "m=7 k=13", once for each case. The first is the one that is made empty,
  // single, strided and so on; the others are large enough for the fast paths.
  std::vector<std::string> sizes;
  std::function<Tensor(const Tensors&)> call;
  std::function<plain::Array(const Arrays&)> loop;

  std::vector<DType> types = {DType::f32, DType::f64};
  ResultType result = ResultType::same;
  bool gradient = true;
  bool second = true;        // also the second derivative, against differences of the plain gradient
  bool same_bits = false;    // strided inputs give the bits of contiguous ones
  bool specials = false;     // NaN, infinities, -0 and subnormal numbers as in the plain loop
  bool zero_signs = false;   // and -0 is not 0
  bool repeat_first = true;  // also with all elements of the first axis equal (stride 0)
  bool repeat_last = true;   // also with the elements of the last axis all equal (stride 0)
  double slack = 8;          // how many times what rounding explains
  double gradient_slack = 16;
};

using Ops = std::vector<Op>;

// Checks all of it, and reports what does not hold as test failures.
void check_op(const Op& op);

// One test for each operation: INSTANTIATE_TEST_SUITE_P(Family, OpProperties, ValuesIn(family()),
// name_of_op).
class OpProperties : public ::testing::TestWithParam<Op> {};
std::string name_of_op(const ::testing::TestParamInfo<Op>& info);
std::ostream& operator<<(std::ostream& out, const Op& op);

}  // namespace likely::testing
