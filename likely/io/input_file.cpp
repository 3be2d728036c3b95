#include "likely/io/input_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"

namespace likely::io {

InputFile::InputFile(std::string reader, std::filesystem::path path)
    : reader_(std::move(reader)), path_(std::move(path)) {
  if (path_.native().find('\0') != std::string::npos)
    likely::refuse(reader_,
                   "cannot open " + printable(path_.string()) + ": the path holds a character of code 0");
  // Opening a pipe would wait for somebody to write into it.
  file_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file_ < 0)
    likely::refuse(reader_, "cannot open " + path_.string() + ": " + std::generic_category().message(errno));
  struct stat status {};
  const bool known = fstat(file_, &status) == 0;
  if (!known || !S_ISREG(status.st_mode)) {
    close(file_);
    likely::refuse(reader_, path_.string() + " is not a regular file");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() { close(file_); }

int InputFile::duplicate() const {
  const int copy = fcntl(file_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) refuse("cannot open: " + std::generic_category().message(errno));
  return copy;
}

void InputFile::read(std::uint64_t offset, void* to, std::size_t count) const {
  if (offset > size_ || count > size_ - offset) {
    refuse("the file ends at byte " + std::to_string(size_) + ", " + std::to_string(count) +
           " bytes were expected from byte " + std::to_string(offset) + " on");
  }
  auto* target = static_cast<char*>(to);
  while (count > 0) {
    constexpr std::size_t kMost = std::size_t{1} << 30;  // the system moves at most 2 GiB at a time
    const ssize_t got = pread(file_, target, std::min(count, kMost), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse("cannot read: " + std::generic_category().message(errno));
    if (got == 0) refuse("the file became shorter while it was read");
    target += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

void InputFile::refuse(const std::string& message) const {
  likely::refuse(reader_, path_.string() + ": " + message);
}

MappedFile::MappedFile(std::string reader, std::filesystem::path path)
    : file_(std::move(reader), std::move(path)) {
  if (file_.size() == 0) return;
  memory_ = mmap(nullptr, file_.size(), PROT_READ, MAP_PRIVATE, file_.file_, 0);
  if (memory_ == MAP_FAILED) file_.refuse("cannot map: " + std::generic_category().message(errno));
}

MappedFile::~MappedFile() {
  if (memory_ != nullptr) munmap(memory_, file_.size());
}

}  // namespace likely::io
