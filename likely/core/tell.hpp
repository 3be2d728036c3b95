// What is said to a person who watches.
#pragma once

#include <string_view>

namespace likely {

// Writes to the standard error at once. Work does not fail because nobody can be told of it: a stream that is
// closed or full is passed over.
void tell(std::string_view text);

}  // namespace likely
