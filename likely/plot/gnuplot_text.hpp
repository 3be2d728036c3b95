// Text of others as gnuplot reads it. Internal to plot/.
#pragma once

#include <string>
#include <string_view>

namespace likely::plot {

// A string of gnuplot that is shown as `text`, whatever is in it. Ends of lines become spaces, and what
// cannot be shown its code (core/printable.hpp).
std::string quoted_text(std::string_view text);

// The same for marks of an axis, which gnuplot takes for formats of numbers.
std::string quoted_mark(std::string_view text);

// The file of this name in the folder that gnuplot runs in. The name must hold nothing that `quoted_text`
// changes.
std::string quoted_file(std::string_view name);

}  // namespace likely::plot
