// The layers that a description can name: how each is made and written back. Internal to nn/.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "likely/core/shape.hpp"
#include "likely/nn/any_layer.hpp"
#include "likely/nn/description.hpp"
#include "likely/nn/layer_settings.hpp"
#include "likely/ops/rng.hpp"

namespace likely::nn::detail {

struct LayerKind {
  std::string_view name;
  std::vector<std::string_view> in_front;  // settings that follow the name in text, in this order
  std::size_t needed;                      // so many of them have to be given
  std::vector<std::string_view> further;   // settings as name=value
  // For an input of which one example has this shape. Takes a key only if it starts with random numbers.
  AnyLayer (*make)(const SettingsReader& settings, const Shape& example, Rng& rng);
  // Its settings; nothing where the layer is of another kind.
  std::optional<LayerDescription> (*describe)(const AnyLayer& layer);
};

// All but the residual, which is made of others.
const std::vector<LayerKind>& layer_kinds();
inline constexpr std::string_view kResidual = "residual";

// The kind of this name, or nullptr for the residual. Refuses others, with the nearest there is.
const LayerKind* find_kind(const std::string& place, const std::string& name);

// A layer of one of the kinds in words; nothing where it is of none.
std::optional<LayerDescription> describe_layer(const AnyLayer& layer);

// Refuses a setting that the layer does not have, that is given twice or that is missing.
void check_settings(const LayerKind& kind, const std::string& place, const LayerDescription& description);

// Those that learn, and the others.
void add_learned_kinds(std::vector<LayerKind>& kinds);
void add_plain_kinds(std::vector<LayerKind>& kinds);

// Refuses an example of another number of axes, and says which are needed: "(channels, length)".
void check_axes(const SettingsReader& settings, const Shape& example, int rank, const char* needed);
void check_some_axes(const SettingsReader& settings, const Shape& example);

}  // namespace likely::nn::detail
