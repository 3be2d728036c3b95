// Removing something in a folder that others may have had a hand in. Internal to io/.
#pragma once

#include <filesystem>

#include "likely/io/file_print.hpp"

namespace likely::io::detail {

// Takes away the file or link at a relative path if it is one of those that were noted, or, where none was,
// the folder if it is empty. Nothing outside of the folder: a path that leads through a link, or upwards, is
// left alone.
void remove_inside(const std::filesystem::path& folder, const std::filesystem::path& inside,
                   const Prints& noted);

// All that was noted.
void remove_noted(const std::filesystem::path& folder, const Noted& noted);

}  // namespace likely::io::detail
