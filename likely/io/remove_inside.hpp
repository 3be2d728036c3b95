// Removing something in a folder that others may have had a hand in. Internal to io/.
#pragma once

#include <filesystem>

namespace likely::io::detail {

// Takes away the file, the link or the empty folder at a relative path, and nothing outside of the folder: a
// path that leads through a link, or upwards, is left alone.
void remove_inside(const std::filesystem::path& folder, const std::filesystem::path& inside);

}  // namespace likely::io::detail
