// Where a folder for results really is. Internal to io/ and runs/.
#pragma once

#include <filesystem>

namespace likely::io::detail {

// Absolute, without "." and "..", with links followed, as far as it is there already. Refuses a ".." behind a
// folder that is not there (`typo/../other` is a mistake, not a name for `other`), a path through a file, and
// links that lead nowhere.
std::filesystem::path canonical_folder(const std::filesystem::path& path);

// `--out runs/a/` is runs/a.
std::filesystem::path without_last_slashes(std::filesystem::path path);

}  // namespace likely::io::detail
