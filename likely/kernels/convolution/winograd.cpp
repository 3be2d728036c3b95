#include "likely/kernels/convolution/winograd.hpp"

#include <algorithm>

#include "likely/core/threads.hpp"
#include "likely/kernels/scratch.hpp"
#include "likely/kernels/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "likely/kernels/convolution/winograd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "likely/kernels/convolution/winograd-inl.hpp"
#include "likely/kernels/gemm/tile-inl.hpp"
#include "likely/kernels/transpose_four-inl.hpp"

#ifndef LIKELY_KERNELS_WINOGRAD_PLAN
#define LIKELY_KERNELS_WINOGRAD_PLAN
namespace likely::kernels {

inline constexpr std::int64_t kTile = 4;    // outputs of a tile along each axis
inline constexpr std::int64_t kPoints = 6;  // and its transformed values
inline constexpr std::int64_t kPlanes = kPoints * kPoints;

// The images of one layer: (channels, height, width) in memory.
struct Images {
  std::int64_t channels;
  std::int64_t height;
  std::int64_t width;
  std::int64_t size() const { return channels * height * width; }
};

// A correlation from one layer to another with 3 x 3 windows. Outputs are cut into tiles of 4 x 4, rows of
// tiles into bands that fit a second-level cache with all their transformed values.
struct WinogradPlan {
  std::int64_t batch;
  Images from;
  Images to;
  std::int64_t pad_top;
  std::int64_t pad_left;
  std::int64_t from_stride;  // channels, rounded up to whole vectors
  std::int64_t to_stride;
  std::int64_t tiles_x;
  std::int64_t tiles_y;
  std::int64_t band;  // rows of tiles in a band

  WinogradPlan(std::int64_t batch_size, const Images& inputs, const Images& outputs, std::int64_t top,
               std::int64_t left, std::int64_t lanes)
      : batch(batch_size),
        from(inputs),
        to(outputs),
        pad_top(top),
        pad_left(left),
        from_stride((inputs.channels + lanes - 1) / lanes * lanes),
        to_stride((outputs.channels + lanes - 1) / lanes * lanes),
        tiles_x((outputs.width + kTile - 1) / kTile),
        tiles_y((outputs.height + kTile - 1) / kTile) {
    constexpr std::int64_t kBytes = 384 * 1024;
    const std::int64_t tile_bytes =
        kPlanes * (from_stride + to_stride) * static_cast<std::int64_t>(sizeof(float));
    const std::int64_t tiles = std::max<std::int64_t>(16, kBytes / tile_bytes);
    const std::int64_t rows = std::max<std::int64_t>(1, tiles / tiles_x);
    const std::int64_t bands_wanted = (tiles_y + rows - 1) / rows;
    band = (tiles_y + bands_wanted - 1) / bands_wanted;
  }

  std::int64_t bands() const { return (tiles_y + band - 1) / band; }
  std::int64_t band_tiles() const { return band * tiles_x; }
  // Distances between the planes of transformed values; the extra line keeps them out of each other's cache
  // sets.
  std::int64_t from_plane() const { return band_tiles() * from_stride + 16; }
  std::int64_t to_plane() const { return band_tiles() * to_stride + 16; }
  double nanoseconds() const {
    return 0.01 * static_cast<double>(batch * from.channels * to.channels * 9) *
           static_cast<double>(to.height * to.width);
  }
};

}  // namespace likely::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace likely::kernels::HWY_NAMESPACE {

constexpr std::int64_t kLanes = lanes_of<float>();

