// The check of the sizes that layers are made with. Internal to nn/.
#pragma once

#include <cstdint>

namespace likely::nn::detail {

// Refuses a size below 1, naming the layer and the argument.
void check_size(const char* layer, const char* what, std::int64_t size);

}  // namespace likely::nn::detail
