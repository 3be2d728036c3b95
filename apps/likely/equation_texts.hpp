// The texts of docs/equations, which the build puts into the command (cmake/embed_texts.cmake).
#pragma once

#include <string_view>
#include <vector>

namespace likely::command {

struct EquationText {
  std::string_view file;
  std::string_view text;
};

// In the order of the chapters.
const std::vector<EquationText>& equation_texts();

}  // namespace likely::command
