#include "likely/kernels/convolution/winograd_5x5.hpp"

#include <algorithm>

#include "likely/core/threads.hpp"
#include "likely/kernels/scratch.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/convolution/winograd_5x5.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/convolution/dots-inl.hpp"
#include "likely/kernels/convolution/winograd-inl.hpp"
#include "likely/kernels/transpose_four-inl.hpp"

#ifndef LIKELY_KERNELS_WINOGRAD_5X5_PLAN
#define LIKELY_KERNELS_WINOGRAD_5X5_PLAN
namespace likely::kernels {

inline constexpr std::int64_t kSide = 2;                   // outputs of a tile along each axis
inline constexpr std::int64_t kTaps = 5;                   // of a window
inline constexpr std::int64_t kReach = kSide + kTaps - 1;  // inputs of a tile, and its transformed values
inline constexpr std::int64_t kValues = kReach * kReach;

// Images of a layer as (channel, row, column, lane), rows and columns with the borders that whole tiles need.
struct Interleaved {
  std::int64_t channels;
  std::int64_t height;  // of the images themselves
  std::int64_t width;
  std::int64_t top;  // where they begin between the borders
  std::int64_t left;
  std::int64_t rows;  // with the borders
  std::int64_t columns;
  std::int64_t image_size() const { return channels * height * width; }
  std::int64_t pixels() const { return channels * rows * columns; }
  bool bordered() const { return rows != height || columns != width; }
};

struct LanesPlan {
  explicit LanesPlan(const Conv2dShape& s)
      : batch(s.batch),
        tiles_y((s.out_height() + kSide - 1) / kSide),
        tiles_x((s.out_width() + kSide - 1) / kSide),
        in{s.in_channels,
           s.in_height,
           s.in_width,
           s.pad_top,
           s.pad_left,
           tiles_y * kSide + kTaps - 1,
           tiles_x * kSide + kTaps - 1},
        out{s.out_channels, s.out_height(), s.out_width(), 0, 0, tiles_y * kSide, tiles_x * kSide} {}

  std::int64_t batch;
  std::int64_t tiles_y;
  std::int64_t tiles_x;
  Interleaved in;
  Interleaved out;

  std::int64_t tiles() const { return tiles_y * tiles_x; }
  std::int64_t pairs() const { return in.channels * out.channels; }
  // How many tiles are transformed at a time: all `values` of them stay in a second-level cache.
  std::int64_t block(std::int64_t values, std::int64_t lanes, std::int64_t bytes) const {
    const std::int64_t each = values * (in.channels + out.channels) * lanes * 4;
    return std::clamp<std::int64_t>(bytes / each, 1, tiles());
  }
  // Distance between the planes of transformed values of `count` tiles; the extra line keeps them out of each
  // other's cache sets.
  static std::int64_t plane(const Interleaved& layer, std::int64_t line) {
    return layer.channels * line + 16;
  }
  // Numbers for `values` planes of both layers.
  std::int64_t room(std::int64_t values, std::int64_t line) const {
    return values * (plane(in, line) + plane(out, line));
  }
  double nanoseconds() const {
    return 0.01 * static_cast<double>(batch * pairs() * kTaps * kTaps) *
           static_cast<double>(out.height * out.width);
  }
};

}  // namespace likely::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

constexpr std::int64_t kLanes = lanes_of<float>();

std::int64_t groups_of(std::int64_t batch) { return (batch + kLanes - 1) / kLanes; }

// Calls line(offset in an image, place between the borders, length) for stretches of pixels that are
// contiguous in both, short enough that all lanes of one stay in a first-level cache.
template <class Line>
void for_each_line(const Interleaved& layer, const Line& line) {
  constexpr std::int64_t kStretch = 64;
  if (!layer.bordered()) {
    for (std::int64_t at = 0; at < layer.image_size(); at += kStretch) {
      line(at, at, std::min(kStretch, layer.image_size() - at));
    }
    return;
  }
  const std::int64_t rows = std::min(layer.height, layer.rows - layer.top);
  const std::int64_t columns = std::min(layer.width, layer.columns - layer.left);
  for (std::int64_t channel = 0; channel < layer.channels; ++channel) {
    for (std::int64_t y = 0; y < rows; ++y) {
      line((channel * layer.height + y) * layer.width,
           (channel * layer.rows + y + layer.top) * layer.columns + layer.left, columns);
    }
  }
}

