#include "likely/kernels/convolution_gather.hpp"

#include <algorithm>

#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/convolution_gather.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The outputs [begin, end) of one row whose input x * stride + offset lies inside [0, size).
struct Inside {
  std::int64_t begin;
  std::int64_t end;
  Inside(std::int64_t outputs, std::int64_t stride, std::int64_t offset, std::int64_t size) {
    begin = std::clamp<std::int64_t>(offset >= 0 ? 0 : (-offset + stride - 1) / stride, 0, outputs);
    end = std::clamp<std::int64_t>(size - offset <= 0 ? 0 : (size - offset - 1) / stride + 1, begin, outputs);
  }
};

template <class T>
HWY_INLINE void set_zero(T* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = T(0);
}

// Lines are short, often one vector: a call to memmove would cost more than the copy.
template <class T>
HWY_INLINE void copy_line(const T* from, std::int64_t count, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
  if (i < count) {
    const auto mask = hn::FirstN(d, static_cast<std::size_t>(count - i));
    hn::BlendedStore(hn::MaskedLoad(mask, d, from + i), mask, d, to + i);
  }
}

template <class T>
HWY_INLINE void add_line(const T* from, std::int64_t count, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::Add(hn::LoadU(d, to + i), hn::LoadU(d, from + i)), d, to + i);
  if (i < count) {
    const auto mask = hn::FirstN(d, static_cast<std::size_t>(count - i));
    hn::BlendedStore(hn::Add(hn::MaskedLoad(mask, d, to + i), hn::MaskedLoad(mask, d, from + i)), mask, d,
                     to + i);
  }
}

// Calls visit(place in the column matrix, image row or null, offset of its first input, inside) for each
// input of a window and each of the output rows.
template <class T, class Visit>
HWY_INLINE void visit_lines(const Windows& w, T* image, std::int64_t row, std::int64_t rows,
                            const Visit& visit) {
  const Conv2dShape& s = w.shape;
  std::int64_t place = 0;
  for (std::int64_t channel = 0; channel < w.group_in; ++channel, image += w.in_size()) {
    for (std::int64_t i = 0; i < s.kernel_height; ++i) {
      for (std::int64_t j = 0; j < s.kernel_width; ++j) {
        const std::int64_t left = j * s.dilation_w - s.pad_left;
        const Inside inside(w.out_width, s.stride_w, left, s.in_width);
        std::int64_t y = row * s.stride_h - s.pad_top + i * s.dilation_h;
        for (std::int64_t r = 0; r < rows; ++r, place += w.out_width, y += s.stride_h) {
          visit(place, y < 0 || y >= s.in_height ? nullptr : image + y * s.in_width, left, inside);
        }
      }
    }
  }
}

template <class T>
void gather(const Windows& w, const T* image, std::int64_t row, std::int64_t rows, T* columns) {
  const std::int64_t stride = w.shape.stride_w;
  visit_lines(w, image, row, rows,
              [&](std::int64_t place, const T* source, std::int64_t left, const Inside& inside) HWY_ATTR {
                T* const line = columns + place;
                if (source == nullptr) return set_zero(line, w.out_width);
                set_zero(line, inside.begin);
                if (stride == 1) {
                  copy_line(source + left + inside.begin, inside.end - inside.begin, line + inside.begin);
                } else {
                  for (std::int64_t x = inside.begin; x < inside.end; ++x)
                    line[x] = source[x * stride + left];
                }
                set_zero(line + inside.end, w.out_width - inside.end);
              });
}

template <class T>
void scatter(const Windows& w, const T* columns, std::int64_t row, std::int64_t rows, T* image) {
  const std::int64_t stride = w.shape.stride_w;
  visit_lines(w, image, row, rows,
              [&](std::int64_t place, T* target, std::int64_t left, const Inside& inside) HWY_ATTR {
                if (target == nullptr) return;
                const T* const line = columns + place;
                if (stride == 1) {
                  add_line(line + inside.begin, inside.end - inside.begin, target + left + inside.begin);
                } else {
                  for (std::int64_t x = inside.begin; x < inside.end; ++x)
                    target[x * stride + left] += line[x];
                }
              });
}

