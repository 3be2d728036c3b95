#include "likely/kernels/convolution/flat.hpp"

#include <algorithm>

#include "likely/core/threads.hpp"
#include "likely/kernels/scratch.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/convolution/flat.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/convolution/dots-inl.hpp"
#include "likely/kernels/gemm/tile-inl.hpp"
#include "likely/kernels/load_where-inl.hpp"

#ifndef LIKELY_KERNELS_FLAT_PLAN
#define LIKELY_KERNELS_FLAT_PLAN
namespace likely::kernels {

// The longest window: its offsets are kept on the stack.
inline constexpr std::int64_t kMaxDepth = 1024;

struct FlatPlan {
  explicit FlatPlan(const Conv2dShape& s)
      : shape(s),
        height(s.in_height + s.pad_top + s.pad_bottom),
        width(s.in_width + s.pad_left + s.pad_right),
        out_height(s.out_height()),
        out_width(s.out_width()),
        depth(s.in_channels * s.kernel_height * s.kernel_width),
        length((out_height - 1) * width + out_width),
        padded(height != s.in_height || width != s.in_width) {}

  Conv2dShape shape;
  std::int64_t height;  // of the image with its padding
  std::int64_t width;
  std::int64_t out_height;
  std::int64_t out_width;
  std::int64_t depth;
  std::int64_t length;  // outputs along the line, up to the last one needed
  bool padded;

  std::int64_t out_size() const { return out_height * out_width; }
  std::int64_t in_size() const { return shape.in_channels * shape.in_height * shape.in_width; }
  // Distance between the lines of two output channels in scratch memory, a whole number of vectors.
  std::int64_t line() const { return (length + 63) / 64 * 64; }
  double nanoseconds() const {
    return 0.02 * static_cast<double>(shape.batch * shape.out_channels * depth) *
           static_cast<double>(out_size());
  }

  void offsets(std::int64_t* result) const {
    for (std::int64_t channel = 0; channel < shape.in_channels; ++channel) {
      for (std::int64_t i = 0; i < shape.kernel_height; ++i) {
        for (std::int64_t j = 0; j < shape.kernel_width; ++j) {
          *result++ = (channel * height + i * shape.dilation_h) * width + j * shape.dilation_w;
        }
      }
    }
  }

  // The image itself, or a copy with its padding in scratch memory of the calling thread.
  const float* with_padding(const float* image) const {
    if (!padded) return image;
    const std::int64_t size = shape.in_channels * height * width;
    float* const copy = scratch<float>(ScratchSlot::convolution_pixels, size);
    std::fill(copy, copy + size, 0.0f);
    for (std::int64_t channel = 0; channel < shape.in_channels; ++channel) {
      for (std::int64_t y = 0; y < shape.in_height; ++y, image += shape.in_width) {
        std::copy_n(image, shape.in_width,
                    copy + (channel * height + y + shape.pad_top) * width + shape.pad_left);
      }
    }
    return copy;
  }
};

}  // namespace likely::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

constexpr std::int64_t kLanes = lanes_of<float>();

struct FlatTile {
  Tile<float> tile;
  const std::int64_t* offsets;
};

template <int kRows, int kVectors, bool kPartial>
void compute_flat_tile(const FlatTile& t) {
  const float* const line = t.tile.b;
  const std::int64_t* const offsets = t.offsets;
  compute_tile_of<hn::ScalableTag<float>, kRows, kVectors, kPartial>(
      t.tile, [=](std::int64_t k) { return line + offsets[k]; });
}

using FlatFunction = void (*)(const FlatTile&);

template <bool kPartial, int... kIndex>
constexpr auto flat_functions(std::integer_sequence<int, kIndex...>) {
  return std::array<FlatFunction, sizeof...(kIndex)>{
      &compute_flat_tile<kIndex / kTileVectors + 1, kIndex % kTileVectors + 1, kPartial>...};
}

