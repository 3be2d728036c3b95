// Parts of a model meant by their names.
#pragma once

#include <string_view>

namespace likely {

// Whether a dotted name fits a pattern, in which `*` stands for any characters (none and dots too) and `|`
// separates alternatives: "encoder.3.bias" fits "*.bias" and "norm.*|encoder.*".
bool name_fits(std::string_view name, std::string_view pattern);

}  // namespace likely
