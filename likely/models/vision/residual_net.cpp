#include "likely/models/vision/residual_net.hpp"

#include <fmt/format.h>

#include "likely/ops/reduce.hpp"
#include "likely/ops/view.hpp"

namespace likely::vision {

namespace {

// A convolution without a bias: the normalization behind it would take it off again.
nn::Conv2d convolution(std::int64_t in, std::int64_t out, const Extent2d& kernel, const Extent2d& stride,
                       Rng rng) {
  if (kernel.height % 2 == 0 || kernel.width % 2 == 0)
    refuse("ResidualNet", fmt::format("kernels must be odd, got {} x {}", kernel.height, kernel.width));
  return nn::Conv2d(in, out, kernel,
                    {.stride = stride, .padding = {kernel.height / 2, kernel.width / 2}, .bias = false}, rng);
}

std::vector<ResidualBlock> stages_of(const ResidualNetOptions& o, Rng& rng) {
  std::vector<ResidualBlock> blocks;
  std::int64_t in = o.stages.front();
  for (std::size_t stage = 0; stage < o.stages.size(); ++stage) {
    for (std::int64_t i = 0; i < o.blocks; ++i) {
      const Extent2d stride = stage > 0 && i == 0 ? o.stage_stride : Extent2d(1);
      blocks.emplace_back(in, o.stages[stage], o.kernel, stride, rng.split());
      in = o.stages[stage];
    }
  }
  return blocks;
}

const ResidualNetOptions& checked(const ResidualNetOptions& o) {
  if (o.stages.empty()) refuse("ResidualNet", "there are no stages");
  if (o.blocks < 1) refuse("ResidualNet", fmt::format("a stage needs at least 1 block, got {}", o.blocks));
  return o;
}

}  // namespace

ResidualBlock::ResidualBlock(std::int64_t in, std::int64_t out, const Extent2d& kernel,
                             const Extent2d& stride, Rng rng)
    : first(convolution(in, out, kernel, stride, rng.split())),
      first_norm(out, {.relu = true}),
      second(convolution(out, out, kernel, 1, rng.split())),
      second_norm(out, {.relu = true}) {
  if (in != out || stride.height != 1 || stride.width != 1) {
    shortcut = convolution(in, out, 1, stride, rng.split());
    shortcut_norm = nn::BatchNorm(out);
  }
}

// The sum and the relu are part of the second normalization.
Tensor ResidualBlock::operator()(const Tensor& x) const {
  const Tensor beside = shortcut ? (*shortcut_norm)((*shortcut)(x)) : x;
  return second_norm(second(first_norm(first(x))), beside);
}

Tensor ResidualBlock::operator()(const Tensor& x, const Training& training) {
  const Tensor beside = shortcut ? (*shortcut_norm)((*shortcut)(x), training) : x;
  return second_norm(second(first_norm(first(x), training)), beside, training);
}

ResidualNet::ResidualNet(const ResidualNetOptions& options, Rng rng)
    : stem(convolution(options.channels, checked(options).stages.front(), options.kernel, options.stem_stride,
                       rng.split())),
      stem_norm(options.stages.front(), {.relu = true}),
      blocks(stages_of(options, rng)),
      out(options.stages.back(), options.classes, rng.split()),
      channels(options.channels),
      height(options.height),
      width(options.width) {}

Tensor ResidualNet::images(const Tensor& x) const { return reshape(x, {x.dim(0), channels, height, width}); }

Tensor ResidualNet::operator()(const Tensor& x) const {
  Tensor h = stem_norm(stem(images(x)));
  for (const ResidualBlock& block : blocks) h = block(h);
  return out(mean(h, {2, 3}));
}

Tensor ResidualNet::operator()(const Tensor& x, const Training& training) {
  Tensor h = stem_norm(stem(images(x)), training);
  for (ResidualBlock& block : blocks) h = block(h, training);
  return out(mean(h, {2, 3}));
}

std::vector<LayerOutput> ResidualNet::layers(const Tensor& x) const {
  Tensor h = stem_norm(stem(images(x)));
  std::vector<LayerOutput> outputs{{"first convolution", h}};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    h = blocks[i](h);
    outputs.push_back({fmt::format("residual block {}", i + 1), h});
  }
  outputs.push_back({"scores", out(mean(h, {2, 3}))});
  return outputs;
}

}  // namespace likely::vision
