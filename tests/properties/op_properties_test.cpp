#include "tests/support/op_properties.hpp"

#include "tests/support/op_overflow.hpp"

namespace likely::testing {

TEST_P(OpProperties, Hold) { check_op(GetParam()); }
TEST_P(OpProperties, HoldBeyondAnySize) { check_overflow(GetParam()); }

}  // namespace likely::testing
