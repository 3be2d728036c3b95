#include "likely/nn/layer_kinds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "likely/core/nearest_name.hpp"
#include "likely/core/printable.hpp"

namespace likely::nn::detail {

namespace {

// "; did you mean \"relu\"?" or the end of the sentence. Nobody means a name of thousands of letters.
std::string probably(const std::string& wrong, const std::vector<std::string>& names) {
  const std::string near = wrong.size() > 100 ? "" : did_you_mean(wrong, names);
  return near.empty() ? "." : near;
}

}  // namespace

const std::vector<LayerKind>& layer_kinds() {
  static const std::vector<LayerKind> kinds = [] {
    std::vector<LayerKind> all;
    add_learned_kinds(all);
    add_plain_kinds(all);
    return all;
  }();
  return kinds;
}

const LayerKind* find_kind(const std::string& place, const std::string& name) {
  if (name == kResidual) return nullptr;
  for (const LayerKind& kind : layer_kinds()) {
    if (kind.name == name) return &kind;
  }
  std::vector<std::string> names{std::string(kResidual)};
  for (const LayerKind& kind : layer_kinds()) names.emplace_back(kind.name);
  std::ranges::sort(names);
  refuse_layer(place, name,
               fmt::format("there is no such layer{} The layers are {}", probably(name, names),
                           fmt::join(names, ", ")));
}

std::optional<LayerDescription> describe_layer(const AnyLayer& layer) {
  for (const LayerKind& kind : layer_kinds()) {
    std::optional<LayerDescription> description = kind.describe(layer);
    if (!description) continue;
    description->layer = kind.name;
    return description;
  }
  return {};
}

void check_settings(const LayerKind& kind, const std::string& place, const LayerDescription& description) {
  std::vector<std::string> names(kind.in_front.begin(), kind.in_front.end());
  names.insert(names.end(), kind.further.begin(), kind.further.end());
  std::vector<std::string_view> seen;
  for (const auto& [name, value] : description.settings) {
    if (std::ranges::find(names, name) == names.end()) {
      const std::string which =
          names.empty() ? "It has none" : fmt::format("It has {}", fmt::join(names, ", "));
      refuse_layer(place, kind.name,
                   fmt::format("there is no setting \"{}\"{} {}", printable_line(beginning(name, 40)),
                               probably(name, names), which));
    }
    if (std::ranges::find(seen, name) != seen.end())
      refuse_layer(place, kind.name, fmt::format("{} is given twice", name));
    seen.push_back(name);
  }
  for (std::size_t i = 0; i < kind.needed; ++i) {
    if (std::ranges::find(seen, kind.in_front[i]) == seen.end()) {
      const std::vector<std::string_view> needed(
          kind.in_front.begin(), kind.in_front.begin() + static_cast<std::ptrdiff_t>(kind.needed));
      refuse_layer(place, kind.name,
                   fmt::format("{} is missing; it needs {}", kind.in_front[i], fmt::join(needed, " and ")));
    }
  }
  if (!description.body.empty() || !description.shortcut.empty())
    refuse_layer(place, kind.name, "only a residual has layers inside it");
}

void check_axes(const SettingsReader& settings, const Shape& example, int rank, const char* needed) {
  if (example.rank() != rank)
    settings.refuse(fmt::format("needs examples of shape {}, gets {}", needed, example.string()));
}

void check_some_axes(const SettingsReader& settings, const Shape& example) {
  if (example.rank() == 0) settings.refuse("needs examples with at least one axis, gets single numbers");
}

}  // namespace likely::nn::detail