// Rows [row, row + rows) and columns [column, column + columns) of an image as (row, column, channel) with
// channels rounded up to `stride`; zero outside the image.
void to_channels_last(const Images& images, const float* image, std::int64_t row, std::int64_t rows,
                      std::int64_t column, std::int64_t columns, std::int64_t stride, float* result) {
  const std::int64_t plane = images.height * images.width;
  const std::int64_t begin = std::clamp<std::int64_t>(-column, 0, columns);
  const std::int64_t end = std::clamp<std::int64_t>(images.width - column, begin, columns);
  for (std::int64_t y = row; y < row + rows; ++y, result += columns * stride) {
    if (y < 0 || y >= images.height) {
      std::fill(result, result + columns * stride, 0.0f);
      continue;
    }
    std::fill(result, result + begin * stride, 0.0f);
    std::fill(result + end * stride, result + columns * stride, 0.0f);
    const float* const source = image + y * images.width + column + begin;
    float* const inside = result + begin * stride;
    std::int64_t channel = 0;
    for (; channel + 4 <= images.channels; channel += 4) {
      transpose_four(source + channel * plane, plane, end - begin, stride, inside + channel);
    }
    for (; channel < stride; ++channel) {
      for (std::int64_t x = 0; x < end - begin; ++x) {
        inside[x * stride + channel] = channel < images.channels ? source[channel * plane + x] : 0.0f;
      }
    }
  }
}

// The way back: writes the rows and columns of `result` that exist.
void to_channels_first(const Images& images, const float* source, std::int64_t row, std::int64_t rows,
                       std::int64_t columns, std::int64_t stride, float* image) {
  const std::int64_t plane = images.height * images.width;
  for (std::int64_t y = row; y < std::min(row + rows, images.height); ++y, source += columns * stride) {
    float* const line = image + y * images.width;
    std::int64_t channel = 0;
    // Four channels at a time: planes are often a power of two apart, and more of them would share cache
    // sets.
    for (; channel + 4 <= images.channels; channel += 4) {
      transpose_to_four(source + channel, stride, images.width, plane, line + channel * plane);
    }
    for (; channel < images.channels; ++channel) {
      for (std::int64_t x = 0; x < images.width; ++x)
        line[channel * plane + x] = source[x * stride + channel];
    }
  }
}

// Transforms each of count_y x count_x tiles, kTile apart, of a (row, column, channel) image.
template <class Transform>
void transform_tiles(const float* image, std::int64_t columns, std::int64_t stride, std::int64_t count_y,
                     std::int64_t count_x, std::int64_t plane, float* values) {
  const FloatTag d;
  for (std::int64_t tile_y = 0; tile_y < count_y; ++tile_y) {
    for (std::int64_t tile_x = 0; tile_x < count_x; ++tile_x, values += stride) {
      const float* const corner = image + (tile_y * kTile * columns + tile_x * kTile) * stride;
      for (std::int64_t channel = 0; channel < stride; channel += kLanes) {
        const float* const source = corner + channel;
        float* const target = values + channel;
        transform_both<Transform>([&](int i, int j)
                                      HWY_ATTR { return hn::Load(d, source + (i * columns + j) * stride); },
                                  [&](int i, int j, FloatVector v)
                                      HWY_ATTR { hn::Store(v, d, target + (i * kPoints + j) * plane); });
      }
    }
  }
}

// weights[to][from][3][3] as kPlanes matrices (from, to) of transformed weights. For the gradient of the
// input, the weights are (from, to, 3, 3) and turned by 180 degrees.
void transform_weights(const WinogradPlan& p, bool turned, const float* weights, float* result) {
  const FloatTag d;
  const std::int64_t plane = p.from.channels * p.to_stride;
  // One block of kLanes targets at a time, its nine weights side by side.
  alignas(64) float block[9][kLanes];
  for (std::int64_t from = 0; from < p.from.channels; ++from) {
    for (std::int64_t to = 0; to < p.to_stride; to += kLanes) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        const bool inside = to + lane < p.to.channels;
        const std::int64_t at =
            turned ? from * p.to.channels + to + lane : (to + lane) * p.from.channels + from;
        for (std::int64_t i = 0; i < 9; ++i) {
          block[i][lane] = inside ? weights[at * 9 + (turned ? 8 - i : i)] : 0.0f;
        }
      }
      float* const target = result + from * p.to_stride + to;
      transform_both<WeightTransform<3>>(
          [&](int i, int j) HWY_ATTR { return hn::Load(d, block[i * 3 + j]); },
          [&](int i, int j, FloatVector v) HWY_ATTR { hn::Store(v, d, target + (i * kPoints + j) * plane); });
    }
  }
}

