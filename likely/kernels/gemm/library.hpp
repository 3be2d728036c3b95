// Matrix products by the libraries of the field, on the calling thread: large products, where they are
// faster. Internal to likely.
#pragma once

#include "likely/kernels/gemm/simd.hpp"

namespace likely::kernels {

// True if a library beats likely's own loops for this product on this processor (docs/kernels.md has the
// numbers).
bool library_is_faster(const Product<float>& product);
bool library_is_faster(const Product<double>& product);

// Requires m, n, k > 0. The bits depend on the sizes and the processor: cut a product by its shape alone.
void multiply_by_library(const Product<float>& product);
void multiply_by_library(const Product<double>& product);

}  // namespace likely::kernels