// One window: the inputs of each channel and kernel row are side by side, so that they are copied as one
// short vector whose surplus the next one overwrites.
template <class T>
HWY_INLINE void gather_window(const Windows& w, const T* image, std::int64_t y, std::int64_t x, T* line) {
  const Conv2dShape& s = w.shape;
  const hn::CappedTag<T, 8> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const bool whole = x >= 0 && x + (s.kernel_width - 1) * s.dilation_w < s.in_width;
  const bool vector = whole && s.dilation_w == 1 && s.kernel_width <= lanes;
  const auto mask = hn::FirstN(d, static_cast<std::size_t>(std::min(s.kernel_width, lanes)));
  for (std::int64_t channel = 0; channel < w.group_in; ++channel, image += w.in_size()) {
    for (std::int64_t i = 0; i < s.kernel_height; ++i, line += s.kernel_width) {
      const std::int64_t at = y + i * s.dilation_h;
      const T* const source = image + at * s.in_width + x;
      const bool outside = at < 0 || at >= s.in_height;
      if (vector) {
        hn::StoreU(outside ? hn::Zero(d) : hn::MaskedLoad(mask, d, source), d, line);
        continue;
      }
      for (std::int64_t j = 0; j < s.kernel_width; ++j) {
        const std::int64_t column = x + j * s.dilation_w;
        line[j] = outside || column < 0 || column >= s.in_width ? T(0) : source[j * s.dilation_w];
      }
    }
  }
}

template <class T>
void gather_lines(const Windows& w, const T* image, std::int64_t row, std::int64_t rows, std::int64_t stride,
                  T* lines) {
  const Conv2dShape& s = w.shape;
  for (std::int64_t r = row; r < row + rows; ++r) {
    for (std::int64_t x = 0; x < w.out_width; ++x, lines += stride) {
      gather_window(w, image, r * s.stride_h - s.pad_top, x * s.stride_w - s.pad_left, lines);
    }
  }
}

void gather_float(const Windows& w, const float* image, std::int64_t row, std::int64_t rows, float* columns) {
  gather(w, image, row, rows, columns);
}
void gather_double(const Windows& w, const double* image, std::int64_t row, std::int64_t rows,
                   double* columns) {
  gather(w, image, row, rows, columns);
}
void scatter_float(const Windows& w, const float* columns, std::int64_t row, std::int64_t rows,
                   float* image) {
  scatter(w, columns, row, rows, image);
}
void scatter_double(const Windows& w, const double* columns, std::int64_t row, std::int64_t rows,
                    double* image) {
  scatter(w, columns, row, rows, image);
}
void lines_float(const Windows& w, const float* image, std::int64_t row, std::int64_t rows,
                 std::int64_t stride, float* lines) {
  gather_lines(w, image, row, rows, stride, lines);
}
void lines_double(const Windows& w, const double* image, std::int64_t row, std::int64_t rows,
                  std::int64_t stride, double* lines) {
  gather_lines(w, image, row, rows, stride, lines);
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(gather_float);
HWY_EXPORT(gather_double);
HWY_EXPORT(scatter_float);
HWY_EXPORT(scatter_double);
HWY_EXPORT(lines_float);
HWY_EXPORT(lines_double);

Windows::Windows(const Conv2dShape& s)
    : shape(s),
      out_height(s.out_height()),
      out_width(s.out_width()),
      group_in(s.in_channels / s.groups),
      group_out(s.out_channels / s.groups),
      depth(group_in * s.kernel_height * s.kernel_width),
      plain(s.kernel_height == 1 && s.kernel_width == 1 && s.stride_h == 1 && s.stride_w == 1 &&
            s.pad_top == 0 && s.pad_left == 0 && s.pad_bottom == 0 && s.pad_right == 0) {}

void gather_columns(const Windows& w, const float* image, std::int64_t row, std::int64_t rows,
                    float* columns) {
  HWY_DYNAMIC_DISPATCH(gather_float)(w, image, row, rows, columns);
}
void gather_columns(const Windows& w, const double* image, std::int64_t row, std::int64_t rows,
                    double* columns) {
  HWY_DYNAMIC_DISPATCH(gather_double)(w, image, row, rows, columns);
}
void scatter_columns(const Windows& w, const float* columns, std::int64_t row, std::int64_t rows,
                     float* image) {
  HWY_DYNAMIC_DISPATCH(scatter_float)(w, columns, row, rows, image);
}
void scatter_columns(const Windows& w, const double* columns, std::int64_t row, std::int64_t rows,
                     double* image) {
  HWY_DYNAMIC_DISPATCH(scatter_double)(w, columns, row, rows, image);
}
void gather_windows(const Windows& w, const float* image, std::int64_t row, std::int64_t rows,
                    std::int64_t stride, float* lines) {
  HWY_DYNAMIC_DISPATCH(lines_float)(w, image, row, rows, stride, lines);
}
void gather_windows(const Windows& w, const double* image, std::int64_t row, std::int64_t rows,
                    std::int64_t stride, double* lines) {
  HWY_DYNAMIC_DISPATCH(lines_double)(w, image, row, rows, stride, lines);
}

}  // namespace likely::kernels
#endif
