// Text files, plain or packed with gzip.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace likely::io {

// The whole of a file.
std::string read_text(const std::filesystem::path& path);
// Its lines, without their ends (\n or \r\n).
std::vector<std::string> read_lines(const std::filesystem::path& path);

}  // namespace likely::io
