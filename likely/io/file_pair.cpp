#include "likely/io/file_pair.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "likely/io/disk_error.hpp"
#include "likely/io/folder_leftovers.hpp"
#include "likely/io/folder_lock.hpp"
#include "likely/io/rename.hpp"
#include "likely/io/unfinished_file.hpp"

namespace likely::io {

namespace fs = std::filesystem;

namespace {

// The first has a second name until all is done, the second only this one.
fs::path hidden(const fs::path& path) { return detail::beside(path, detail::Beside::earlier); }

bool is_plain(const fs::path& path) {
  std::error_code failed;
  return fs::symlink_status(path, failed).type() == fs::file_type::regular;
}

bool is_same_file(const fs::path& one, const fs::path& other) {
  struct stat a {};
  struct stat b {};
  return lstat(one.c_str(), &a) == 0 && lstat(other.c_str(), &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

// The first one first, and its second name last: whoever dies in between leaves this to be done again.
void roll_back(const fs::path& first, const fs::path& second) {
  const fs::path waiting = hidden(first);
  if (is_plain(waiting) && !is_same_file(waiting, first)) {
    const fs::path third = detail::unfinished_version(first);
    if (link(waiting.c_str(), third.c_str()) != 0 || std::rename(third.c_str(), first.c_str()) != 0) {
      unlink(third.c_str());
      return;  // for the next one
    }
  }
  if (is_plain(hidden(second)) && detail::rename_new(hidden(second), second) != 0) return;
  unlink(waiting.c_str());
}

void finish(const fs::path& first, const fs::path& second) {
  unlink(hidden(second).c_str());
  unlink(hidden(first).c_str());
}

}  // namespace

// A file of its own: it also holds where the two are not there yet. Whoever removes it holds it.
detail::PairLock::PairLock(const fs::path& first) : path_(detail::beside(first, Beside::lock)) {
  for (;;) {
    file_ = detail::away_from_standard_streams(
        open(path_.c_str(), O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
    struct stat opened {};
    if (file_ < 0 || fstat(file_, &opened) != 0 || !S_ISREG(opened.st_mode)) break;  // writing will say why
    taken_ = !detail::try_lock(file_);
    struct stat there {};
    const bool same =
        lstat(path_.c_str(), &there) == 0 && there.st_dev == opened.st_dev && there.st_ino == opened.st_ino;
    if (taken_) break;
    if (same) return;
    close(file_);
  }
  if (file_ >= 0) close(file_);
  file_ = -1;
}

detail::PairLock::~PairLock() { release(); }

void detail::PairLock::release() {
  if (file_ < 0) return;
  unlink(path_.c_str());
  close(file_);
  file_ = -1;
}

FilePair::FilePair(fs::path first, fs::path second)
    : first_(std::move(first)), second_(std::move(second)), lock_(first_) {
  const auto fail = [](const fs::path& path, int error) {
    if (error == EEXIST) throw FolderRefusal(FolderRefusal::Why::taken, path);
    fail_writing(fmt::format("cannot replace {}: {}", path.string(), std::generic_category().message(error)),
                 error);
  };
  if (lock_.taken()) throw FolderRefusal(FolderRefusal::Why::taken, first_);
  if (is_plain(first_) && link(first_.c_str(), hidden(first_).c_str()) != 0) {
    // Where there are no second names the first one cannot come back; the rest holds.
    if (errno == EEXIST || is_of_disk(errno)) fail(first_, errno);
  }
  if (!is_plain(second_)) return;
  if (const int error = detail::rename_new(second_, hidden(second_)); error != 0) {
    unlink(hidden(first_).c_str());
    fail(second_, error);
  }
}

FilePair::~FilePair() {
  if (!settled_) roll_back(first_, second_);
}

void FilePair::done() {
  settled_ = true;
  finish(first_, second_);
  lock_.release();
}

void settle_pair(const fs::path& first, const fs::path& second) {
  const detail::PairLock lock(first);
  if (lock.taken()) return;
  if (is_plain(second)) {
    finish(first, second);
  } else if (is_plain(hidden(first)) || !fs::exists(first)) {
    roll_back(first, second);
  }
}

}  // namespace likely::io
