// Which likely this is, and what it runs on.
#pragma once

#include <string>
#include <string_view>

namespace likely {

// The version of likely, "major.minor.patch".
std::string_view version();

// What a report about a result or a speed should say.
struct BuildInfo {
  std::string compiler;             // "g++ 12.2.0"
  std::string vector_instructions;  // the set that the kernels use on this processor, "AVX2"
};

BuildInfo build_info();

}  // namespace likely
