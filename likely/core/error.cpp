#include "likely/core/error.hpp"

namespace likely {

void refuse(std::string_view operation, const std::string& message) {
  throw Error("[" + std::string(operation) + "] " + message);
}

void refuse_memory(std::string_view operation, const std::string& message) {
  throw Error("[" + std::string(operation) + "] out of memory: " + message, Fault::memory);
}

}  // namespace likely
