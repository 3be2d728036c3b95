// The header of an IDX file. Internal to io/.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "likely/io/element.hpp"

namespace likely::io {

struct IdxHeader {
  Element element;
  Shape shape;
  std::size_t bytes;  // of the header itself
};

// Calls read(to, count) for the next bytes of the file, and refuse(message), which does not return, where it
// is no IDX file.
IdxHeader read_idx_header(const std::function<void(void*, std::size_t)>& read,
                          const std::function<void(const std::string&)>& refuse);

}  // namespace likely::io
