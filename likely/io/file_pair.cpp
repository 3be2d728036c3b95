#include "likely/io/file_pair.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "likely/io/disk_error.hpp"
#include "likely/io/file_print.hpp"
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

bool is_there(const fs::path& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

// What was committed: the names of the two and by what they are known again.
fs::path list_of(const fs::path& first) { return detail::beside(first, detail::Beside::unfinished); }

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : "."; }

bool is_ours(const fs::path& path, const fs::path& first) {
  const auto list = detail::read_list(list_of(first));
  if (!list || list->folder != detail::folder_print_of(fs::canonical(folder_of(first)))) return false;
  const auto noted = list->noted.find(path.filename());
  bool there = false;
  const auto print = detail::print_of(path, there);
  return print && noted != list->noted.end() && detail::is_noted(*print, noted->second);
}

void finish(const fs::path& first, const fs::path& second) {
  unlink(hidden(first).c_str());
  unlink(hidden(second).c_str());
  unlink(list_of(first).c_str());
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
  finish(first, second);
}

// The first one last, for the same reason.
std::vector<std::string> keep(const fs::path& first, const fs::path& second) {
  std::vector<std::string> names;
  for (const fs::path& path : {second, first}) {
    if (!is_plain(hidden(path))) continue;
    if (path == first && is_same_file(hidden(first), first)) continue;
    names.push_back(detail::put_beside(path, hidden(path)));
    if (names.back().empty()) return {};  // for the next one
  }
  finish(first, second);
  if (names.empty()) return {};
  return {fmt::format(
      "a command that was to replace {} was killed, and the files are others by now: what it was to "
      "replace is kept as {}",
      first.string(), fmt::join(names, " and "))};
}

std::vector<std::string> put_in_order(const fs::path& first, const fs::path& second) {
  const fs::path waiting = hidden(first);
  if (is_ours(second, first)) {
    finish(first, second);
  } else if (is_there(second)) {
    return keep(first, second);
  } else if (is_plain(waiting) ? !is_there(first) || is_same_file(waiting, first) || is_ours(first, first)
                               : !is_there(first)) {
    roll_back(first, second);
  } else if (is_plain(waiting)) {
    return keep(first, second);
  }
  return {};
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
  first_is_new_ = !is_there(first_);
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
  if (settled_) return;
  try {
    if (first_is_new_ && !is_there(second_) && is_ours(first_, first_)) unlink(first_.c_str());
    put_in_order(first_, second_);
    if (first_is_new_ && !is_there(hidden(second_))) unlink(list_of(first_).c_str());
  } catch (const std::exception&) {  // no memory: for the next one
  }
}

// Before it has its name: whoever finds it must be able to tell whose it is.
void FilePair::note(const fs::path& unfinished) {
  const fs::path& becomes = noted_++ == 0 ? first_ : second_;
  const auto folder = detail::folder_print_of(fs::canonical(folder_of(first_)));
  int error = !folder ? ENOENT : list_.is_open() ? 0 : list_.begin(list_of(first_), *folder);
  if (error == 0) error = list_.note({{becomes.filename(), detail::prints_of(unfinished)}});
  if (error == 0) error = list_.sync();
  if (error == 0) return;
  fail_writing(fmt::format("cannot replace {}: {}", becomes.string(), std::generic_category().message(error)),
               error);
}

void FilePair::done() {
  settled_ = true;
  finish(first_, second_);
  lock_.release();
}

std::vector<std::string> settle_pair(const fs::path& first, const fs::path& second) {
  const detail::PairLock lock(first);
  if (lock.taken()) return {};
  return put_in_order(first, second);
}

}  // namespace likely::io
