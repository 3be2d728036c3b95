// The probability of each block of a row of log-probabilities: what a categorical draw looks at first.
#pragma once

#include <cstdint>

namespace likely::kernels {

inline constexpr std::int64_t kMassBlock = 256;

inline constexpr std::int64_t mass_blocks(std::int64_t cols) { return (cols + kMassBlock - 1) / kMassBlock; }

// out[row][b] = sum of e^x over the elements [256 b, 256 (b + 1)) of the row, for x <= 0 of a contiguous
// (rows, cols) matrix; what would be denormal counts as 0. A block with a NaN or with plus infinity has no
// finite sum above 0.
void block_masses(const float* x, double* out, std::int64_t rows, std::int64_t cols);
void block_masses(const double* x, double* out, std::int64_t rows, std::int64_t cols);

}  // namespace likely::kernels
