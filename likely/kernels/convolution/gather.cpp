#include "likely/kernels/convolution/gather.hpp"

#include <algorithm>

#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/convolution/gather.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/load_where-inl.hpp"

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

// Calls step(tag, place) for whole vectors, then for a half vector if it fits, and rest(tag, mask, place) for
// what is left. Lines are short, often half a vector: a call to memmove would cost more than the copy, and
// masked stores delay later loads of the same place.
template <class T, class Step, class Rest>
HWY_INLINE void for_line(std::int64_t count, const Step& step, const Rest& rest) {
  const hn::ScalableTag<T> d;
  const hn::Half<decltype(d)> half;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) step(d, i);
  if (i + lanes / 2 <= count) {
    step(half, i);
    i += lanes / 2;
  }
  if (i < count) rest(half, hn::FirstN(half, static_cast<std::size_t>(count - i)), i);
}

// `lines` lines of `count` elements each; lines of one vector or half a vector have loops of their own, since
// the windows of small images consist of nothing else.
template <class T>
void copy_lines(std::int64_t lines, std::int64_t count, const T* from, std::int64_t from_stride, T* to,
                std::int64_t to_stride) {
  const hn::ScalableTag<T> d;
  const hn::Half<decltype(d)> half;
  if (count == static_cast<std::int64_t>(hn::Lanes(half))) {
    for (; lines > 0; --lines, from += from_stride, to += to_stride)
      hn::StoreU(hn::LoadU(half, from), half, to);
  } else if (count == static_cast<std::int64_t>(hn::Lanes(d))) {
    for (; lines > 0; --lines, from += from_stride, to += to_stride) hn::StoreU(hn::LoadU(d, from), d, to);
  } else {
    for (; lines > 0; --lines, from += from_stride, to += to_stride) {
      for_line<T>(
          count,
          [&](auto tag, std::int64_t i) HWY_ATTR { hn::StoreU(hn::LoadU(tag, from + i), tag, to + i); },
          [&](auto tag, auto mask, std::int64_t i)
              HWY_ATTR { hn::BlendedStore(load_where(tag, mask, from + i), mask, tag, to + i); });
    }
  }
}

template <class T>
void add_lines(std::int64_t lines, std::int64_t count, const T* from, std::int64_t from_stride, T* to,
               std::int64_t to_stride) {
  const hn::ScalableTag<T> d;
  const hn::Half<decltype(d)> half;
  const auto add = [&](auto tag, std::int64_t i) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(tag, to + i), hn::LoadU(tag, from + i)), tag, to + i);
  };
  if (count == static_cast<std::int64_t>(hn::Lanes(half))) {
    for (; lines > 0; --lines, from += from_stride, to += to_stride) add(half, 0);
  } else if (count == static_cast<std::int64_t>(hn::Lanes(d))) {
    for (; lines > 0; --lines, from += from_stride, to += to_stride) add(d, 0);
  } else {
    for (; lines > 0; --lines, from += from_stride, to += to_stride) {
      for_line<T>(count, add, [&](auto tag, auto mask, std::int64_t i) HWY_ATTR {
        const auto sum = hn::Add(load_where(tag, mask, to + i), load_where(tag, mask, from + i));
        hn::BlendedStore(sum, mask, tag, to + i);
      });
    }
  }
}

template <class T>
void fill_lines(std::int64_t lines, std::int64_t count, T* to, std::int64_t stride) {
  if (count == 0) return;
  for (; lines > 0; --lines, to += stride) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = T(0);
  }
}

// The lines that one input of the window makes: `rows` lines of the column matrix at `place`, of which those
// in `inside_y` come from the image, the first from `source`, with `inside_x` of their elements.
struct Lines {
  std::int64_t place;
  std::int64_t source;
  Inside inside_y;
  Inside inside_x;
};

// Calls visit(lines) for each input of a window. Channels are innermost: the lines of neighbouring inputs
// overlap in the image, and adding to a place just written would wait for the write.
template <class Visit>
HWY_INLINE void visit_inputs(const Windows& w, std::int64_t row, std::int64_t rows, const Visit& visit) {
  const Conv2dShape& s = w.shape;
  for (std::int64_t i = 0; i < s.kernel_height; ++i) {
    const std::int64_t top = row * s.stride_h - s.pad_top + i * s.dilation_h;
    const Inside inside_y(rows, s.stride_h, top, s.in_height);
    for (std::int64_t j = 0; j < s.kernel_width; ++j) {
      const std::int64_t left = j * s.dilation_w - s.pad_left;
      const Inside inside_x(w.out_width, s.stride_w, left, s.in_width);
      const std::int64_t corner =
          (top + inside_y.begin * s.stride_h) * s.in_width + left + inside_x.begin * s.stride_w;
      for (std::int64_t channel = 0; channel < w.group_in; ++channel) {
        const std::int64_t input = (channel * s.kernel_height + i) * s.kernel_width + j;
        visit(Lines{input * rows * w.out_width, channel * w.in_size() + corner, inside_y, inside_x});
      }
    }
  }
}

