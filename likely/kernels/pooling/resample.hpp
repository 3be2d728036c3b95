// Making images larger or smaller: nearest and bilinear, with gradients, over raw row-major memory.
// Internal to likely.
#pragma once

#include <cstdint>
#include <vector>

namespace likely::kernels {

// Where an output position of one axis takes its value from: (1 - weight) x[first] + weight x[second].
// Nearest has first = second and weight 0.
struct Tap {
  std::int64_t first;
  std::int64_t second;
  double weight;
};

// How many input elements an output element stands for: over / under, a fraction so that i * over / under is
// exact wherever it is whole.
struct Step {
  double over;
  double under;
};

// `out` taps into an axis of `in` elements.
// nearest: floor(i step). linear: s = max(0, (i + 1/2) step - 1/2) between floor(s) and the next element.
std::vector<Tap> nearest_taps(std::int64_t in, std::int64_t out, const Step& step);
std::vector<Tap> linear_taps(std::int64_t in, std::int64_t out, const Step& step);

// Planes of in_height x in_width become planes of rows.size() x columns.size().
struct ResampleShape {
  std::int64_t planes = 0;
  std::int64_t in_height = 1;
  std::int64_t in_width = 1;
  std::vector<Tap> rows;
  std::vector<Tap> columns;
};

void resample_forward(const ResampleShape& shape, const float* input, float* output);
void resample_forward(const ResampleShape& shape, const double* input, double* output);
// The transpose: what each output got from an input, it gives back with the same weight.
void resample_backward(const ResampleShape& shape, const float* grad_output, float* grad_input);
void resample_backward(const ResampleShape& shape, const double* grad_output, double* grad_input);

}  // namespace likely::kernels
