#include "likely/io/json.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "likely/core/error.hpp"

template class nlohmann::basic_json<nlohmann::ordered_map>;
template class nlohmann::basic_json<>;
template class nlohmann::detail::serializer<nlohmann::ordered_json>;
template class nlohmann::detail::serializer<nlohmann::json>;

namespace likely::io {

namespace {

template <class AnyJson>
std::string replaced_text(const AnyJson& json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, AnyJson::error_handler_t::replace);
}

// Copies, comparisons and texts of JSON go down its levels on the stack, which a file of brackets would
// exhaust; and an object that keeps its keys as they came looks through all of them for each new one.
constexpr std::size_t kDeepest = 100;
constexpr std::int64_t kMostOrderedKeys = 10'000;

// What is too much in a text, or nothing. Whether it is JSON at all, the parser says.
template <class AnyJson>
const char* excess_of(std::string_view text) {
  std::vector<std::int64_t> keys;  // of each open bracket
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      i += c == '\\' ? 1 : 0;
      quoted = c != '"';
      continue;
    }
    switch (c) {
      case '"': quoted = true; break;
      case '[':
      case '{':
        if (keys.size() == kDeepest) return "this is nested too deeply";
        keys.push_back(0);
        break;
      case ']':
      case '}':
        if (!keys.empty()) keys.pop_back();
        break;
      case ':':
        if (std::is_same_v<AnyJson, Json> && !keys.empty() && ++keys.back() > kMostOrderedKeys)
          return "an object has too many keys";
        break;
      default: break;
    }
  }
  return nullptr;
}

}  // namespace

template <class AnyJson>
AnyJson parse_json(std::string_view text) {
  if (const char* excess = excess_of<AnyJson>(text)) refuse("json", excess);
  try {
    return AnyJson::parse(text);
  } catch (const typename AnyJson::parse_error& error) {
    refuse("json", "this is not JSON, see byte " + std::to_string(error.byte));
  } catch (const typename AnyJson::out_of_range&) {
    refuse("json", "a number is too large");
  }
}

template <class AnyJson>
AnyJson json_or_none(std::string_view text) {
  if (excess_of<AnyJson>(text) != nullptr) return AnyJson(AnyJson::value_t::discarded);
  return AnyJson::parse(text, nullptr, /*allow_exceptions=*/false);
}

SortedJson watched_json(std::string_view text, const SortedJson::parser_callback_t& watch) {
  return SortedJson::parse(text, watch);
}

std::string json_text(const Json& json, int indent) { return replaced_text(json, indent); }
std::string json_text(const SortedJson& json, int indent) { return replaced_text(json, indent); }

std::string exact_json_text(const Json& json, int indent) {
  try {
    return json.dump(indent);
  } catch (const Json::exception&) {
    refuse("json", "this is not UTF-8");
  }
}

Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

template Json parse_json<Json>(std::string_view text);
template SortedJson parse_json<SortedJson>(std::string_view text);
template Json json_or_none<Json>(std::string_view text);
template SortedJson json_or_none<SortedJson>(std::string_view text);

}  // namespace likely::io