template <class T>
void gather(const Windows& w, const T* image, std::int64_t row, std::int64_t rows, T* columns) {
  const std::int64_t width = w.out_width;
  const std::int64_t stride = w.shape.stride_w;
  const std::int64_t down = w.shape.stride_h * w.shape.in_width;
  visit_inputs(w, row, rows, [&](const Lines& lines) HWY_ATTR {
    const auto [x, x_end] = lines.inside_x;
    const auto [y, y_end] = lines.inside_y;
    T* const to = columns + lines.place;
    fill_lines(1, y * width, to, 0);
    fill_lines(1, (rows - y_end) * width, to + y_end * width, 0);
    fill_lines(y_end - y, x, to + y * width, width);
    fill_lines(y_end - y, width - x_end, to + y * width + x_end, width);
    const T* from = image + lines.source;
    if (stride == 1) return copy_lines(y_end - y, x_end - x, from, down, to + y * width + x, width);
    for (std::int64_t r = y; r < y_end; ++r, from += down) {
      for (std::int64_t i = x; i < x_end; ++i) to[r * width + i] = from[(i - x) * stride];
    }
  });
}

template <class T>
void scatter(const Windows& w, const T* columns, std::int64_t row, std::int64_t rows, T* image) {
  const std::int64_t width = w.out_width;
  const std::int64_t stride = w.shape.stride_w;
  const std::int64_t down = w.shape.stride_h * w.shape.in_width;
  visit_inputs(w, row, rows, [&](const Lines& lines) HWY_ATTR {
    const auto [x, x_end] = lines.inside_x;
    const auto [y, y_end] = lines.inside_y;
    const T* const from = columns + lines.place;
    T* to = image + lines.source;
    if (stride == 1) return add_lines(y_end - y, x_end - x, from + y * width + x, width, to, down);
    for (std::int64_t r = y; r < y_end; ++r, to += down) {
      for (std::int64_t i = x; i < x_end; ++i) to[(i - x) * stride] += from[r * width + i];
    }
  });
}

// A window that lies inside the image: the inputs of each channel and kernel row are side by side, so that
// they are copied as one short vector whose surplus the next one overwrites.
template <class T, class D, class M>
HWY_INLINE void gather_inner_window(const Windows& w, D d, M mask, const T* source, T* line) {
  const std::int64_t down = w.shape.dilation_h * w.shape.in_width;
  for (std::int64_t channel = 0; channel < w.group_in; ++channel, source += w.in_size()) {
    const T* from = source;
    for (std::int64_t i = 0; i < w.shape.kernel_height; ++i, from += down, line += w.shape.kernel_width) {
      hn::StoreU(load_where(d, mask, from), d, line);
    }
  }
}

template <class T>
void gather_any_window(const Windows& w, const T* image, std::int64_t y, std::int64_t x, T* line) {
  const Conv2dShape& s = w.shape;
  for (std::int64_t channel = 0; channel < w.group_in; ++channel, image += w.in_size()) {
    for (std::int64_t i = 0; i < s.kernel_height; ++i, line += s.kernel_width) {
      const std::int64_t row = y + i * s.dilation_h;
      const bool outside = row < 0 || row >= s.in_height;
      for (std::int64_t j = 0; j < s.kernel_width; ++j) {
        const std::int64_t column = x + j * s.dilation_w;
        line[j] = outside || column < 0 || column >= s.in_width ? T(0) : image[row * s.in_width + column];
      }
    }
  }
}

template <class T>
void gather_lines(const Windows& w, const T* image, std::int64_t row, std::int64_t rows, std::int64_t stride,
                  T* lines) {
  const Conv2dShape& s = w.shape;
  const hn::CappedTag<T, 8> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto mask = hn::FirstN(d, static_cast<std::size_t>(std::min(s.kernel_width, lanes)));
  const bool side_by_side = s.dilation_w == 1 && s.kernel_width <= lanes;
  for (std::int64_t r = row; r < row + rows; ++r) {
    const std::int64_t y = r * s.stride_h - s.pad_top;
    const bool inner_row = side_by_side && y >= 0 && y + (s.kernel_height - 1) * s.dilation_h < s.in_height;
    for (std::int64_t i = 0; i < w.out_width; ++i, lines += stride) {
      const std::int64_t x = i * s.stride_w - s.pad_left;
      if (inner_row && x >= 0 && x + s.kernel_width <= s.in_width) {
        gather_inner_window(w, d, mask, image + y * s.in_width + x, lines);
      } else {
        gather_any_window(w, image, y, x, lines);
      }
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