// `count` <= kLanes images side by side; borders and lanes without an image are zero.
void interleave(const Interleaved& layer, const float* images, std::int64_t count, float* result) {
  if (layer.bordered() || count < kLanes) std::fill(result, result + layer.pixels() * kLanes, 0.0f);
  const std::int64_t size = layer.image_size();
  for_each_line(layer, [&](std::int64_t from, std::int64_t place, std::int64_t length) HWY_ATTR {
    float* const to = result + place * kLanes;
    std::int64_t lane = 0;
    for (; lane + 4 <= count; lane += 4) {
      transpose_four(images + lane * size + from, size, length, kLanes, to + lane);
    }
    for (; lane < count; ++lane) {
      for (std::int64_t i = 0; i < length; ++i) to[i * kLanes + lane] = images[lane * size + from + i];
    }
  });
}

void deinterleave(const Interleaved& layer, const float* source, std::int64_t count, float* images) {
  const std::int64_t size = layer.image_size();
  for_each_line(layer, [&](std::int64_t to, std::int64_t place, std::int64_t length) HWY_ATTR {
    const float* const from = source + place * kLanes;
    std::int64_t lane = 0;
    for (; lane + 4 <= count; lane += 4) {
      transpose_to_four(from + lane, kLanes, length, size, images + lane * size + to);
    }
    for (; lane < count; ++lane) {
      for (std::int64_t i = 0; i < length; ++i) images[lane * size + to + i] = from[i * kLanes + lane];
    }
  });
}

// kValues matrices (out channel, in channel) of transformed weights, `plane` apart.
void transform_weights_5x5(const LanesPlan& p, const float* weights, std::int64_t plane, float* result) {
  const FloatTag d;
  alignas(64) float block[kTaps * kTaps][kLanes] = {};
  for (std::int64_t pair = 0; pair < p.pairs(); pair += kLanes) {
    const std::int64_t count = std::min(kLanes, p.pairs() - pair);
    for (std::int64_t lane = 0; lane < count; ++lane) {
      for (std::int64_t i = 0; i < kTaps * kTaps; ++i) {
        block[i][lane] = weights[(pair + lane) * kTaps * kTaps + i];
      }
    }
    transform_both<WeightTransform<5>>(
        [&](int i, int j) HWY_ATTR { return hn::Load(d, block[i * kTaps + j]); },
        [&](int i, int j, FloatVector v)
            HWY_ATTR { hn::Store(v, d, result + (i * kReach + j) * plane + pair); });
  }
}

// Tiles [first, first + count) of a layer, numbered row by row, as vectors of images.
struct TileRange {
  std::int64_t first;
  std::int64_t count;
};

// Calls body(corner, tile) with the pixel where each tile begins in a channel of the layer.
template <class Body>
HWY_INLINE void for_each_tile(const LanesPlan& p, const Interleaved& layer, const TileRange& range,
                              const Body& body) {
  std::int64_t y = range.first / p.tiles_x;
  std::int64_t x = range.first % p.tiles_x;
  for (std::int64_t tile = 0; tile < range.count; ++tile) {
    body((y * layer.columns + x) * kSide, tile);
    if (++x == p.tiles_x) x = 0, ++y;
  }
}

// Transforms tiles of all channels: values[plane][channel][tile] for the planes of rows [kBegin, kEnd).
template <class Transform, int kBegin, int kEnd>
void transform_range(const LanesPlan& p, const Interleaved& layer, const TileRange& range,
                     const float* pixels, float* values) {
  const FloatTag d;
  const std::int64_t line = range.count * kLanes;
  const std::int64_t plane = LanesPlan::plane(layer, line);
  for (std::int64_t channel = 0; channel < layer.channels; ++channel) {
    const float* const image = pixels + channel * layer.rows * layer.columns * kLanes;
    float* const target = values + channel * line;
    for_each_tile(p, layer, range, [&](std::int64_t corner, std::int64_t tile) HWY_ATTR {
      const float* const from = image + corner * kLanes;
      float* const to = target + tile * kLanes;
      transform_both<Transform, kBegin, kEnd>(
          [&](int i, int j) HWY_ATTR { return hn::Load(d, from + (i * layer.columns + j) * kLanes); },
          [&](int i, int j, FloatVector v)
              HWY_ATTR { hn::Store(v, d, to + ((i - kBegin) * kReach + j) * plane); });
    });
  }
}

