#include "likely/core/parts.hpp"

#include "likely/core/error.hpp"

namespace likely {

std::string detail::join_path(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : name.empty() ? path : path + "." + std::string(name);
}

void detail::refuse_other_lengths(const char* caller) {
  refuse(caller, "the vectors or optionals of the two models do not have as many elements");
}

}  // namespace likely
