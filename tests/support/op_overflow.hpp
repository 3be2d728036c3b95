// Sizes that no memory holds, or that no number counts: an operation gives a view or a small result, or
// refuses; it never reads or writes what is not there.
#pragma once

#include "tests/support/op_properties.hpp"

namespace likely::testing {

// Calls the operation with each axis in turn, and each pair of axes, far beyond any memory. The inputs take
// none: all their elements are one.
void check_overflow(const Op& op);

}  // namespace likely::testing
