#include "likely/io/atomic_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "likely/core/error.hpp"

namespace likely::io {

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;

// Hidden, beside the target (renaming does not cross file systems), and of this process alone.
std::filesystem::path temporary_name(const std::filesystem::path& target) {
  static std::atomic<unsigned> count{0};
  const std::string whose = std::to_string(getpid()) + "." + std::to_string(count.fetch_add(1));
  std::filesystem::path name = target.parent_path() / ".";
  name += target.filename();
  name += "." + whose + ".tmp";
  return name;
}

// So that the new name survives a power failure. Not every file system can do it, and the file itself is
// safe.
void sync_folder(const std::filesystem::path& folder) {
  const int file = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target) : target_(std::move(target)) {
  if (!target_.has_filename()) refuse("AtomicFile", "\"" + target_.string() + "\" does not name a file");
  if (std::filesystem::is_directory(target_)) refuse("AtomicFile", target_.string() + " is a folder");
  do {
    temporary_ = temporary_name(target_);
    file_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (file_ < 0 && errno == EEXIST);
  if (file_ < 0) fail("cannot create", errno);
  buffer_.reserve(kBuffer);
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() {
  if (file_ < 0) return;
  close(file_);
  file_ = -1;
  unlink(temporary_.c_str());
}

void AtomicFile::fail(const char* doing, int error) {
  discard();
  refuse("AtomicFile",
         std::string(doing) + " " + target_.string() + ": " + std::generic_category().message(error));
}

void AtomicFile::write(const void* bytes, std::size_t count) {
  if (file_ < 0) refuse("AtomicFile", target_.string() + " was committed or has failed already");
  size_ += count;
  const auto* from = static_cast<const char*>(bytes);
  if (buffer_.size() + count <= kBuffer) {
    buffer_.insert(buffer_.end(), from, from + count);
    return;
  }
  flush();
  write_through(from, count);
}

void AtomicFile::flush() {
  write_through(buffer_.data(), buffer_.size());
  buffer_.clear();
}

void AtomicFile::write_through(const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(file_, bytes, count);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("cannot write", errno);
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
}

void AtomicFile::commit() {
  if (file_ < 0) refuse("AtomicFile", target_.string() + " was committed or has failed already");
  flush();
  if (fsync(file_) != 0) fail("cannot write", errno);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) fail("cannot rename to", errno);
  close(file_);
  file_ = -1;
  sync_folder(target_.parent_path());
}

void write_file(const std::filesystem::path& target, std::string_view contents) {
  AtomicFile file(target);
  file.write(contents);
  file.commit();
}

}  // namespace likely::io
