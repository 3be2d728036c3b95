// A folder for the files of one test, gone with the test.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace likely::testing {

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  // The names of what it holds, sorted, with spaces between them.
  std::string list() const;

 private:
  std::filesystem::path path_;
};

// Plain reading and writing, to compare with and to prepare broken files.
std::string read_bytes(const std::filesystem::path& path);
void write_bytes(const std::filesystem::path& path, std::string_view bytes);

}  // namespace likely::testing
