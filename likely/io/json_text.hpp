// The text of JSON that holds names and paths of others. Internal to whoever writes JSON.
#pragma once

#include <string>

namespace likely::io {

// Names that are not UTF-8 (columns in Latin-1, paths) cannot be in JSON: what is wrong in them becomes
// U+FFFD, so that nobody's name costs a result. `indent`: spaces a level; -1: all in one line.
template <class Json>
std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

}  // namespace likely::io
