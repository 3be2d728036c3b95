// Errors: every refusal names the operation, the argument and the values that were wrong.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace likely {

// What every refused call throws. The message reads "[matmul] inner dimensions differ: (2, 3) x (4, 5)".
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

// Throws Error with "[operation] message".
[[noreturn]] void refuse(std::string_view operation, const std::string& message);

}  // namespace likely
