#include "likely/core/tell.hpp"

#include <cstdio>

namespace likely {

void tell(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace likely
