#include "likely/io/network_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"
#include "likely/core/whole_number.hpp"
#include "likely/io/json.hpp"
#include "likely/io/parse_number.hpp"

namespace likely::io {

namespace {

constexpr std::size_t kMostKeys = 100;  // no layer has as many settings

[[noreturn]] void refuse_entry(const std::string& place, const std::string& why) {
  refuse("network", fmt::format("layer {}: {}", place, why));
}

// Refuses what a reader would pass over: the second of two keys that are the same.
void check_keys(std::string_view text) {
  std::vector<std::set<std::string>> open;
  const auto watch = [&](int, SortedJson::parse_event_t event, SortedJson& parsed) {
    if (event == SortedJson::parse_event_t::object_start) open.emplace_back();
    if (event == SortedJson::parse_event_t::object_end) open.pop_back();
    if (event == SortedJson::parse_event_t::key) {
      const std::string key = parsed.get<std::string>();
      if (!open.back().insert(key).second)
        refuse("network",
               fmt::format("\"{}\" is given twice in one layer", printable_line(beginning(key, 40))));
      if (open.back().size() > kMostKeys) refuse("network", "no layer has as many settings");
    }
    return true;
  };
  try {
    static_cast<void>(watched_json(text, watch));
  } catch (const SortedJson::exception&) {
    static_cast<void>(parse_json<SortedJson>(text));  // which says what is wrong
  }
}

std::optional<std::string> number_text(const Json& value) {
  if (value.is_number_unsigned()) return fmt::format("{}", value.get<std::uint64_t>());
  if (value.is_number_integer()) return fmt::format("{}", value.get<std::int64_t>());
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return std::nullopt;
}

// A setting as the description has it.
std::string setting_text(const std::string& place, const std::string& name, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (const auto number = number_text(value)) return *number;
  if (value.is_array() && value.size() == 2) {
    const auto height = number_text(value[0]);
    const auto width = number_text(value[1]);
    if (height && width) return *height + "x" + *width;
  }
  refuse_entry(place, fmt::format("\"{}\" must be a number, two numbers in a list, true, false or a word",
                                  printable_line(beginning(name, 40))));
}

nn::Description layers_from(const Json& list, const std::string& before, int depth) {
  if (!list.is_array()) {
    const std::string form = "must be a list of layers, as in [{\"layer\": \"linear\", \"out\": 64}]";
    if (before.empty()) refuse("network", "the description " + form);
    refuse_entry(before.substr(0, before.size() - 1), form);
  }
  nn::Description layers;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = before + std::to_string(i);
    const Json& object = list[i];
    if (depth > nn::kDeepestDescription) {
      refuse_entry(place.substr(0, place.find('.')),
                   fmt::format("residuals may lie {} deep in each other at most", nn::kDeepestDescription));
    }
    if (!object.is_object() || !object.contains("layer") || !object["layer"].is_string())
      refuse_entry(place, "must be an object with its name, as in {\"layer\": \"relu\"}");
    nn::LayerDescription layer{object["layer"].get<std::string>()};
    for (const auto& [name, value] : object.items()) {
      if (name == "layer") continue;
      if (name == "body") {
        layer.body = layers_from(value, place + ".body.", depth + 1);
      } else if (name == "shortcut") {
        layer.shortcut = layers_from(value, place + ".shortcut.", depth + 1);
      } else {
        layer.settings.emplace_back(name, setting_text(place, name, value));
      }
    }
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::optional<Json> json_number(std::string_view text) {
  if (const auto whole = whole_number<std::int64_t>(text)) return Json(*whole);
  double number = 0.0;
  if (text.starts_with('+') || !parse_number(text, number) || !std::isfinite(number)) return std::nullopt;
  // 2e9 is read back as 2000000000, and is written so at once.
  if (const auto whole = whole_number<std::int64_t>(fmt::format("{}", number))) return Json(*whole);
  return Json(number);
}

Json setting_json(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto number = json_number(text)) return *number;
  if (const std::size_t cross = text.find('x'); cross != std::string::npos) {
    const auto height = json_number(std::string_view(text).substr(0, cross));
    const auto width = json_number(std::string_view(text).substr(cross + 1));
    if (height && width) return Json::array({*height, *width});
  }
  return text;
}

Json layers_json(const nn::Description& layers) {
  Json list = Json::array();
  for (const nn::LayerDescription& layer : layers) {
    Json object = Json::object();
    object["layer"] = layer.layer;
    for (const auto& [name, text] : layer.settings) {
      if (object.contains(name) || name == "body" || name == "shortcut") {
        refuse("network", fmt::format("a setting \"{}\" of {} cannot be written as JSON",
                                      printable_line(beginning(name, 40)), printable_line(layer.layer)));
      }
      object[name] = setting_json(text);
    }
    if (!layer.body.empty()) object["body"] = layers_json(layer.body);
    if (!layer.shortcut.empty()) object["shortcut"] = layers_json(layer.shortcut);
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace

nn::Description description_from_json(std::string_view text) {
  check_keys(text);
  return layers_from(parse_json(text), "", 0);
}

std::string description_json(const nn::Description& description) {
  std::string text;
  for (const Json& layer : layers_json(description))
    text += (text.empty() ? "[" : ",\n ") + exact_json_text(layer);
  return (text.empty() ? "[" : text) + "]\n";
}

}  // namespace likely::io
