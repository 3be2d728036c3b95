#include "likely/io/json.hpp"

#include <cmath>

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

}  // namespace

template <class AnyJson>
AnyJson parse_json(std::string_view text) {
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