// The outputs of one band of one image.
void correlate_band(const WinogradPlan& p, const float* image, const float* weights, const float* bias,
                    bool relu, std::int64_t band, float* result) {
  const FloatTag d;
  const std::int64_t first = band * p.band;
  const std::int64_t tile_rows = std::min(p.band, p.tiles_y - first);
  const std::int64_t tiles = tile_rows * p.tiles_x;
  const std::int64_t in_columns = p.tiles_x * kTile + 2;
  const std::int64_t out_columns = p.tiles_x * kTile;
  float* const values =
      scratch<float>(ScratchSlot::convolution_values, kPlanes * (p.from_plane() + p.to_plane()));
  float* const products = values + kPlanes * p.from_plane();
  float* const pixels =
      scratch<float>(ScratchSlot::convolution_pixels,
                     (p.band * kTile + 2) * in_columns * std::max(p.from_stride, p.to_stride));
  to_channels_last(p.from, image, first * kTile - p.pad_top, tile_rows * kTile + 2, -p.pad_left, in_columns,
                   p.from_stride, pixels);
  transform_tiles<InputTransform>(pixels, in_columns, p.from_stride, tile_rows, p.tiles_x, p.from_plane(),
                                  values);
  for (std::int64_t plane = 0; plane < kPlanes; ++plane) {
    Tile<float> tile;
    tile.depth = p.from.channels;
    tile.a = values + plane * p.from_plane();
    tile.row_stride = p.from_stride;
    tile.depth_stride = 1;
    tile.b = weights + plane * p.from.channels * p.to_stride;
    tile.ldb = p.to_stride;
    tile.alpha = 1;
    tile.beta = 0;
    tile.c = products + plane * p.to_plane();
    tile.ldc = p.to_stride;
    multiply_planes(tiles, p.to_stride, tile);
  }
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    float* const corner =
        pixels + (tile / p.tiles_x * kTile * out_columns + tile % p.tiles_x * kTile) * p.to_stride;
    for (std::int64_t channel = 0; channel < p.to_stride; channel += kLanes) {
      const float* const source = products + tile * p.to_stride + channel;
      float* const target = corner + channel;
      const auto shift = bias == nullptr ? hn::Zero(d) : hn::Load(d, bias + channel);
      transform_both<OutputTransform<4>>(
          [&](int i, int j) HWY_ATTR { return hn::Load(d, source + (i * kPoints + j) * p.to_plane()); },
          [&](int i, int j, FloatVector v) HWY_ATTR {
            v = hn::Add(v, shift);
            if (relu) v = hn::IfThenZeroElse(hn::Lt(v, hn::Zero(d)), v);
            hn::Store(v, d, target + (i * out_columns + j) * p.to_stride);
          });
    }
  }
  to_channels_first(p.to, pixels, first * kTile, tile_rows * kTile, out_columns, p.to_stride, result);
}

void correlate(std::int64_t batch, const Images& from, const Images& to, std::int64_t pad_top,
               std::int64_t pad_left, bool turned, const float* input, const float* weights,
               const float* bias, bool relu, float* output) {
  const WinogradPlan p(batch, from, to, pad_top, pad_left, kLanes);
  const std::int64_t weight_size = kPlanes * from.channels * p.to_stride;
  float* const transformed = scratch<float>(ScratchSlot::convolution_weights, weight_size + p.to_stride);
  transform_weights(p, turned, weights, transformed);
  float* shift = nullptr;
  if (bias != nullptr) {
    shift = transformed + weight_size;
    std::copy_n(bias, to.channels, shift);
    std::fill(shift + to.channels, shift + p.to_stride, 0.0f);
  }
  parallel_tiles(batch * p.bands(), p.nanoseconds(), [&](std::int64_t tile) {
    const std::int64_t image = tile / p.bands();
    correlate_band(p, input + image * from.size(), transformed, shift, relu, tile % p.bands(),
                   output + image * to.size());
  });
}

