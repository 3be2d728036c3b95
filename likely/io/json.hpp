// JSON in one place: what reads it and writes it is compiled here once, not in each source that needs a
// value. Internal to likely: it needs a JSON library.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

extern template class nlohmann::basic_json<nlohmann::ordered_map>;
extern template class nlohmann::basic_json<>;
extern template class nlohmann::detail::serializer<nlohmann::ordered_json>;
extern template class nlohmann::detail::serializer<nlohmann::json>;

namespace likely::io {

// Keys as they were put in: for what is written. What is to become an object or an array begins as one
// (Json::object()): a null that becomes one by json["key"] = ... where there is no memory cannot be
// destroyed.
using Json = nlohmann::ordered_json;
// Keys in order: for objects of others, which may have any number of keys.
using SortedJson = nlohmann::json;

// Refuses: "[json] this is not JSON, see byte 12", more than 100 brackets in each other, and more than 10,000
// keys of one object that keeps their order.
template <class AnyJson = Json>
AnyJson parse_json(std::string_view text);
// Where it is not JSON, or refused above, what comes back is neither an object nor anything else
// (is_discarded()).
template <class AnyJson = Json>
AnyJson json_or_none(std::string_view text);
// Shows `watch` what is found while it is found, of any depth: copy and print nothing of it. What is wrong
// with the text is thrown as the parser says it.
SortedJson watched_json(std::string_view text, const SortedJson::parser_callback_t& watch);

// Names that are not UTF-8 (columns in Latin-1, paths) cannot be in JSON: what is wrong in them becomes
// U+FFFD, so that nobody's name costs a result. `indent`: spaces a level; -1: all in one line.
std::string json_text(const Json& json, int indent = -1);
std::string json_text(const SortedJson& json, int indent = -1);
// For what has to be read back as it is. Refuses names that are not UTF-8: "[json] this is not UTF-8".
std::string exact_json_text(const Json& json, int indent = -1);

// null, which is how JSON has to say it, where it is not finite.
Json number_json(double value);

extern template Json parse_json<Json>(std::string_view text);
extern template SortedJson parse_json<SortedJson>(std::string_view text);
extern template Json json_or_none<Json>(std::string_view text);
extern template SortedJson json_or_none<SortedJson>(std::string_view text);

}  // namespace likely::io
