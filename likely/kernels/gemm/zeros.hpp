// Matrix products that pass over the zeros of A: half of what a relu gives, and of the gradient behind it, is
// zero. Internal to likely.
#pragma once

#include "likely/kernels/gemm/simd.hpp"

namespace likely::kernels {

// Whether passing over zeros pays for this product, by its shape and by a sample of A.
bool worth_skipping_zeros(const Product<float>& p);

// As multiply_part, to the bit where no sum underflows (there the sign of a zero may differ). What A's zeros
// would make of infinities and NaN in B comes out as in any product.
void multiply_part_skipping_zeros(const Product<float>& p, const Part& part);

}  // namespace likely::kernels