template <bool kPartial>
FlatFunction flat_function(std::int64_t rows, std::int64_t vectors) {
  static constexpr auto kFunctions =
      flat_functions<kPartial>(std::make_integer_sequence<int, kTileRows * kTileVectors>());
  return kFunctions[static_cast<std::size_t>((rows - 1) * kTileVectors + vectors - 1)];
}

// The outputs of one image as lines, line() apart.
void forward_lines(const FlatPlan& p, const std::int64_t* offsets, const float* image, const float* weights,
                   float* lines) {
  constexpr std::int64_t kWidth = kTileVectors * kLanes;
  const std::int64_t channels = p.shape.out_channels;
  const std::int64_t groups = (channels + kTileRows - 1) / kTileRows;
  FlatTile t;
  t.offsets = offsets;
  t.tile.depth = p.depth;
  t.tile.row_stride = p.depth;
  t.tile.depth_stride = 1;
  t.tile.ldb = 0;
  t.tile.alpha = 1;
  t.tile.beta = 0;
  t.tile.ldc = p.line();
  for (std::int64_t start = 0; start < p.length; start += kWidth) {
    t.tile.b = image + start;
    t.tile.columns = std::min(kWidth, p.length - start);
    const std::int64_t vectors = (t.tile.columns + kLanes - 1) / kLanes;
    const bool partial = t.tile.columns % kLanes != 0;
    for (std::int64_t group = 0; group < groups; ++group) {
      const std::int64_t first = group * channels / groups;
      const std::int64_t rows = (group + 1) * channels / groups - first;
      t.tile.a = weights + first * p.depth;
      t.tile.c = lines + first * p.line() + start;
      (partial ? flat_function<true>(rows, vectors) : flat_function<false>(rows, vectors))(t);
    }
  }
}

// Takes the outputs out of one line and finishes them.
void finish_line(const FlatPlan& p, const float* line, float bias, bool relu, float* output) {
  const hn::ScalableTag<float> d;
  const auto shift = hn::Set(d, bias);
  const auto finish = [&](hn::Vec<decltype(d)> v) HWY_ATTR {
    v = hn::Add(v, shift);
    return relu ? hn::IfThenZeroElse(hn::Lt(v, hn::Zero(d)), v) : v;
  };
  for (std::int64_t y = 0; y < p.out_height; ++y, line += p.width, output += p.out_width) {
    std::int64_t x = 0;
    for (; x + kLanes <= p.out_width; x += kLanes) hn::StoreU(finish(hn::LoadU(d, line + x)), d, output + x);
    if (x < p.out_width) {
      const auto mask = hn::FirstN(d, static_cast<std::size_t>(p.out_width - x));
      hn::BlendedStore(finish(load_where(d, mask, line + x)), mask, d, output + x);
    }
  }
}

void forward(const Conv2dShape& shape, const float* input, const float* weights, const float* bias, bool relu,
             float* output) {
  const FlatPlan p(shape);
  std::int64_t offsets[kMaxDepth];
  p.offsets(offsets);
  parallel_tiles(shape.batch, p.nanoseconds(), [&](std::int64_t image) {
    float* const lines = scratch<float>(ScratchSlot::convolution_flat, shape.out_channels * p.line());
    forward_lines(p, offsets, p.with_padding(input + image * p.in_size()), weights, lines);
    for (std::int64_t channel = 0; channel < shape.out_channels; ++channel) {
      finish_line(p, lines + channel * p.line(), bias == nullptr ? 0.0f : bias[channel], relu,
                  output + (image * shape.out_channels + channel) * p.out_size());
    }
  });
}

// Puts the rows of one channel's gradient into a line, with zeros between them and up to the line's end.
// Whole vectors are stored: what they spill behind a row is written again with the next, or belongs to the
// slack.
void spread_line(const FlatPlan& p, const float* gradient, float* line) {
  const hn::ScalableTag<float> d;
  float* to = line;
  for (std::int64_t y = 0; y < p.out_height; ++y, gradient += p.out_width, to += p.width) {
    std::int64_t x = 0;
    for (; x + kLanes <= p.out_width; x += kLanes) hn::StoreU(hn::LoadU(d, gradient + x), d, to + x);
    if (x < p.out_width) {
      const auto mask = hn::FirstN(d, static_cast<std::size_t>(p.out_width - x));
      hn::StoreU(load_where(d, mask, gradient + x), d, to + x);
      x += kLanes;
    }
    for (; x < p.width; x += kLanes) hn::StoreU(hn::Zero(d), d, to + x);
  }
  std::fill(line + p.length, line + p.line(), 0.0f);
}

