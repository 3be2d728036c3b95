// JSON that is well-formed and says something else than it should.
#pragma once

#include <string>

#include "tests/fuzz/choices.hpp"

namespace likely::fuzz {

// The text with some of its values changed, taken out, given another type or name, or nested deeply. What is
// no JSON stays as it is.
std::string distorted_json(const std::string& text, Choices& choices);

}  // namespace likely::fuzz
