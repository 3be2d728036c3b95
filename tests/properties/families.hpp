// The operations of likely/ops, described for op_properties.hpp: a family a file.
#pragma once

#include "tests/support/op_properties.hpp"

namespace likely::testing {

Ops arithmetic_ops();
Ops activation_ops();
Ops math_ops();
Ops comparison_ops();
Ops reduction_ops();
Ops cumulative_ops();
Ops view_ops();
Ops indexing_ops();
Ops order_ops();
Ops product_ops();
Ops matrix_ops();
Ops convolution_ops();
Ops pooling_ops();
Ops softmax_ops();
Ops normalization_ops();
Ops attention_ops();
Ops random_ops();
Ops special_ops();
Ops sparse_ops();

// What the tests of random draws cover, as Op::declares says it.
std::vector<std::string> random_draws();

}  // namespace likely::testing
