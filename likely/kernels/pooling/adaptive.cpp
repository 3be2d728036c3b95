#include "likely/kernels/pooling/adaptive.hpp"

#include <algorithm>
#include <cmath>

#include "likely/kernels/pooling/plane_tiles.hpp"

namespace likely::kernels {

namespace {

struct Span {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t length() const { return end - begin; }
};

Span window(std::int64_t i, std::int64_t in_size, std::int64_t out_size) {
  return {i * in_size / out_size, ((i + 1) * in_size + out_size - 1) / out_size};
}

// Calls body(plane, output element, rows, columns) for each window of each plane.
template <class Body>
void for_each_window(const AdaptivePoolShape& s, std::int64_t plane, const Body& body) {
  for (std::int64_t i = 0; i < s.out_height; ++i) {
    const Span rows = window(i, s.in_height, s.out_height);
    for (std::int64_t j = 0; j < s.out_width; ++j) {
      body((plane * s.out_height + i) * s.out_width + j, rows, window(j, s.in_width, s.out_width));
    }
  }
}

std::int64_t work(const AdaptivePoolShape& s) {
  return std::max(s.in_height, s.out_height) * std::max(s.in_width, s.out_width);
}

template <class T>
void max_forward(const AdaptivePoolShape& s, const T* input, T* output, std::int64_t* index) {
  for_each_plane(s.planes, work(s), 2.0, [&](std::int64_t plane) {
    const T* const from = input + plane * s.in_height * s.in_width;
    for_each_window(s, plane, [&](std::int64_t element, Span rows, Span columns) {
      std::int64_t best = rows.begin * s.in_width + columns.begin;
      for (std::int64_t y = rows.begin; y < rows.end; ++y) {
        for (std::int64_t x = columns.begin; x < columns.end; ++x) {
          const T value = from[y * s.in_width + x];
          if (value > from[best] || (std::isnan(value) && !std::isnan(from[best]))) best = y * s.in_width + x;
        }
      }
      output[element] = from[best];
      index[element] = best;
    });
  });
}

template <class T>
void average_forward(const AdaptivePoolShape& s, const T* input, T* output) {
  for_each_plane(s.planes, work(s), 1.0, [&](std::int64_t plane) {
    const T* const from = input + plane * s.in_height * s.in_width;
    for_each_window(s, plane, [&](std::int64_t element, Span rows, Span columns) {
      T sum = 0;
      for (std::int64_t y = rows.begin; y < rows.end; ++y) {
        for (std::int64_t x = columns.begin; x < columns.end; ++x) sum += from[y * s.in_width + x];
      }
      output[element] = sum / static_cast<T>(rows.length() * columns.length());
    });
  });
}

template <class T>
void average_backward(const AdaptivePoolShape& s, const T* grad_output, T* grad_input) {
  for_each_plane(s.planes, work(s), 1.0, [&](std::int64_t plane) {
    T* const to = grad_input + plane * s.in_height * s.in_width;
    std::fill(to, to + s.in_height * s.in_width, T(0));
    for_each_window(s, plane, [&](std::int64_t element, Span rows, Span columns) {
      const T share = grad_output[element] / static_cast<T>(rows.length() * columns.length());
      for (std::int64_t y = rows.begin; y < rows.end; ++y) {
        for (std::int64_t x = columns.begin; x < columns.end; ++x) to[y * s.in_width + x] += share;
      }
    });
  });
}

}  // namespace

void adaptive_max_forward(const AdaptivePoolShape& shape, const float* input, float* output,
                          std::int64_t* index) {
  max_forward(shape, input, output, index);
}
void adaptive_max_forward(const AdaptivePoolShape& shape, const double* input, double* output,
                          std::int64_t* index) {
  max_forward(shape, input, output, index);
}
void adaptive_average_forward(const AdaptivePoolShape& shape, const float* input, float* output) {
  average_forward(shape, input, output);
}
void adaptive_average_forward(const AdaptivePoolShape& shape, const double* input, double* output) {
  average_forward(shape, input, output);
}
void adaptive_average_backward(const AdaptivePoolShape& shape, const float* grad_output, float* grad_input) {
  average_backward(shape, grad_output, grad_input);
}
void adaptive_average_backward(const AdaptivePoolShape& shape, const double* grad_output,
                               double* grad_input) {
  average_backward(shape, grad_output, grad_input);
}

}  // namespace likely::kernels