// For each of the kValues planes: results[to] = sum over `from` of weights * values[from].
void multiply_values(const Interleaved& from, const Interleaved& to, bool transposed, std::int64_t line,
                     const float* weights, std::int64_t weights_plane, const float* values, float* results) {
  for (std::int64_t plane = 0; plane < kValues; ++plane) {
    Tile<float> tile;
    tile.depth = from.channels;
    tile.a = weights + plane * weights_plane;
    tile.row_stride = transposed ? 1 : from.channels;
    tile.depth_stride = transposed ? to.channels : 1;
    tile.b = values + plane * LanesPlan::plane(from, line);
    tile.ldb = line;
    tile.alpha = 1;
    tile.beta = 0;
    tile.c = results + plane * LanesPlan::plane(to, line);
    tile.ldc = line;
    multiply_planes(to.channels, line, tile);
  }
}

constexpr std::int64_t kBlockBytes = 384 * 1024;

void forward_group(const LanesPlan& p, const float* images, std::int64_t count, const float* weights,
                   std::int64_t weights_plane, const float* bias, bool relu, float* output) {
  const FloatTag d;
  const std::int64_t most = p.block(kValues, kLanes, kBlockBytes);
  float* const pixels =
      scratch<float>(ScratchSlot::convolution_pixels, (p.in.pixels() + p.out.pixels()) * kLanes);
  float* const results = pixels + p.in.pixels() * kLanes;
  float* const values = scratch<float>(ScratchSlot::convolution_values, p.room(kValues, most * kLanes));
  interleave(p.in, images, count, pixels);
  for (std::int64_t first = 0; first < p.tiles(); first += most) {
    const TileRange range{first, std::min(most, p.tiles() - first)};
    const std::int64_t line = range.count * kLanes;
    float* const products = values + kValues * LanesPlan::plane(p.in, line);
    transform_range<InputTransform, 0, 6>(p, p.in, range, pixels, values);
    multiply_values(p.in, p.out, false, line, weights, weights_plane, values, products);
    for (std::int64_t channel = 0; channel < p.out.channels; ++channel) {
      const auto shift = hn::Set(d, bias == nullptr ? 0.0f : bias[channel]);
      float* const image = results + channel * p.out.rows * p.out.columns * kLanes;
      for_each_tile(p, p.out, range, [&](std::int64_t corner, std::int64_t tile) HWY_ATTR {
        const float* const from = products + channel * line + tile * kLanes;
        float* const to = image + corner * kLanes;
        transform_both<OutputTransform<2>>(
            [&](int i, int j)
                HWY_ATTR { return hn::Load(d, from + (i * kReach + j) * LanesPlan::plane(p.out, line)); },
            [&](int i, int j, FloatVector v) HWY_ATTR {
              v = hn::Add(v, shift);
              if (relu) v = hn::IfThenZeroElse(hn::Lt(v, hn::Zero(d)), v);
              hn::Store(v, d, to + (i * p.out.columns + j) * kLanes);
            });
      });
    }
  }
  deinterleave(p.out, results, count, output);
}

