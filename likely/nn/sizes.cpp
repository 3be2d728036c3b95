#include "likely/nn/sizes.hpp"

#include <string>

#include "likely/core/error.hpp"

namespace likely::nn {

void detail::check_size(const char* layer, const char* what, std::int64_t size) {
  if (size < 1) refuse(layer, std::string(what) + " must be >= 1, got " + std::to_string(size));
}

}  // namespace likely::nn
