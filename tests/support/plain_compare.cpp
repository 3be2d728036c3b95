#include "tests/support/plain_compare.hpp"

#include <cmath>
#include <limits>
#include <sstream>

namespace likely::testing::plain {

namespace {

bool agrees(Real computed, Real expected, double wobble, const Precision& precision, double slack,
            bool signs) {
  if (std::isnan(expected)) return std::isnan(computed);
  if (precision.rounding > 0 && std::abs(expected) > precision.largest * (1 + Real(precision.rounding))) {
    expected = std::copysign(std::numeric_limits<Real>::infinity(), expected);
  }
  if (std::isinf(expected) || precision.rounding == 0) return computed == expected;
  if (signs && expected == 0 && std::signbit(expected) != std::signbit(computed)) return false;
  const Real scale = std::isfinite(wobble) ? Real(wobble) : std::abs(expected);
  const Real allowed = Real(slack) * (Real(precision.rounding) * scale + precision.smallest);
  // Beside the largest number a rounding error away is infinity.
  if (std::isinf(computed)) return std::abs(expected) + allowed >= precision.largest;
  return std::abs(computed - expected) <= allowed;
}

}  // namespace

std::string first_difference(const std::vector<Real>& computed, const std::vector<Real>& expected,
                             const std::vector<double>& wobble, const Precision& precision, double slack,
                             bool signs) {
  std::ostringstream text;
  text.precision(19);
  if (computed.size() != expected.size()) {
    text << computed.size() << " elements, expected " << expected.size();
    return text.str();
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (agrees(computed[i], expected[i], wobble[i], precision, slack, signs)) continue;
    if (wrong++ == 0) {
      text << "element " << i << " of " << expected.size() << " is " << computed[i] << ", expected "
           << expected[i] << " +- " << static_cast<double>(slack * precision.rounding * wobble[i]);
      if (precision.rounding > 0) {
        text << " ("
             << static_cast<double>(std::abs(computed[i] - expected[i])) / (precision.rounding * wobble[i])
             << " times what rounding explains)";
      }
    }
  }
  if (wrong > 1) text << ", and " << wrong - 1 << " others are wrong";
  return text.str();
}

}  // namespace likely::testing::plain
