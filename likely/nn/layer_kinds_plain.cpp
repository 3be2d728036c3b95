// The layers without parameters that a description can name.
#include "likely/nn/activations.hpp"
#include "likely/nn/dropout.hpp"
#include "likely/nn/layer_kinds.hpp"
#include "likely/nn/pooling.hpp"

namespace likely::nn::detail {

namespace {

// A layer without settings.
template <class Layer>
LayerKind bare(std::string_view name) {
  return {name,
          {},
          0,
          {},
          [](const SettingsReader&, const Shape&, Rng&) -> AnyLayer { return Layer{}; },
          [](const AnyLayer& layer) -> std::optional<LayerDescription> {
            if (layer.get_if<Layer>() == nullptr) return {};
            return LayerDescription{};
          }};
}

// Softmax and LogSoftmax.
template <class Layer>
LayerKind along_an_axis(std::string_view name) {
  return {name,
          {},
          0,
          {"axis"},
          [](const SettingsReader& settings, const Shape&, Rng&) -> AnyLayer {
            return Layer{static_cast<int>(settings.whole("axis", -1, -Shape::kMaxRank, Shape::kMaxRank - 1))};
          },
          [](const AnyLayer& layer) -> std::optional<LayerDescription> {
            const Layer* const softmax = layer.get_if<Layer>();
            if (softmax == nullptr) return {};
            return SettingsWriter().whole("axis", softmax->axis, -1).done();
          }};
}

// Whether there are two axes to slide a window over, or one. Refuses other examples.
bool has_planes(const SettingsReader& settings, const Shape& example) {
  if (example.rank() == 2) return false;
  check_axes(settings, example, 3, "(channels, length) or (channels, height, width)");
  return true;
}

template <class Options>
Options pool1d_options(const SettingsReader& settings) {
  Options options;
  if (settings.has("stride")) options.stride = settings.whole("stride");
  options.padding = settings.whole("padding", 0);
  if constexpr (requires { options.count_padding; })
    options.count_padding = settings.flag("count_padding", true);
  return options;
}
template <class Options>
Options pool2d_options(const SettingsReader& settings) {
  Options options;
  if (settings.has("stride")) options.stride = settings.extent("stride");
  options.padding = settings.extent("padding", 0);
  if constexpr (requires { options.count_padding; })
    options.count_padding = settings.flag("count_padding", true);
  return options;
}

// MaxPool1d and MaxPool2d are one kind, AvgPool1d and AvgPool2d another: the examples say which is meant.
template <class Pool1d, class Pool2d>
LayerKind pool(std::string_view name, std::vector<std::string_view> further) {
  return {name,
          {"kernel"},
          1,
          std::move(further),
          [](const SettingsReader& settings, const Shape& example, Rng&) -> AnyLayer {
            if (has_planes(settings, example))
              return Pool2d(settings.extent("kernel"), pool2d_options<decltype(Pool2d::options)>(settings));
            return Pool1d(settings.whole("kernel"), pool1d_options<decltype(Pool1d::options)>(settings));
          },
          [](const AnyLayer& layer) -> std::optional<LayerDescription> {
            SettingsWriter writer;
            if (const Pool1d* const line = layer.get_if<Pool1d>()) {
              writer.whole("kernel", line->kernel);
              if (line->options.stride) writer.whole("stride", *line->options.stride);
              writer.whole("padding", line->options.padding, 0);
              if constexpr (requires { line->options.count_padding; })
                writer.flag("count_padding", line->options.count_padding, true);
              return writer.done();
            }
            if (const Pool2d* const plane = layer.get_if<Pool2d>()) {
              writer.extent("kernel", plane->kernel);
              if (plane->options.stride) writer.extent("stride", *plane->options.stride);
              writer.extent("padding", plane->options.padding, 0);
              if constexpr (requires { plane->options.count_padding; })
                writer.flag("count_padding", plane->options.count_padding, true);
              return writer.done();
            }
            return {};
          }};
}

template <class Pool1d, class Pool2d>
LayerKind adaptive_pool(std::string_view name) {
  return {name,
          {"size"},
          1,
          {},
          [](const SettingsReader& settings, const Shape& example, Rng&) -> AnyLayer {
            if (has_planes(settings, example)) return Pool2d{settings.extent("size")};
            return Pool1d{settings.whole("size")};
          },
          [](const AnyLayer& layer) -> std::optional<LayerDescription> {
            if (const Pool1d* const line = layer.get_if<Pool1d>())
              return SettingsWriter().whole("size", line->size).done();
            if (const Pool2d* const plane = layer.get_if<Pool2d>())
              return SettingsWriter().extent("size", plane->size).done();
            return {};
          }};
}

template <class Upsample>
LayerKind upsample(std::string_view name) {
  return {name,
          {"scale"},
          0,
          {"size"},
          [](const SettingsReader& settings, const Shape& example, Rng&) -> AnyLayer {
            check_axes(settings, example, 3, "(channels, height, width)");
            if (settings.has("scale") == settings.has("size")) settings.refuse("needs either scale or size");
            UpsampleOptions options;
            if (settings.has("size")) {
              options.size = settings.extent("size");
            } else {
              const Scale2d scale = settings.scale("scale");
              options.scale = OptionalScale2d(scale.height, scale.width);
            }
            return Upsample{options};
          },
          [](const AnyLayer& layer) -> std::optional<LayerDescription> {
            const Upsample* const larger = layer.get_if<Upsample>();
            if (larger == nullptr) return {};
            SettingsWriter writer;
            if (larger->options.scale) writer.scale("scale", *larger->options.scale);
            if (larger->options.size) writer.extent("size", *larger->options.size);
            return writer.done();
          }};
}

LayerKind leaky_relu_kind() {
  return {"leaky_relu",
          {"slope"},
          0,
          {},
          [](const SettingsReader& settings, const Shape&, Rng&) -> AnyLayer {
            return LeakyRelu{settings.number("slope", LeakyRelu{}.slope)};
          },
          [](const AnyLayer& layer) -> std::optional<LayerDescription> {
            const LeakyRelu* const relu = layer.get_if<LeakyRelu>();
            if (relu == nullptr) return {};
            return SettingsWriter().number("slope", relu->slope, LeakyRelu{}.slope).done();
          }};
}

LayerKind elu_kind() {
  return {"elu",
          {"alpha"},
          0,
          {},
          [](const SettingsReader& settings, const Shape&, Rng&) -> AnyLayer {
            return Elu{settings.number("alpha", Elu{}.alpha)};
          },
          [](const AnyLayer& layer) -> std::optional<LayerDescription> {
            const Elu* const elu = layer.get_if<Elu>();
            if (elu == nullptr) return {};
            return SettingsWriter().number("alpha", elu->alpha, Elu{}.alpha).done();
          }};
}

LayerKind dropout_kind() {
  return {"dropout",
          {"p"},
          1,
          {},
          [](const SettingsReader& settings, const Shape&, Rng&) -> AnyLayer {
            return Dropout(settings.number("p"));
          },
          [](const AnyLayer& layer) -> std::optional<LayerDescription> {
            const Dropout* const dropout = layer.get_if<Dropout>();
            if (dropout == nullptr) return {};
            return SettingsWriter().number("p", dropout->p).done();
          }};
}

LayerKind noise_kind() {
  return {"gaussian_noise",
          {"stddev"},
          1,
          {},
          [](const SettingsReader& settings, const Shape&, Rng&) -> AnyLayer {
            return GaussianNoise(settings.number("stddev"));
          },
          [](const AnyLayer& layer) -> std::optional<LayerDescription> {
            const GaussianNoise* const noise = layer.get_if<GaussianNoise>();
            if (noise == nullptr) return {};
            return SettingsWriter().number("stddev", noise->stddev).done();
          }};
}

LayerKind flatten_kind() {
  return {"flatten",
          {},
          0,
          {"first", "last"},
          [](const SettingsReader& settings, const Shape&, Rng&) -> AnyLayer {
            const auto axis = [&](const char* name, int usual) {
              return static_cast<int>(settings.whole(name, usual, -Shape::kMaxRank, Shape::kMaxRank - 1));
            };
            return Flatten{axis("first", Flatten{}.first), axis("last", Flatten{}.last)};
          },
          [](const AnyLayer& layer) -> std::optional<LayerDescription> {
            const Flatten* const flatten = layer.get_if<Flatten>();
            if (flatten == nullptr) return {};
            return SettingsWriter()
                .whole("first", flatten->first, Flatten{}.first)
                .whole("last", flatten->last, Flatten{}.last)
                .done();
          }};
}

}  // namespace

void add_plain_kinds(std::vector<LayerKind>& kinds) {
  kinds.push_back(bare<Relu>("relu"));
  kinds.push_back(leaky_relu_kind());
  kinds.push_back(elu_kind());
  kinds.push_back(bare<Gelu>("gelu"));
  kinds.push_back(bare<GeluTanh>("gelu_tanh"));
  kinds.push_back(bare<Silu>("silu"));
  kinds.push_back(bare<Hardswish>("hardswish"));
  kinds.push_back(bare<Sigmoid>("sigmoid"));
  kinds.push_back(bare<Tanh>("tanh"));
  kinds.push_back(bare<Softplus>("softplus"));
  kinds.push_back(along_an_axis<Softmax>("softmax"));
  kinds.push_back(along_an_axis<LogSoftmax>("log_softmax"));
  kinds.push_back(pool<MaxPool1d, MaxPool2d>("max_pool", {"stride", "padding"}));
  kinds.push_back(pool<AvgPool1d, AvgPool2d>("average_pool", {"stride", "padding", "count_padding"}));
  kinds.push_back(adaptive_pool<AdaptiveMaxPool1d, AdaptiveMaxPool2d>("adaptive_max_pool"));
  kinds.push_back(adaptive_pool<AdaptiveAvgPool1d, AdaptiveAvgPool2d>("adaptive_average_pool"));
  kinds.push_back(upsample<UpsampleNearest>("upsample_nearest"));
  kinds.push_back(upsample<UpsampleBilinear>("upsample_bilinear"));
  kinds.push_back(dropout_kind());
  kinds.push_back(noise_kind());
  kinds.push_back(flatten_kind());
  kinds.push_back(bare<Identity>("identity"));
}

}  // namespace likely::nn::detail