// The sum over the tiles of some images of the products of transformed gradients and inputs, kPlanes x (to,
// from), taken back to the nine weights: 9 x (to, from_stride).
void correlate_gradients(const WinogradPlan& p, const float* input, const float* gradient, std::int64_t first,
                         std::int64_t last, float* result) {
  const FloatTag d;
  const std::int64_t in_columns = p.tiles_x * kTile + 2;
  const std::int64_t out_columns = p.tiles_x * kTile;
  float* const values =
      scratch<float>(ScratchSlot::convolution_values, kPlanes * (p.from_plane() + p.to_plane()));
  float* const gradients = values + kPlanes * p.from_plane();
  float* const pixels =
      scratch<float>(ScratchSlot::convolution_pixels,
                     (p.band * kTile + 2) * in_columns * std::max(p.from_stride, p.to_stride));
  const std::int64_t size = p.to.channels * p.from_stride;
  float* const sums = scratch<float>(ScratchSlot::convolution_sums, kPlanes * size);
  for (std::int64_t step = first * p.bands(); step < last * p.bands(); ++step) {
    const std::int64_t image = step / p.bands();
    const std::int64_t row = step % p.bands() * p.band;
    const std::int64_t tile_rows = std::min(p.band, p.tiles_y - row);
    to_channels_last(p.from, input + image * p.from.size(), row * kTile - p.pad_top, tile_rows * kTile + 2,
                     -p.pad_left, in_columns, p.from_stride, pixels);
    transform_tiles<InputTransform>(pixels, in_columns, p.from_stride, tile_rows, p.tiles_x, p.from_plane(),
                                    values);
    to_channels_last(p.to, gradient + image * p.to.size(), row * kTile, tile_rows * kTile, 0, out_columns,
                     p.to_stride, pixels);
    transform_tiles<WeightTransform<4>>(pixels, out_columns, p.to_stride, tile_rows, p.tiles_x, p.to_plane(),
                                        gradients);
    for (std::int64_t plane = 0; plane < kPlanes; ++plane) {
      Tile<float> tile;
      tile.depth = tile_rows * p.tiles_x;
      tile.a = gradients + plane * p.to_plane();
      tile.row_stride = 1;
      tile.depth_stride = p.to_stride;
      tile.b = values + plane * p.from_plane();
      tile.ldb = p.from_stride;
      tile.alpha = 1;
      tile.beta = step == first * p.bands() ? 0.0f : 1.0f;
      tile.c = sums + plane * size;
      tile.ldc = p.from_stride;
      multiply_planes(p.to.channels, p.from_stride, tile);
    }
  }
  for (std::int64_t i = 0; i < size; i += kLanes) {
    transform_both<OutputTransform<3>>(
        [&](int y, int x) HWY_ATTR { return hn::Load(d, sums + (y * kPoints + x) * size + i); },
        [&](int y, int x, FloatVector v) HWY_ATTR { hn::Store(v, d, result + (y * 3 + x) * size + i); });
  }
}

