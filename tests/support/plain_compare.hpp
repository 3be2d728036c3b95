// The comparison of computed numbers with plain ones. Nothing here uses likely.
#pragma once

#include <string>
#include <vector>

#include "tests/support/plain_number.hpp"

namespace likely::testing::plain {

// What a type of number can hold. Whole numbers are exact.
struct Precision {
  double rounding;  // the relative rounding error; 0 for whole numbers
  Real smallest;    // the smallest number above 0
  Real largest;
};

// Nothing, or the first element that is further from the expected one than `slack` times what rounding
// explains. An expected number beyond the largest is infinity; NaN equals NaN; with `signs` -0 is not 0.
std::string first_difference(const std::vector<Real>& computed, const std::vector<Real>& expected,
                             const std::vector<double>& wobble, const Precision& precision, double slack,
                             bool signs = false);

}  // namespace likely::testing::plain