// Adds the gradient of one image to sums (out_channels, depth).
void add_gradient(const FlatPlan& p, const std::int64_t* offsets, const float* image, const float* gradient,
                  float* sums) {
  float* const lines =
      scratch<float>(ScratchSlot::convolution_flat, p.shape.out_channels * p.line() + kLanes);
  for (std::int64_t channel = 0; channel < p.shape.out_channels; ++channel) {
    spread_line(p, gradient + channel * p.out_size(), lines + channel * p.line());
  }
  add_all_dots(p.shape.out_channels, p.depth, p.length, lines, p.line(), image, offsets, sums);
}

void backward_weights(const Conv2dShape& shape, const float* input, const float* grad_output,
                      float* grad_weights) {
  const FlatPlan p(shape);
  std::int64_t offsets[kMaxDepth];
  p.offsets(offsets);
  // Each chunk of images has a sum of its own; the chunks are cut by the batch alone and added in order.
  constexpr std::int64_t kChunks = 16;
  const std::int64_t each = (shape.batch + kChunks - 1) / kChunks;
  const std::int64_t chunks = (shape.batch + each - 1) / each;
  const std::int64_t size = shape.out_channels * p.depth;
  float* const sums = scratch<float>(ScratchSlot::convolution_partial_sums, chunks * size);
  parallel_tiles(chunks, p.nanoseconds(), [&](std::int64_t chunk) {
    float* const sum = sums + chunk * size;
    std::fill(sum, sum + size, 0.0f);
    const std::int64_t end = std::min(shape.batch, (chunk + 1) * each);
    for (std::int64_t image = chunk * each; image < end; ++image) {
      add_gradient(p, offsets, p.with_padding(input + image * p.in_size()),
                   grad_output + image * shape.out_channels * p.out_size(), sum);
    }
  });
  for (std::int64_t chunk = 1; chunk < chunks; ++chunk) {
    const float* const more = sums + chunk * size;
    for (std::int64_t i = 0; i < size; ++i) sums[i] += more[i];
  }
  std::copy_n(sums, size, grad_weights);
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(forward);
HWY_EXPORT(backward_weights);

namespace {

bool covers(const Conv2dShape& s, const FlatPlan& p) {
  return s.stride_h == 1 && s.stride_w == 1 && s.groups == 1 && p.depth > 1 && p.depth <= kMaxDepth &&
         p.out_size() > 0;
}

}  // namespace

bool flat_forward_applies(const Conv2dShape& s) {
  const FlatPlan p(s);
  // The other way, a matrix of windows, costs depth copies for each output position, shared by the output
  // channels; this way costs the outputs that are thrown away and one more copy of the others.
  return covers(s, p) && p.length >= 64 && s.out_channels <= 64 && p.depth >= 2 * s.out_channels &&
         4 * p.width <= 5 * p.out_width;
}

bool flat_backward_weights_applies(const Conv2dShape& s) {
  const FlatPlan p(s);
  return covers(s, p) && p.depth <= 64 && p.length >= 256 && 4 * p.width <= 5 * p.out_width;
}

void flat_forward(const Conv2dShape& shape, const float* input, const float* weights, const float* bias,
                  bool relu, float* output) {
  HWY_DYNAMIC_DISPATCH(forward)(shape, input, weights, bias, relu, output);
}

void flat_backward_weights(const Conv2dShape& shape, const float* input, const float* grad_output,
                           float* grad_weights) {
  HWY_DYNAMIC_DISPATCH(backward_weights)(shape, input, grad_output, grad_weights);
}

}  // namespace likely::kernels
#endif
