// By what a file is known again: it is the same one, and nobody has written to it. Internal to io/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace likely::io::detail {

struct FilePrint {
  std::uint64_t number = 0;  // of the file in its file system
  std::int64_t size = 0, seconds = 0, nanoseconds = 0;
  bool operator==(const FilePrint&) const = default;
};

// Of a file or of a link itself. Nothing where there is nothing, which `there` tells apart from a folder.
std::optional<FilePrint> print_of(const std::filesystem::path& path, bool& there);

}  // namespace likely::io::detail