// The transpose of forward_group as a linear map of the images.
void backward_group(const LanesPlan& p, const float* gradients, std::int64_t count, const float* weights,
                    std::int64_t weights_plane, float* grad_input) {
  const FloatTag d;
  const std::int64_t most = p.block(kValues, kLanes, kBlockBytes);
  float* const pixels =
      scratch<float>(ScratchSlot::convolution_pixels, (p.in.pixels() + p.out.pixels()) * kLanes);
  float* const results = pixels + p.out.pixels() * kLanes;
  float* const values = scratch<float>(ScratchSlot::convolution_values, p.room(kValues, most * kLanes));
  interleave(p.out, gradients, count, pixels);
  std::fill(results, results + p.in.pixels() * kLanes, 0.0f);
  for (std::int64_t first = 0; first < p.tiles(); first += most) {
    const TileRange range{first, std::min(most, p.tiles() - first)};
    const std::int64_t line = range.count * kLanes;
    float* const products = values + kValues * LanesPlan::plane(p.out, line);
    transform_range<OutputGradient, 0, 6>(p, p.out, range, pixels, values);
    multiply_values(p.out, p.in, true, line, weights, weights_plane, values, products);
    for (std::int64_t channel = 0; channel < p.in.channels; ++channel) {
      float* const image = results + channel * p.in.rows * p.in.columns * kLanes;
      for_each_tile(p, p.in, range, [&](std::int64_t corner, std::int64_t tile) HWY_ATTR {
        const float* const from = products + channel * line + tile * kLanes;
        float* const to = image + corner * kLanes;
        transform_both<InputGradient>(
            [&](int i, int j)
                HWY_ATTR { return hn::Load(d, from + (i * kReach + j) * LanesPlan::plane(p.in, line)); },
            [&](int i, int j, FloatVector v) HWY_ATTR {
              float* const place = to + (i * p.in.columns + j) * kLanes;
              hn::Store(hn::Add(hn::Load(d, place), v), d, place);
            });
      });
    }
  }
  deinterleave(p.in, results, count, grad_input);
}

// Half of the transformed values at a time, so that more tiles fit the cache: the longer the scalar products,
// the fewer sums of lanes.
template <int kBegin, int kEnd>
void add_weight_gradients(const LanesPlan& p, const float* pixels, const float* gradients, std::int64_t plane,
                          float* sums) {
  const std::int64_t most = p.block(kValues / 2, kLanes, 2 * kBlockBytes);
  float* const values = scratch<float>(ScratchSlot::convolution_values, p.room(kValues / 2, most * kLanes));
  auto* const offsets = scratch<std::int64_t>(ScratchSlot::convolution_columns, p.in.channels);
  for (std::int64_t first = 0; first < p.tiles(); first += most) {
    const TileRange range{first, std::min(most, p.tiles() - first)};
    const std::int64_t line = range.count * kLanes;
    float* const slopes = values + kValues / 2 * LanesPlan::plane(p.in, line);
    transform_range<InputTransform, kBegin, kEnd>(p, p.in, range, pixels, values);
    transform_range<OutputGradient, kBegin, kEnd>(p, p.out, range, gradients, slopes);
    for (std::int64_t channel = 0; channel < p.in.channels; ++channel) offsets[channel] = channel * line;
    for (std::int64_t i = 0; i < (kEnd - kBegin) * kReach; ++i) {
      add_all_dots(p.out.channels, p.in.channels, line, slopes + i * LanesPlan::plane(p.out, line), line,
                   values + i * LanesPlan::plane(p.in, line), offsets, sums + (kBegin * kReach + i) * plane);
    }
  }
}

void forward_5x5(const Conv2dShape& shape, const float* input, const float* weights, const float* bias,
                 bool relu, float* output) {
  const LanesPlan p(shape);
  const std::int64_t plane = (p.pairs() + kLanes - 1) / kLanes * kLanes;
  float* const transformed = scratch<float>(ScratchSlot::convolution_weights, kValues * plane);
  transform_weights_5x5(p, weights, plane, transformed);
  parallel_tiles(groups_of(p.batch), p.nanoseconds(), [&](std::int64_t group) {
    const std::int64_t image = group * kLanes;
    forward_group(p, input + image * p.in.image_size(), std::min(kLanes, p.batch - image), transformed, plane,
                  bias, relu, output + image * p.out.image_size());
  });
}

void backward_input_5x5(const Conv2dShape& shape, const float* grad_output, const float* weights,
                        float* grad_input) {
  const LanesPlan p(shape);
  const std::int64_t plane = (p.pairs() + kLanes - 1) / kLanes * kLanes;
  float* const transformed = scratch<float>(ScratchSlot::convolution_weights, kValues * plane);
  transform_weights_5x5(p, weights, plane, transformed);
  parallel_tiles(groups_of(p.batch), p.nanoseconds(), [&](std::int64_t group) {
    const std::int64_t image = group * kLanes;
    backward_group(p, grad_output + image * p.out.image_size(), std::min(kLanes, p.batch - image),
                   transformed, plane, grad_input + image * p.in.image_size());
  });
}

