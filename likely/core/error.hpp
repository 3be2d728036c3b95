// Errors: every refusal names the operation, the argument and the values that were wrong.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace likely {

// What is to blame for an error: what was asked for, or the machine, which has no memory for it.
enum class Fault { input, memory };

// What every refused call throws. The message reads "[matmul] inner dimensions differ: (2, 3) x (4, 5)". Who
// catches one and throws another in its place keeps the fault.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message, Fault fault = Fault::input)
      : std::runtime_error(message), fault_(fault) {}

  Fault fault() const { return fault_; }

 private:
  Fault fault_;
};

// Throws Error with "[operation] message".
[[noreturn]] void refuse(std::string_view operation, const std::string& message);
// Throws Error with "[operation] out of memory: message" and the fault of memory.
[[noreturn]] void refuse_memory(std::string_view operation, const std::string& message);

}  // namespace likely
