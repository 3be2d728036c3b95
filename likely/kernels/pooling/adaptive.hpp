// Pooling to a given number of windows, which may overlap and differ in size, over raw row-major memory.
// Internal to likely.
#pragma once

#include <cstdint>

namespace likely::kernels {

// Output (i, j) of each plane looks at the rows [i in_height / out_height] to [(i + 1) in_height /
// out_height], the first rounded down, the last rounded up and excluded; columns likewise. All sizes >= 1.
struct AdaptivePoolShape {
  std::int64_t planes = 0;
  std::int64_t in_height = 1;
  std::int64_t in_width = 1;
  std::int64_t out_height = 1;
  std::int64_t out_width = 1;
};

// The largest input of each window and its position in its plane (row * in_width + column). The first of
// equal ones wins; a NaN counts as larger than everything.
void adaptive_max_forward(const AdaptivePoolShape& shape, const float* input, float* output,
                          std::int64_t* index);
void adaptive_max_forward(const AdaptivePoolShape& shape, const double* input, double* output,
                          std::int64_t* index);

// The mean of each window, and its gradient: grad_output / window size, added up over the windows.
void adaptive_average_forward(const AdaptivePoolShape& shape, const float* input, float* output);
void adaptive_average_forward(const AdaptivePoolShape& shape, const double* input, double* output);
void adaptive_average_backward(const AdaptivePoolShape& shape, const float* grad_output, float* grad_input);
void adaptive_average_backward(const AdaptivePoolShape& shape, const double* grad_output, double* grad_input);

}  // namespace likely::kernels