void backward_weights_5x5(const Conv2dShape& shape, const float* input, const float* grad_output,
                          float* grad_weights) {
  const FloatTag d;
  const LanesPlan p(shape);
  const std::int64_t plane = (p.pairs() + kLanes - 1) / kLanes * kLanes;
  // Each group of images has a sum of its own; they are added in order.
  float* const sums =
      scratch<float>(ScratchSlot::convolution_partial_sums, groups_of(p.batch) * kValues * plane);
  parallel_tiles(groups_of(p.batch), p.nanoseconds(), [&](std::int64_t group) {
    const std::int64_t image = group * kLanes;
    const std::int64_t count = std::min(kLanes, p.batch - image);
    float* const pixels =
        scratch<float>(ScratchSlot::convolution_pixels, (p.in.pixels() + p.out.pixels()) * kLanes);
    float* const gradients = pixels + p.in.pixels() * kLanes;
    interleave(p.in, input + image * p.in.image_size(), count, pixels);
    interleave(p.out, grad_output + image * p.out.image_size(), count, gradients);
    float* const sum = sums + group * kValues * plane;
    std::fill(sum, sum + kValues * plane, 0.0f);
    add_weight_gradients<0, 3>(p, pixels, gradients, plane, sum);
    add_weight_gradients<3, 6>(p, pixels, gradients, plane, sum);
  });
  for (std::int64_t group = 1; group < groups_of(p.batch); ++group) {
    const float* const more = sums + group * kValues * plane;
    for (std::int64_t i = 0; i < kValues * plane; ++i) sums[i] += more[i];
  }
  alignas(64) float block[kTaps * kTaps][kLanes];
  for (std::int64_t pair = 0; pair < p.pairs(); pair += kLanes) {
    transform_both<WeightGradient>(
        [&](int i, int j) HWY_ATTR { return hn::Load(d, sums + (i * kReach + j) * plane + pair); },
        [&](int i, int j, FloatVector v) HWY_ATTR { hn::Store(v, d, block[i * kTaps + j]); });
    const std::int64_t count = std::min(kLanes, p.pairs() - pair);
    for (std::int64_t lane = 0; lane < count; ++lane) {
      for (std::int64_t i = 0; i < kTaps * kTaps; ++i) {
        grad_weights[(pair + lane) * kTaps * kTaps + i] = block[i][lane];
      }
    }
  }
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(forward_5x5);
HWY_EXPORT(backward_input_5x5);
HWY_EXPORT(backward_weights_5x5);

bool winograd_5x5_applies(const Conv2dShape& s) {
  const auto small = [](std::int64_t pad) { return pad >= 0 && pad <= 4; };
  const std::int64_t lanes_used = (s.batch + 15) / 16 * 16;
  const LanesPlan p(s);
  constexpr std::int64_t kMostBytes = std::int64_t{4} << 20;
  return s.kernel_height == kTaps && s.kernel_width == kTaps && s.stride_h == 1 && s.stride_w == 1 &&
         s.dilation_h == 1 && s.dilation_w == 1 && s.groups == 1 && small(s.pad_top) && small(s.pad_left) &&
         small(s.pad_bottom) && small(s.pad_right) && 3 * lanes_used <= 4 * s.batch && s.in_channels >= 6 &&
         s.out_channels >= 6 && s.in_channels + s.out_channels <= 128 && s.out_height() >= 4 &&
         s.out_width() >= 4 && (p.in.pixels() + p.out.pixels()) * 64 <= kMostBytes;
}

void winograd_5x5_forward(const Conv2dShape& shape, const float* input, const float* weights,
                          const float* bias, bool relu, float* output) {
  HWY_DYNAMIC_DISPATCH(forward_5x5)(shape, input, weights, bias, relu, output);
}

void winograd_5x5_backward_input(const Conv2dShape& shape, const float* grad_output, const float* weights,
                                 float* grad_input) {
  HWY_DYNAMIC_DISPATCH(backward_input_5x5)(shape, grad_output, weights, grad_input);
}

void winograd_5x5_backward_weights(const Conv2dShape& shape, const float* input, const float* grad_output,
                                   float* grad_weights) {
  HWY_DYNAMIC_DISPATCH(backward_weights_5x5)(shape, input, grad_output, grad_weights);
}

}  // namespace likely::kernels
#endif
