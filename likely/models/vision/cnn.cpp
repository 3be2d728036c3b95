#include "likely/models/vision/cnn.hpp"

#include <fmt/format.h>

#include "likely/ops/pooling.hpp"
#include "likely/ops/view.hpp"

namespace likely::vision {

namespace {

// The length behind a convolution with padding 1 and stride 2.
std::int64_t halved(std::int64_t length, std::int64_t kernel) { return (length + 2 - kernel) / 2 + 1; }

std::int64_t features_of(const Cnn1dOptions& o) {
  if (o.length < 3) refuse("Cnn1d", fmt::format("signals must have at least 3 numbers, got {}", o.length));
  return o.channels * halved(halved(halved(o.length, 5), 3), 3);
}

std::int64_t features_of(const Cnn2dOptions& o) {
  if (o.height < 16 || o.width < 16)
    refuse("Cnn2d", fmt::format("images must have at least 16 x 16 numbers, got {} x {}", o.height, o.width));
  const auto pooled = [](std::int64_t size) { return ((size - 4) / 2 - 4) / 2; };
  return o.second * pooled(o.height) * pooled(o.width);
}

}  // namespace

Cnn1d::Cnn1d(const Cnn1dOptions& options, Rng rng)
    : first(1, options.channels, 5, {.stride = 2, .padding = 1, .relu = true}, rng.split()),
      second(options.channels, options.channels, 3, {.stride = 2, .padding = 1, .relu = true}, rng.split()),
      third(options.channels, options.channels, 3, {.stride = 2, .padding = 1, .relu = true}, rng.split()),
      out(features_of(options), options.classes, rng.split()),
      drop(options.dropout) {}

Tensor Cnn1d::features(const Tensor& x) const {
  const Tensor signals = x.rank() == 2 ? unsqueeze(x, 1) : x;
  return flatten(third(second(first(signals))), 1);
}

Tensor Cnn1d::operator()(const Tensor& x) const { return out(features(x)); }

Tensor Cnn1d::operator()(const Tensor& x, const Training& training) const {
  const Tensor h = features(x);
  return out(drop.p > 0.0 ? drop(h, training) : h);
}

std::vector<LayerOutput> Cnn1d::layers(const Tensor& x) const {
  const Tensor one = first(x.rank() == 2 ? unsqueeze(x, 1) : x);
  const Tensor two = second(one);
  const Tensor three = third(two);
  return {{"convolution 1", one},
          {"convolution 2", two},
          {"convolution 3", three},
          {"scores", out(flatten(three, 1))}};
}

Cnn2d::Cnn2d(const Cnn2dOptions& options, Rng rng)
    : first(1, options.first, 5, {.relu = true}, rng.split()),
      second(options.first, options.second, 5, {.relu = true}, rng.split()),
      hidden(features_of(options), options.hidden, {.activation = Activation::relu}, rng.split()),
      out(options.hidden, options.classes, rng.split()),
      drop(options.dropout),
      height(options.height),
      width(options.width) {}

Tensor Cnn2d::features(const Tensor& x) const {
  const Tensor images = reshape(x, {x.dim(0), 1, height, width});
  return flatten(max_pool2d(second(max_pool2d(first(images), 2)), 2), 1);
}

Tensor Cnn2d::operator()(const Tensor& x) const { return out(hidden(features(x))); }

Tensor Cnn2d::operator()(const Tensor& x, const Training& training) const {
  if (drop.p == 0.0) return (*this)(x);
  return out(drop(hidden(drop(features(x), training)), training));
}

std::vector<LayerOutput> Cnn2d::layers(const Tensor& x) const {
  const Tensor one = first(reshape(x, {x.dim(0), 1, height, width}));
  const Tensor two = second(max_pool2d(one, 2));
  const Tensor three = hidden(flatten(max_pool2d(two, 2), 1));
  return {{"convolution 1", one}, {"convolution 2", two}, {"hidden layer", three}, {"scores", out(three)}};
}

}  // namespace likely::vision
