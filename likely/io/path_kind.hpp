// What a path leads to.
#pragma once

#include <filesystem>

namespace likely::io {

// Whether there is anything, and whether it is a folder. Both refuse a path that the system cannot follow,
// such as one that is too long, with the system's reason.
bool path_exists(const std::filesystem::path& path);
bool is_folder(const std::filesystem::path& path);

}  // namespace likely::io
