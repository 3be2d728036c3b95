// AtomicFile: a file that appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

namespace likely::io {

struct AtomicFileOptions {
  bool replace = true;  // a file that is there; else it is refused, now or at the end
};

using BeforeNaming = std::function<void(const std::filesystem::path& unfinished)>;

// Writes to a temporary name beside the target. commit() puts what was written on the disk and gives it the
// target's name in one step; without it the destructor takes everything away and the target stays as it was.
//
//   io::AtomicFile file("runs/mlp/config.json");
//   file.write(text);
//   file.commit();
//
// A file that is replaced keeps its rights, and its owner where that is allowed. A link stays: the file that
// it leads to is replaced. What is no file (a device, a pipe) is written to, piece by piece.
//
// In a folder in which this process makes results (io/made_record.hpp) it replaces only what it has written
// itself: anything else is set aside, as NAME.kept.
//
// Refuses, with the system's reason, a folder that does not exist or cannot be written to, a file that may
// not be written, and, as a DiskError, a full disk.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path target, const AtomicFileOptions& options = {});
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* bytes, std::size_t count);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // The number of bytes written so far.
  std::uint64_t size() const { return size_; }
  // Once, at the end. `before` is told under which name the whole file lies before it takes the target's.
  void commit(const BeforeNaming& before = {});

 private:
  void open_in_place();
  void open_temporary();
  void keep_rights() const;
  void flush();
  void write_through(const char* bytes, std::size_t count);
  void discard();
  int put_in_place() const;
  void note_put() const;
  [[noreturn]] void fail(const char* doing, int error);

  std::filesystem::path target_;     // as it was named
  std::filesystem::path place_;      // where its links lead
  std::filesystem::path temporary_;  // empty: `place_` is written to
  AtomicFileOptions options_;
  bool new_ = false;
  int file_ = -1;
  std::uint64_t size_ = 0;
  std::vector<char> buffer_;
};

// The whole of a small file at once.
void write_file(const std::filesystem::path& target, std::string_view contents);

}  // namespace likely::io
