#include "tests/support/plain_windows.hpp"

#include <algorithm>

namespace likely::testing::plain {

Array convolution(const Array& x, const Array& weight, const Array& bias, const WindowOptions& o) {
  const std::int64_t batch = x.shape[0], channels = x.shape[1], height = x.shape[2], width = x.shape[3];
  const std::int64_t out = weight.shape[0], each = weight.shape[1], kernel_h = weight.shape[2],
                     kernel_w = weight.shape[3];
  const std::int64_t room_h = height + o.top + o.bottom - o.dilation_h * (kernel_h - 1) - 1;
  const std::int64_t room_w = width + o.left + o.right - o.dilation_w * (kernel_w - 1) - 1;
  if (room_h < 0 || room_w < 0) throw Refused();
  Array y({batch, out, room_h / o.stride_h + 1, room_w / o.stride_w + 1});
  std::int64_t next = 0;
  for (std::int64_t n = 0; n < batch; ++n) {
    for (std::int64_t f = 0; f < out; ++f) {
      const std::int64_t first = f / (out / o.groups) * each;
      for (std::int64_t i = 0; i < y.shape[2]; ++i) {
        for (std::int64_t j = 0; j < y.shape[3]; ++j) {
          Sum total;
          if (bias.size() > 0) total.add(bias[f]);
          for (std::int64_t c = 0; c < each; ++c) {
            for (std::int64_t k = 0; k < kernel_h; ++k) {
              const std::int64_t row = i * o.stride_h + k * o.dilation_h - o.top;
              if (row < 0 || row >= height) continue;
              for (std::int64_t l = 0; l < kernel_w; ++l) {
                const std::int64_t column = j * o.stride_w + l * o.dilation_w - o.left;
                if (column < 0 || column >= width) continue;
                total.add_product(x[((n * channels + first + c) * height + row) * width + column],
                                  weight[((f * each + c) * kernel_h + k) * kernel_w + l]);
              }
            }
          }
          y[next++] = total.total();
        }
      }
    }
  }
  return y;
}

Array transposed_convolution(const Array& x, const Array& weight, const Array& bias, const WindowOptions& o,
                             std::int64_t height, std::int64_t width) {
  const std::int64_t batch = x.shape[0], channels = x.shape[1];
  const std::int64_t each = weight.shape[1], kernel_h = weight.shape[2], kernel_w = weight.shape[3];
  if (x.shape[2] < 1 || x.shape[3] < 1 || height < 1 || width < 1) throw Refused();
  const std::int64_t out = each * o.groups;
  std::vector<Sum> sums(static_cast<std::size_t>(batch * out * height * width));
  for (std::int64_t n = 0; n < batch; ++n) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int64_t first = c / (channels / o.groups) * each;
      for (std::int64_t f = 0; f < each; ++f) {
        for (std::int64_t i = 0; i < x.shape[2]; ++i) {
          for (std::int64_t j = 0; j < x.shape[3]; ++j) {
            for (std::int64_t k = 0; k < kernel_h; ++k) {
              for (std::int64_t l = 0; l < kernel_w; ++l) {
                const std::int64_t row = i * o.stride_h + k * o.dilation_h - o.top;
                const std::int64_t column = j * o.stride_w + l * o.dilation_w - o.left;
                if (row < 0 || row >= height || column < 0 || column >= width) continue;
                sums[static_cast<std::size_t>(((n * out + first + f) * height + row) * width + column)]
                    .add_product(x.at({n, c, i, j}), weight.at({c, f, k, l}));
              }
            }
          }
        }
      }
    }
  }
  Array y({batch, out, height, width});
  for (std::int64_t i = 0; i < y.size(); ++i) {
    if (bias.size() > 0) sums[static_cast<std::size_t>(i)].add(bias[i / (height * width) % out]);
    y[i] = sums[static_cast<std::size_t>(i)].total();
  }
  return y;
}

Array as_planes(const Array& x) {
  Extents shape = x.shape;
  if (shape.size() == 3) shape.insert(shape.begin() + 2, 1);
  return reshaped(x, shape);
}

Array as_lines(const Array& x) {
  Extents shape = x.shape;
  shape.erase(shape.end() - 2);
  return reshaped(x, shape);
}

Windows sliding(std::int64_t size, std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
  if (size < 1 || size + 2 * padding < kernel) throw Refused();
  Windows windows;
  for (std::int64_t begin = -padding; begin + kernel <= size + padding; begin += stride) {
    windows.emplace_back(std::max<std::int64_t>(0, begin), std::min(size, begin + kernel));
  }
  return windows;
}

Windows adaptive(std::int64_t size, std::int64_t count) {
  if (size < 1) throw Refused();
  Windows windows;
  for (std::int64_t i = 0; i < count; ++i) {
    windows.emplace_back(i * size / count, ((i + 1) * size + count - 1) / count);
  }
  return windows;
}

namespace {

// Calls body(window's elements, their places in the plane) for each result, row by row.
template <class Body>
Array over_windows(const Array& x, const Windows& rows, const Windows& columns, const Body& body) {
  Extents shape = x.shape;
  const std::int64_t height = shape[shape.size() - 2];
  const std::int64_t width = shape[shape.size() - 1];
  shape[shape.size() - 2] = static_cast<std::int64_t>(rows.size());
  shape[shape.size() - 1] = static_cast<std::int64_t>(columns.size());
  Array y;
  y.shape = shape;
  const std::int64_t planes = product(Extents(shape.begin(), shape.end() - 2));
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    for (const auto& [top, bottom] : rows) {
      for (const auto& [left, right] : columns) {
        Numbers elements;
        Extents places;
        for (std::int64_t row = top; row < bottom; ++row) {
          for (std::int64_t column = left; column < right; ++column) {
            places.push_back(row * width + column);
            elements.push_back(x[plane * height * width + places.back()]);
          }
        }
        y.elements.push_back(body(elements, places));
      }
    }
  }
  return y;
}

}  // namespace

Array largest(const Array& x, const Windows& rows, const Windows& columns, bool places) {
  return over_windows(x, rows, columns, [&](const Numbers& elements, const Extents& where) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < elements.size(); ++i)
      best = elements[i].value > elements[best].value ? i : best;
    return places ? Number(static_cast<Real>(where[best])) : elements[best];
  });
}

Array average(const Array& x, const Windows& rows, const Windows& columns, std::int64_t count) {
  return over_windows(x, rows, columns, [&](const Numbers& elements, const Extents&) {
    return sum(elements) /
           Number(static_cast<Real>(count > 0 ? count : static_cast<std::int64_t>(elements.size())));
  });
}

}  // namespace likely::testing::plain
