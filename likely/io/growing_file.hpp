// GrowingFile: a file of results that grows line by line, while others may read it. Only for io/ and
// train/.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string_view>

namespace likely::io::detail {

// What it writes is known as this process's own (made_record.hpp), also where the process is killed.
class GrowingFile {
 public:
  // Goes on after the first bytes of what is there; the rest is cut off. With 0 bytes the file is made anew,
  // and one of somebody else's is set aside. Refuses, in the name of the caller, a file that cannot be
  // written.
  GrowingFile(const char* caller, std::filesystem::path path, std::int64_t bytes);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  // Appends one line, which the system has when this returns. Throws DiskError where it does not fit.
  void append(std::string_view line);
  std::int64_t bytes() const { return bytes_; }

 private:
  const char* caller_;
  std::filesystem::path shown_, path_;  // as it was named, and wherever this process works meanwhile
  std::FILE* file_ = nullptr;
  std::int64_t bytes_;
};

}  // namespace likely::io::detail
