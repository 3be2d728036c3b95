#include "likely/core/dispatch.hpp"

#include <string>

#include "likely/core/error.hpp"

namespace likely::detail {

void refuse_type(const char* operation, DType type) {
  if (size_of(type) == 0)
    refuse(operation, "there is no element type " + std::to_string(static_cast<int>(type)));
  refuse(operation, "is not defined for " + std::string(name_of(type)));
}

void refuse_not_floating(const char* operation, DType type) {
  if (is_floating(type) || size_of(type) == 0) refuse_type(operation, type);
  refuse(operation, "floating numbers are needed, got " + std::string(name_of(type)));
}

}  // namespace likely::detail
