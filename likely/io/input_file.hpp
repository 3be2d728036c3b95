// Reading files at any place: by copying, or by looking at them in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace likely::io {

// An open file. `reader` names who refuses what is wrong with it, as in "[load_idx] digits.idx: ...".
// Refuses, without waiting, what is no regular file, such as a pipe or a device. All readers of files begin
// here.
class InputFile {
 public:
  InputFile(std::string reader, std::filesystem::path path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  // These bytes of the file. Refuses what lies behind its end.
  void read(std::uint64_t offset, void* to, std::size_t count) const;
  // Another descriptor of the open file, which the caller closes: the path may lead to another file by now.
  int duplicate() const;
  // "[reader] path: message".
  [[noreturn]] void refuse(const std::string& message) const;

 private:
  friend class MappedFile;

  std::string reader_;
  std::filesystem::path path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

// A file seen as memory: the system reads the pages that are looked at and forgets them when memory is short,
// so it may be larger than memory. It must not be made shorter while somebody looks.
class MappedFile {
 public:
  MappedFile(std::string reader, std::filesystem::path path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(memory_), file_.size()}; }
  const InputFile& file() const { return file_; }

 private:
  InputFile file_;
  void* memory_ = nullptr;
};

}  // namespace likely::io
