// Archives made by hand, whose sizes, places and checksums may lie.
#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/choices.hpp"

namespace likely::fuzz {

struct RawMember {
  std::string name;
  std::string bytes;  // unpacked
};

// A zip archive, members packed or stored.
std::string zip_of(const std::vector<RawMember>& members, Choices& choices);
// One or more gzip members that make up a text, with optional fields in their headers.
std::string gzip_of(const std::string& text, Choices& choices);

}  // namespace likely::fuzz
