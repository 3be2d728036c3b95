// By what a file is known again: it is the same one, and nobody has written to it. Only for io/.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

namespace likely::io::detail {

struct FilePrint {
  static constexpr std::int64_t kAnyTime = -1;

  std::uint64_t number = 0;  // of the file in its file system
  std::int64_t size = 0, seconds = 0, nanoseconds = 0;
  bool operator==(const FilePrint&) const = default;
};

// Of a file or of a link itself. Nothing where there is nothing, which `there` tells apart from a folder.
std::optional<FilePrint> print_of(const std::filesystem::path& path, bool& there);
FilePrint print_of(const struct stat& status);

// What was noted of a path: the file is one of these. Of a folder, nothing.
using Prints = std::vector<FilePrint>;
Prints prints_of(const std::filesystem::path& path);

// What was noted of the paths in a folder, relative to it. A folder sorts before what is in it.
using Noted = std::map<std::filesystem::path, Prints>;

// Whether a file is one of those that were noted. In a print that was noted before the file was written to,
// the nanoseconds are kAnyTime, and its time is not compared.
bool is_noted(const FilePrint& print, const Prints& noted);

// By what a folder is known again.
struct FolderPrint {
  std::uint64_t device = 0, number = 0;
  std::int64_t seconds = 0,
               nanoseconds = 0;  // when it was made, where the file system tells: numbers are used again
  bool operator==(const FolderPrint&) const = default;
};
// Nothing where there is no folder. A link is none.
std::optional<FolderPrint> folder_print_of(const std::filesystem::path& folder);

}  // namespace likely::io::detail
