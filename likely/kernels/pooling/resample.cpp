#include "likely/kernels/pooling/resample.hpp"

#include <algorithm>
#include <cmath>

#include "likely/kernels/pooling/plane_tiles.hpp"
#include "likely/kernels/scratch.hpp"

namespace likely::kernels {

namespace {

template <class T>
void forward(const ResampleShape& s, const T* input, T* output) {
  const auto out_height = static_cast<std::int64_t>(s.rows.size());
  const auto out_width = static_cast<std::int64_t>(s.columns.size());
  for_each_plane(s.planes, out_height * out_width, 1.5, [&](std::int64_t plane) {
    const T* const from = input + plane * s.in_height * s.in_width;
    T* to = output + plane * out_height * out_width;
    T* const line = scratch<T>(ScratchSlot::pooling_line, s.in_width);
    for (const Tap& row : s.rows) {
      // A line between two rows first, then points between its columns.
      const T* const first = from + row.first * s.in_width;
      const T* const second = from + row.second * s.in_width;
      const T* mixed = first;
      if (row.weight != 0.0) {
        const T far = static_cast<T>(row.weight);
        const T near = static_cast<T>(1.0 - row.weight);
        for (std::int64_t x = 0; x < s.in_width; ++x) line[x] = near * first[x] + far * second[x];
        mixed = line;
      }
      for (const Tap& column : s.columns) {
        // Not 0 * x: that would spread a NaN or infinity to neighbours that do not depend on it.
        *to++ = column.weight == 0.0 ? mixed[column.first]
                                     : static_cast<T>(1.0 - column.weight) * mixed[column.first] +
                                           static_cast<T>(column.weight) * mixed[column.second];
      }
    }
  });
}

template <class T>
void backward(const ResampleShape& s, const T* grad_output, T* grad_input) {
  const auto out_height = static_cast<std::int64_t>(s.rows.size());
  const auto out_width = static_cast<std::int64_t>(s.columns.size());
  for_each_plane(s.planes, out_height * out_width + s.in_height * s.in_width, 1.5, [&](std::int64_t plane) {
    const T* from = grad_output + plane * out_height * out_width;
    T* const to = grad_input + plane * s.in_height * s.in_width;
    T* const line = scratch<T>(ScratchSlot::pooling_line, s.in_width);
    std::fill(to, to + s.in_height * s.in_width, T(0));
    for (const Tap& row : s.rows) {
      std::fill(line, line + s.in_width, T(0));
      for (const Tap& column : s.columns) {
        const T gradient = *from++;
        if (column.weight == 0.0) {
          line[column.first] += gradient;
        } else {
          line[column.first] += static_cast<T>(1.0 - column.weight) * gradient;
          line[column.second] += static_cast<T>(column.weight) * gradient;
        }
      }
      T* const first = to + row.first * s.in_width;
      T* const second = to + row.second * s.in_width;
      const T far = static_cast<T>(row.weight);
      const T near = static_cast<T>(1.0 - row.weight);
      if (row.weight == 0.0) {
        for (std::int64_t x = 0; x < s.in_width; ++x) first[x] += line[x];
      } else {
        for (std::int64_t x = 0; x < s.in_width; ++x) first[x] += near * line[x];
        for (std::int64_t x = 0; x < s.in_width; ++x) second[x] += far * line[x];
      }
    }
  });
}

}  // namespace

std::vector<Tap> nearest_taps(std::int64_t in, std::int64_t out, const Step& step) {
  std::vector<Tap> taps;
  taps.reserve(static_cast<std::size_t>(out));
  for (std::int64_t i = 0; i < out; ++i) {
    const auto source =
        static_cast<std::int64_t>(std::floor(static_cast<double>(i) * step.over / step.under));
    const std::int64_t nearest = std::min(source, in - 1);
    taps.push_back({nearest, nearest, 0.0});
  }
  return taps;
}

std::vector<Tap> linear_taps(std::int64_t in, std::int64_t out, const Step& step) {
  std::vector<Tap> taps;
  taps.reserve(static_cast<std::size_t>(out));
  for (std::int64_t i = 0; i < out; ++i) {
    const double source = std::max(0.0, (static_cast<double>(i) + 0.5) * step.over / step.under - 0.5);
    const std::int64_t first = std::min(static_cast<std::int64_t>(source), in - 1);
    const std::int64_t second = std::min(first + 1, in - 1);
    taps.push_back({first, second, first == second ? 0.0 : source - static_cast<double>(first)});
  }
  return taps;
}

void resample_forward(const ResampleShape& shape, const float* input, float* output) {
  forward(shape, input, output);
}
void resample_forward(const ResampleShape& shape, const double* input, double* output) {
  forward(shape, input, output);
}
void resample_backward(const ResampleShape& shape, const float* grad_output, float* grad_input) {
  backward(shape, grad_output, grad_input);
}
void resample_backward(const ResampleShape& shape, const double* grad_output, double* grad_input) {
  backward(shape, grad_output, grad_input);
}

}  // namespace likely::kernels
