#include "tests/fuzz/raw_json.hpp"

#include <vector>

#include "likely/io/json.hpp"

namespace likely::fuzz {

namespace {

using io::Json;

// Stands for a number that JSON can say and a double cannot hold.
constexpr const char* kTooLarge = "a number that is too large";

void collect(Json& json, std::vector<Json*>& values) {
  values.push_back(&json);
  if (json.is_structured()) {
    for (Json& inner : json) collect(inner, values);
  }
}

Json hostile(Choices& choices) {
  switch (choices.below(10)) {
    case 0: return nullptr;
    case 1: return choices.one_in(2);
    case 2: return choices.whole();
    case 3: return choices.number();
    case 4: return choices.word();
    case 5: return choices.number_text();
    case 6: return Json::array({choices.whole(), choices.word()});
    case 7: return Json::object({{"key", choices.whole()}});
    case 8: return kTooLarge;
    default: return choices.one_in(2) ? Json::array() : Json::object();
  }
}

void change(Json& json, Choices& choices) {
  std::vector<Json*> values;
  collect(json, values);
  Json& value = *values[choices.below(values.size())];
  switch (choices.below(5)) {
    case 0:
    case 1: value = hostile(choices); break;
    case 2:
      if (value.is_object() && !value.empty()) {
        auto entry = value.begin();
        std::advance(entry, static_cast<std::ptrdiff_t>(choices.below(value.size())));
        value.erase(entry.key());
      } else if (value.is_array() && !value.empty()) {
        value.erase(choices.below(value.size()));
      }
      break;
    case 3:
      if (value.is_object()) value[choices.word()] = hostile(choices);
      if (value.is_array()) value.push_back(hostile(choices));
      break;
    default: {
      Json nested = std::move(value);
      for (std::size_t left = choices.below(150); left > 0; --left) nested = Json::array({std::move(nested)});
      value = std::move(nested);
    }
  }
}

}  // namespace

std::string distorted_json(const std::string& text, Choices& choices) {
  Json json = io::json_or_none(text);
  if (json.is_discarded()) return text;
  // A file that carries none is not compared with it, and what is behind is reached.
  if (json.is_object()) json.erase("checksum");
  for (std::size_t left = 1 + choices.below(3); left > 0; --left) change(json, choices);
  std::string result = io::json_text(json);
  const std::string mark = '"' + std::string(kTooLarge) + '"';
  for (std::size_t place = result.find(mark); place != std::string::npos; place = result.find(mark))
    result.replace(place, mark.size(), choices.one_in(2) ? "1e999" : "-1e999");
  return result;
}

}  // namespace likely::fuzz
