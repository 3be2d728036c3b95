// The layers with parameters that a description can name.
#include "likely/nn/convolution.hpp"
#include "likely/nn/embedding.hpp"
#include "likely/nn/layer_kinds.hpp"
#include "likely/nn/linear.hpp"
#include "likely/nn/normalization.hpp"

namespace likely::nn::detail {

namespace {

using Described = std::optional<LayerDescription>;

AnyLayer make_linear(const SettingsReader& settings, const Shape& example, Rng& rng) {
  check_some_axes(settings, example);
  return Linear(example.back(), settings.whole("out"),
                {.bias = settings.flag("bias", true), .activation = settings.activation("activation")},
                rng.split());
}
Described describe_linear(const AnyLayer& layer) {
  const Linear* const linear = layer.get_if<Linear>();
  if (linear == nullptr) return {};
  SettingsWriter writer;
  writer.whole("out", linear->weight.dim(0)).flag("bias", linear->bias.defined(), true);
  if (linear->activation != Activation::none) writer.word("activation", name_of(linear->activation));
  return writer.done();
}

AnyLayer make_conv1d(const SettingsReader& settings, const Shape& example, Rng& rng) {
  check_axes(settings, example, 2, "(channels, length)");
  return Conv1d(example[0], settings.whole("out"), settings.whole("kernel"),
                {.stride = settings.whole("stride", 1),
                 .padding = settings.padding("padding"),
                 .dilation = settings.whole("dilation", 1),
                 .groups = settings.whole("groups", 1),
                 .relu = settings.flag("relu", false),
                 .bias = settings.flag("bias", true)},
                rng.split());
}
Described describe_conv1d(const AnyLayer& layer) {
  const Conv1d* const conv = layer.get_if<Conv1d>();
  if (conv == nullptr) return {};
  SettingsWriter writer;
  writer.whole("out", conv->weight.dim(0)).whole("kernel", conv->weight.dim(2));
  writer.whole("stride", conv->options.stride, 1);
  if (conv->options.padding.same) {
    writer.word("padding", "same");
  } else {
    writer.whole("padding", conv->options.padding.size, 0);
  }
  return writer.whole("dilation", conv->options.dilation, 1)
      .whole("groups", conv->options.groups, 1)
      .flag("relu", conv->options.relu, false)
      .flag("bias", conv->bias.defined(), true)
      .done();
}

AnyLayer make_conv2d(const SettingsReader& settings, const Shape& example, Rng& rng) {
  check_axes(settings, example, 3, "(channels, height, width)");
  return Conv2d(example[0], settings.whole("out"), settings.extent("kernel"),
                {.stride = settings.extent("stride", 1),
                 .padding = settings.padding2d("padding"),
                 .dilation = settings.extent("dilation", 1),
                 .groups = settings.whole("groups", 1),
                 .relu = settings.flag("relu", false),
                 .bias = settings.flag("bias", true)},
                rng.split());
}
Described describe_conv2d(const AnyLayer& layer) {
  const Conv2d* const conv = layer.get_if<Conv2d>();
  if (conv == nullptr) return {};
  SettingsWriter writer;
  writer.whole("out", conv->weight.dim(0)).extent("kernel", {conv->weight.dim(2), conv->weight.dim(3)});
  writer.extent("stride", conv->options.stride, 1);
  if (conv->options.padding.same) {
    writer.word("padding", "same");
  } else {
    writer.extent("padding", conv->options.padding.size, 0);
  }
  return writer.extent("dilation", conv->options.dilation, 1)
      .whole("groups", conv->options.groups, 1)
      .flag("relu", conv->options.relu, false)
      .flag("bias", conv->bias.defined(), true)
      .done();
}

AnyLayer make_conv_transpose1d(const SettingsReader& settings, const Shape& example, Rng& rng) {
  check_axes(settings, example, 2, "(channels, length)");
  return ConvTranspose1d(example[0], settings.whole("out"), settings.whole("kernel"),
                         {.stride = settings.whole("stride", 1),
                          .padding = settings.whole("padding", 0),
                          .output_padding = settings.whole("output_padding", 0),
                          .dilation = settings.whole("dilation", 1),
                          .groups = settings.whole("groups", 1),
                          .bias = settings.flag("bias", true)},
                         rng.split());
}
Described describe_conv_transpose1d(const AnyLayer& layer) {
  const ConvTranspose1d* const conv = layer.get_if<ConvTranspose1d>();
  if (conv == nullptr) return {};
  return SettingsWriter()
      .whole("out", conv->weight.dim(1) * conv->options.groups)
      .whole("kernel", conv->weight.dim(2))
      .whole("stride", conv->options.stride, 1)
      .whole("padding", conv->options.padding, 0)
      .whole("output_padding", conv->options.output_padding, 0)
      .whole("dilation", conv->options.dilation, 1)
      .whole("groups", conv->options.groups, 1)
      .flag("bias", conv->bias.defined(), true)
      .done();
}

AnyLayer make_conv_transpose2d(const SettingsReader& settings, const Shape& example, Rng& rng) {
  check_axes(settings, example, 3, "(channels, height, width)");
  return ConvTranspose2d(example[0], settings.whole("out"), settings.extent("kernel"),
                         {.stride = settings.extent("stride", 1),
                          .padding = settings.extent("padding", 0),
                          .output_padding = settings.extent("output_padding", 0),
                          .dilation = settings.extent("dilation", 1),
                          .groups = settings.whole("groups", 1),
                          .bias = settings.flag("bias", true)},
                         rng.split());
}
Described describe_conv_transpose2d(const AnyLayer& layer) {
  const ConvTranspose2d* const conv = layer.get_if<ConvTranspose2d>();
  if (conv == nullptr) return {};
  return SettingsWriter()
      .whole("out", conv->weight.dim(1) * conv->options.groups)
      .extent("kernel", {conv->weight.dim(2), conv->weight.dim(3)})
      .extent("stride", conv->options.stride, 1)
      .extent("padding", conv->options.padding, 0)
      .extent("output_padding", conv->options.output_padding, 0)
      .extent("dilation", conv->options.dilation, 1)
      .whole("groups", conv->options.groups, 1)
      .flag("bias", conv->bias.defined(), true)
      .done();
}

AnyLayer make_batch_norm(const SettingsReader& settings, const Shape& example, Rng&) {
  check_some_axes(settings, example);
  const BatchNormOptions usual;
  return BatchNorm(example[0], {.epsilon = settings.number("epsilon", usual.epsilon),
                                .momentum = settings.number("momentum", usual.momentum),
                                .relu = settings.flag("relu", false),
                                .affine = settings.flag("affine", true)});
}
Described describe_batch_norm(const AnyLayer& layer) {
  const BatchNorm* const norm = layer.get_if<BatchNorm>();
  if (norm == nullptr) return {};
  const BatchNormOptions usual;
  return SettingsWriter()
      .number("epsilon", norm->epsilon, usual.epsilon)
      .number("momentum", norm->momentum, usual.momentum)
      .flag("relu", norm->relu, false)
      .flag("affine", norm->weight.defined(), true)
      .done();
}

AnyLayer make_layer_norm(const SettingsReader& settings, const Shape& example, Rng&) {
  check_some_axes(settings, example);
  const std::int64_t axes = settings.whole("axes", 1);
  if (axes < 1 || axes > example.rank()) {
    settings.refuse("axes must be from 1 to " + std::to_string(example.rank()) + ", for examples of shape " +
                    example.string() + ", got " + std::to_string(axes));
  }
  return LayerNorm(example.sub(example.rank() - static_cast<int>(axes), example.rank()),
                   {.epsilon = settings.number("epsilon", NormOptions{}.epsilon),
                    .affine = settings.flag("affine", true)});
}
Described describe_layer_norm(const AnyLayer& layer) {
  const LayerNorm* const norm = layer.get_if<LayerNorm>();
  if (norm == nullptr) return {};
  return SettingsWriter()
      .whole("axes", norm->shape.rank(), 1)
      .number("epsilon", norm->epsilon, NormOptions{}.epsilon)
      .flag("affine", norm->weight.defined(), true)
      .done();
}

constexpr double kRmsEpsilon = 1e-6;  // as RmsNorm has it
AnyLayer make_rms_norm(const SettingsReader& settings, const Shape& example, Rng&) {
  check_some_axes(settings, example);
  return RmsNorm(example.back(), settings.number("epsilon", kRmsEpsilon));
}
Described describe_rms_norm(const AnyLayer& layer) {
  const RmsNorm* const norm = layer.get_if<RmsNorm>();
  if (norm == nullptr) return {};
  return SettingsWriter().number("epsilon", norm->epsilon, kRmsEpsilon).done();
}

AnyLayer make_group_norm(const SettingsReader& settings, const Shape& example, Rng&) {
  check_some_axes(settings, example);
  return GroupNorm(settings.whole("groups"), example[0],
                   {.epsilon = settings.number("epsilon", NormOptions{}.epsilon),
                    .affine = settings.flag("affine", true)});
}
Described describe_group_norm(const AnyLayer& layer) {
  const GroupNorm* const norm = layer.get_if<GroupNorm>();
  if (norm == nullptr) return {};
  return SettingsWriter()
      .whole("groups", norm->groups)
      .number("epsilon", norm->epsilon, NormOptions{}.epsilon)
      .flag("affine", norm->weight.defined(), true)
      .done();
}

AnyLayer make_embedding(const SettingsReader& settings, const Shape&, Rng& rng) {
  return Embedding(settings.whole("count"), settings.whole("width"), rng.split());
}
Described describe_embedding(const AnyLayer& layer) {
  const Embedding* const table = layer.get_if<Embedding>();
  if (table == nullptr) return {};
  return SettingsWriter().whole("count", table->weight.dim(0)).whole("width", table->weight.dim(1)).done();
}

}  // namespace

void add_learned_kinds(std::vector<LayerKind>& kinds) {
  kinds.push_back({"linear", {"out"}, 1, {"bias", "activation"}, make_linear, describe_linear});
  kinds.push_back({"conv1d",
                   {"out", "kernel"},
                   2,
                   {"stride", "padding", "dilation", "groups", "relu", "bias"},
                   make_conv1d,
                   describe_conv1d});
  kinds.push_back({"conv2d",
                   {"out", "kernel"},
                   2,
                   {"stride", "padding", "dilation", "groups", "relu", "bias"},
                   make_conv2d,
                   describe_conv2d});
  kinds.push_back({"conv_transpose1d",
                   {"out", "kernel"},
                   2,
                   {"stride", "padding", "output_padding", "dilation", "groups", "bias"},
                   make_conv_transpose1d,
                   describe_conv_transpose1d});
  kinds.push_back({"conv_transpose2d",
                   {"out", "kernel"},
                   2,
                   {"stride", "padding", "output_padding", "dilation", "groups", "bias"},
                   make_conv_transpose2d,
                   describe_conv_transpose2d});
  kinds.push_back(
      {"batch_norm", {}, 0, {"epsilon", "momentum", "relu", "affine"}, make_batch_norm, describe_batch_norm});
  kinds.push_back({"layer_norm", {}, 0, {"axes", "epsilon", "affine"}, make_layer_norm, describe_layer_norm});
  kinds.push_back({"rms_norm", {}, 0, {"epsilon"}, make_rms_norm, describe_rms_norm});
  kinds.push_back({"group_norm", {"groups"}, 1, {"epsilon", "affine"}, make_group_norm, describe_group_norm});
  kinds.push_back({"embedding", {"count", "width"}, 2, {}, make_embedding, describe_embedding});
}

}  // namespace likely::nn::detail