void correlate_all_gradients(std::int64_t batch, const Images& from, const Images& to, std::int64_t pad_top,
                             std::int64_t pad_left, const float* input, const float* gradient,
                             float* grad_weights) {
  const WinogradPlan p(batch, from, to, pad_top, pad_left, kLanes);
  // Each chunk of images has a sum of its own; the chunks are cut by the batch alone and added in order.
  constexpr std::int64_t kChunks = 16;
  const std::int64_t each = (batch + kChunks - 1) / kChunks;
  const std::int64_t chunks = (batch + each - 1) / each;
  const std::int64_t size = to.channels * p.from_stride;
  float* const partial = scratch<float>(ScratchSlot::convolution_partial_sums, chunks * 9 * size);
  parallel_tiles(chunks, p.nanoseconds(), [&](std::int64_t chunk) {
    correlate_gradients(p, input, gradient, chunk * each, std::min(batch, (chunk + 1) * each),
                        partial + chunk * 9 * size);
  });
  for (std::int64_t chunk = 1; chunk < chunks; ++chunk) {
    const float* const more = partial + chunk * 9 * size;
    for (std::int64_t i = 0; i < 9 * size; ++i) partial[i] += more[i];
  }
  for (std::int64_t target = 0; target < to.channels; ++target) {
    for (std::int64_t source = 0; source < from.channels; ++source) {
      for (std::int64_t i = 0; i < 9; ++i) {
        grad_weights[(target * from.channels + source) * 9 + i] =
            partial[i * size + target * p.from_stride + source];
      }
    }
  }
}

}  // namespace likely::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace likely::kernels {

HWY_EXPORT(correlate);
HWY_EXPORT(correlate_all_gradients);

namespace {

// `least` channels on both sides.
bool applies(const Conv2dShape& s, std::int64_t least) {
  const auto small = [](std::int64_t pad) { return pad >= 0 && pad <= 2; };
  const std::int64_t tiles = s.batch * ((s.out_height() + 3) / 4) * ((s.out_width() + 3) / 4);
  return s.kernel_height == 3 && s.kernel_width == 3 && s.stride_h == 1 && s.stride_w == 1 &&
         s.dilation_h == 1 && s.dilation_w == 1 && s.groups == 1 && small(s.pad_top) && small(s.pad_left) &&
         small(s.pad_bottom) && small(s.pad_right) && s.in_channels >= least && s.out_channels >= least &&
         s.out_height() >= 4 && s.out_width() >= 4 && 1024 * tiles >= s.in_channels * s.out_channels;
}

}  // namespace

bool winograd_forward_applies(const Conv2dShape& s) { return applies(s, 16); }

bool winograd_backward_input_applies(const Conv2dShape& s) { return applies(s, 8); }

// The sums over a few tiles of an image would be short next to the channels they are kept for.
bool winograd_backward_weights_applies(const Conv2dShape& s) {
  return applies(s, 8) &&
         (s.out_height() * s.out_width() >= 100 || s.in_channels * s.out_channels <= 64 * 64);
}

void winograd_forward(const Conv2dShape& s, const float* input, const float* weights, const float* bias,
                      bool relu, float* output) {
  HWY_DYNAMIC_DISPATCH(correlate)
  (s.batch, {s.in_channels, s.in_height, s.in_width}, {s.out_channels, s.out_height(), s.out_width()},
   s.pad_top, s.pad_left, false, input, weights, bias, relu, output);
}

// With stride 1 the gradient of the input is a correlation of the gradient of the output with the turned
// weights.
void winograd_backward_input(const Conv2dShape& s, const float* grad_output, const float* weights,
                             float* grad_input) {
  HWY_DYNAMIC_DISPATCH(correlate)
  (s.batch, {s.out_channels, s.out_height(), s.out_width()}, {s.in_channels, s.in_height, s.in_width},
   2 - s.pad_top, 2 - s.pad_left, true, grad_output, weights, nullptr, false, grad_input);
}

void winograd_backward_weights(const Conv2dShape& s, const float* input, const float* grad_output,
                               float* grad_weights) {
  HWY_DYNAMIC_DISPATCH(correlate_all_gradients)
  (s.batch, {s.in_channels, s.in_height, s.in_width}, {s.out_channels, s.out_height(), s.out_width()},
   s.pad_top, s.pad_left, input, grad_output, grad_weights);
}

}  // namespace likely::kernels
#endif
