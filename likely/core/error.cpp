#include "likely/core/error.hpp"

namespace likely {

void refuse(std::string_view operation, const std::string& message) {
  throw Error("[" + std::string(operation) + "] " + message);
}

}  // namespace likely
