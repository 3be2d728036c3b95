#include "tests/support/op_properties.hpp"

namespace likely::testing {

TEST_P(OpProperties, Hold) { check_op(GetParam()); }

}  // namespace likely::testing
