// Names that are too long for a picture or a table.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace likely::runs {

// The same names in at most so many bytes, which must be at least 12: the others end in "..". Names that
// would look alike then begin where they differ, and if that is not enough with their number, from 1.
std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t bytes);

}  // namespace likely::runs
