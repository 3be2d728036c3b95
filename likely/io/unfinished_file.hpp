// Files that are being written, and what is left of them where the writer was killed. Internal to io/.
//
// While a file is written it is called .NAME.<process>.<count>.likely-tmp, and locked by its writer; while a
// picture is drawn, where there is no other place, there is a folder .likely-figure-<six characters> beside
// it.
#pragma once

#include <filesystem>
#include <string>

namespace likely::io::detail {

// The name under which a file is written by now, and which no other process uses.
std::filesystem::path unfinished_version(const std::filesystem::path& file);

// Whether this is such a name.
bool is_unfinished_file(const std::string& name);

// Removes files that were never finished and whose writer is gone: all in a folder, whose lock is held, and
// below it; or those that were to become one file.
void remove_unfinished_files(const std::filesystem::path& folder);
void remove_unfinished_versions(const std::filesystem::path& file);

}  // namespace likely::io::detail
