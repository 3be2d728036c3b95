#include "likely/nn/description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "likely/core/printable.hpp"
#include "likely/nn/layer_kinds.hpp"

namespace likely::nn {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// The text from left to right.
class DescriptionText {
 public:
  explicit DescriptionText(std::string_view text) : rest_(text) {}

  Description all() {
    Description layers = list("", 0);
    if (!rest_.empty()) refuse("network", "there is a ] without a [ before it");
    return layers;
  }

 private:
  // Up to the end of the text or a ].
  Description list(const std::string& before, int depth) {
    if (depth > kDeepestDescription) {
      refuse("network", fmt::format("layer {}: residuals may lie {} deep in each other at most",
                                    before.substr(0, before.find('.')), kDeepestDescription));
    }
    Description layers;
    do {
      layers.push_back(layer(before + std::to_string(layers.size()), depth));
    } while (take(','));
    return layers;
  }

  LayerDescription layer(const std::string& place, int depth) {
    LayerDescription read{std::string(word())};
    if (read.layer.empty()) {
      const std::string found = rest_.empty() ? "the end" : fmt::format("\"{}\"", rest_.front());
      refuse("network", fmt::format("layer {}: the name of a layer is missing before {}", place, found));
    }
    const detail::LayerKind* const kind = detail::find_kind(place, read.layer);
    if (kind == nullptr) {
      read_inside(place, depth, read);
    } else {
      read_settings(place, *kind, read);
    }
    if (!rest_.empty() && rest_.front() != ',' && rest_.front() != ']') {
      detail::refuse_layer(
          place, read.layer,
          fmt::format("a comma is needed before \"{}\"", printable_line(beginning(rest_, 20))));
    }
    return read;
  }

  void read_inside(const std::string& place, int depth, LayerDescription& read) {
    if (!take('[')) {
      detail::refuse_layer(place, read.layer,
                           "its layers are missing, in brackets: residual [linear 64, relu]");
    }
    read.body = list(place + ".body.", depth + 1);
    close(place, read.layer);
    if (!take('[')) return;
    read.shortcut = list(place + ".shortcut.", depth + 1);
    close(place, read.layer);
  }

  void close(const std::string& place, const std::string& layer) {
    if (!take(']')) detail::refuse_layer(place, layer, "a ] is missing");
  }

  void read_settings(const std::string& place, const detail::LayerKind& kind, LayerDescription& read) {
    std::size_t in_front = 0;
    for (std::string_view next = word(); !next.empty(); next = word()) {
      const std::size_t equal = next.find('=');
      if (equal == 0 || equal + 1 == next.size()) {
        detail::refuse_layer(place, kind.name,
                             fmt::format("\"{}\" must be name=value", printable_line(beginning(next, 40))));
      }
      if (equal != std::string_view::npos) {
        read.settings.emplace_back(next.substr(0, equal), next.substr(equal + 1));
      } else if (in_front == kind.in_front.size()) {
        refuse_surplus(place, kind, next);
      } else {
        read.settings.emplace_back(kind.in_front[in_front++], next);
      }
    }
  }

  [[noreturn]] static void refuse_surplus(const std::string& place, const detail::LayerKind& kind,
                                          std::string_view surplus) {
    const std::string found = printable_line(beginning(surplus, 40));
    const std::string allowed =
        kind.in_front.empty() ? "nothing" : fmt::format("{}", fmt::join(kind.in_front, ", "));
    const std::string further =
        kind.further.empty() ? "" : fmt::format(", and as name=value {}", fmt::join(kind.further, ", "));
    detail::refuse_layer(place, kind.name,
                         fmt::format("\"{}\" is one value too many; it takes {}{}", found, allowed, further));
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size())); }
  // The next word, which is empty where there is a comma, a bracket or the end.
  std::string_view word() {
    skip_blanks();
    const std::string_view found = rest_.substr(0, rest_.find_first_of(" \t\r\n,[]"));
    rest_.remove_prefix(found.size());
    skip_blanks();
    return found;
  }
  bool take(char mark) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != mark) return false;
    rest_.remove_prefix(1);
    skip_blanks();
    return true;
  }

  std::string_view rest_;
};

void check_writable(const std::string& place, const LayerDescription& layer, const std::string& text,
                    const char* marks) {
  if (text.empty() || text.find_first_of(marks) != std::string::npos) {
    detail::refuse_layer(
        place, layer.layer,
        fmt::format("\"{}\" cannot be written as a word", printable_line(beginning(text, 40))));
  }
}

void write_layers(const Description& layers, const std::string& before, int depth, std::string& text);

void write_layer(const LayerDescription& layer, const std::string& place, int depth, std::string& text) {
  const detail::LayerKind* const kind = detail::find_kind(place, layer.layer);
  text += layer.layer;
  bool in_order = kind != nullptr;  // until a setting is not the next of those in front
  for (std::size_t i = 0; i < layer.settings.size(); ++i) {
    const auto& [name, value] = layer.settings[i];
    check_writable(place, layer, name, " \t\r\n,[]=");
    check_writable(place, layer, value, " \t\r\n,[]");
    in_order = in_order && i < kind->in_front.size() && name == kind->in_front[i] &&
               value.find('=') == std::string::npos;
    text += in_order ? " " + value : fmt::format(" {}={}", name, value);
  }
  if (kind != nullptr) return;
  text += " [";
  write_layers(layer.body, place + ".body.", depth + 1, text);
  text += "]";
  if (layer.shortcut.empty()) return;
  text += " [";
  write_layers(layer.shortcut, place + ".shortcut.", depth + 1, text);
  text += "]";
}

void write_layers(const Description& layers, const std::string& before, int depth, std::string& text) {
  if (depth > kDeepestDescription)
    refuse("network", fmt::format("residuals may lie {} deep in each other at most", kDeepestDescription));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i > 0) text += ", ";
    write_layer(layers[i], before + std::to_string(i), depth, text);
  }
}

}  // namespace

Description read_description(std::string_view text) { return DescriptionText(text).all(); }

std::string text_of(const Description& description) {
  std::string text;
  write_layers(description, "", 0, text);
  return text;
}

}  // namespace likely::nn
