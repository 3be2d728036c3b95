#include "likely/io/file_pair.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <set>
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

// What the two held, until all is done: the first has it as a second name, the second only this one. The
// second may be another pair's second, too, whose first has another ending: the name says of which.
fs::path hidden_first(const fs::path& first) { return detail::beside(first, detail::Beside::earlier); }
fs::path hidden_second(const fs::path& first, const fs::path& second) {
  const std::string name = second.filename().string() + ".of-" + first.filename().string();
  return detail::beside(second.parent_path() / name, detail::Beside::earlier);
}
// What was committed: the names of the two and by what they are known again.
fs::path list_of(const fs::path& first) { return detail::beside(first, detail::Beside::unfinished); }
// A sign in the list: there was no first one before.
constexpr const char* kFirstIsNew = "first is new";

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : "."; }

bool is_plain(const fs::path& path) {
  std::error_code failed;
  return fs::symlink_status(path, failed).type() == fs::file_type::regular;
}

// A plain file under one of our names that no stranger can have put there.
bool is_left_by_us(const fs::path& path) {
  struct stat left {};
  return lstat(path.c_str(), &left) == 0 && S_ISREG(left.st_mode) &&
         detail::is_of_ours(left, folder_of(path));
}

void unlink_ours(const fs::path& path) {
  if (is_left_by_us(path)) unlink(path.c_str());
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

// What a process has left that was to replace two files, or this one at work.
class Left {
 public:
  Left(const fs::path& first, const fs::path& second)
      : first_(first),
        second_(second),
        old_first_(hidden_first(first)),
        old_second_(hidden_second(first, second)),
        has_list_(is_left_by_us(list_of(first))) {
    if (!has_list_) return;
    list_ = detail::read_list(list_of(first));
    if (list_ && list_->folder != detail::folder_print_of(fs::canonical(folder_of(first)))) list_.reset();
  }

  std::vector<std::string> put_in_order() const {
    if (!has_list_ && !is_left_by_us(old_first_) && !is_left_by_us(old_second_)) return {};
    if (is_ours(second_)) {
      finish();
      return {};
    }
    const bool is_first_ours = is_ours(first_);
    if (is_first_ours && list_->signs.contains(kFirstIsNew)) unlink(first_.c_str());
    if (is_there(second_)) return keep();
    const bool comes_back = is_left_by_us(old_first_)
                                ? !is_there(first_) || is_same_file(old_first_, first_) || is_first_ours
                                : !is_there(first_) || !has_list_;
    if (!comes_back) return keep();
    roll_back();
    return {};
  }

  // Both are new, or what they were is theirs again.
  void finish() const {
    unlink_ours(old_first_);
    unlink_ours(old_second_);
    unlink_ours(list_of(first_));
  }

 private:
  // Whether the file is the one that was committed, as it was then.
  bool is_ours(const fs::path& path) const {
    if (!list_) return false;
    const auto noted = list_->noted.find(path.filename());
    bool there = false;
    const auto print = detail::print_of(path, there);
    return print && noted != list_->noted.end() && detail::is_noted(*print, noted->second);
  }

  // The first one first, and its second name last: whoever dies in between leaves this to be done again.
  void roll_back() const {
    if (is_left_by_us(old_first_) && !is_same_file(old_first_, first_)) {
      const fs::path third = detail::unfinished_version(first_);
      if (link(old_first_.c_str(), third.c_str()) != 0 || std::rename(third.c_str(), first_.c_str()) != 0) {
        unlink(third.c_str());
        return;  // for the next one
      }
    }
    if (is_left_by_us(old_second_) && detail::rename_new(old_second_, second_) != 0) return;
    finish();
  }

  // The first one last, for the same reason.
  std::vector<std::string> keep() const {
    std::vector<std::string> names;
    const auto put_beside = [&](const fs::path& path, const fs::path& old) {
      if (!is_left_by_us(old) || is_same_file(old, path)) return true;
      names.push_back(detail::put_beside(path, old));
      return !names.back().empty();
    };
    if (!put_beside(second_, old_second_) || !put_beside(first_, old_first_)) return {};  // for the next one
    finish();
    if (names.empty()) return {};
    return {fmt::format(
        "a command that was to replace {} was killed, and the files are others by now: what it was to "
        "replace is kept as {}",
        first_.string(), fmt::join(names, " and "))};
  }

  fs::path first_, second_, old_first_, old_second_;
  bool has_list_;
  std::optional<detail::FolderList> list_;
};

}  // namespace

// A file of its own: it also holds where the two are not there yet. Whoever removes it holds it.
detail::PairLock::PairLock(const fs::path& file) : path_(detail::beside(file, Beside::lock)) {
  for (;;) {
    file_ = detail::away_from_standard_streams(
        open(path_.c_str(), O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
    if (file_ < 0 && errno != ELOOP) return;  // writing will say why
    struct stat opened {};
    if (file_ < 0 || fstat(file_, &opened) != 0 || !S_ISREG(opened.st_mode)) {
      release_without_removing();
      throw Error(fmt::format("{} cannot be written to: {} is in the way of its lock", file.string(),
                              path_.filename().string()));
    }
    taken_ = !detail::try_lock(file_);
    struct stat there {};
    const bool same =
        lstat(path_.c_str(), &there) == 0 && there.st_dev == opened.st_dev && there.st_ino == opened.st_ino;
    if (!taken_ && same) return;
    release_without_removing();
    if (taken_) return;
  }
}

detail::PairLock::~PairLock() { release(); }

void detail::PairLock::release() {
  if (file_ >= 0) unlink(path_.c_str());
  release_without_removing();
}

void detail::PairLock::release_without_removing() {
  if (file_ >= 0) close(file_);
  file_ = -1;
}

FilePair::FilePair(fs::path first, fs::path second, bool replace)
    : first_(std::move(first)), second_(std::move(second)), first_lock_(first_) {
  const auto fail = [](const fs::path& path, int error) {
    if (error == EEXIST) throw FolderRefusal(FolderRefusal::Why::taken, path);
    fail_writing(fmt::format("cannot replace {}: {}", path.string(), std::generic_category().message(error)),
                 error);
  };
  if (first_lock_.taken()) throw FolderRefusal(FolderRefusal::Why::taken, first_);
  // Only with the first: of two processes that hold one each, both would be refused.
  second_lock_.emplace(second_);
  if (second_lock_->taken()) throw FolderRefusal(FolderRefusal::Why::taken, second_);
  first_is_new_ = !is_there(first_);
  if (!replace) return;
  const fs::path old_first = hidden_first(first_), old_second = hidden_second(first_, second_);
  if (is_plain(first_) && link(first_.c_str(), old_first.c_str()) != 0) {
    // Where there are no second names the first one cannot come back; the rest holds.
    if (errno == EEXIST || is_of_disk(errno)) fail(first_, errno);
  }
  if (!is_plain(second_)) return;
  if (const int error = detail::rename_new(second_, old_second); error != 0) {
    if (is_same_file(old_first, first_)) unlink(old_first.c_str());
    fail(second_, error);
  }
}

FilePair::~FilePair() {
  if (settled_) return;
  try {
    list_.end();
    Left(first_, second_).put_in_order();
  } catch (const std::exception&) {  // no memory: for the next one
  }
}

// Before it has its name: whoever finds it must be able to tell whose it is.
void FilePair::note(const fs::path& unfinished) {
  const fs::path& becomes = noted_++ == 0 ? first_ : second_;
  const auto folder = detail::folder_print_of(fs::canonical(folder_of(first_)));
  std::set<std::string> signs;
  if (first_is_new_) signs.insert(kFirstIsNew);
  int error = !folder ? ENOENT : list_.is_open() ? 0 : list_.begin(list_of(first_), *folder, signs);
  if (error == 0) error = list_.note({{becomes.filename(), detail::prints_of(unfinished)}});
  if (error == 0) error = list_.sync();
  if (error == 0) return;
  fail_writing(fmt::format("cannot replace {}: {}", becomes.string(), std::generic_category().message(error)),
               error);
}

void FilePair::done() {
  settled_ = true;
  Left(first_, second_).finish();
  first_lock_.release();
  second_lock_->release();
}

std::vector<std::string> settle_pair(const fs::path& first, const fs::path& second) {
  const detail::PairLock first_lock(first);
  if (first_lock.taken()) return {};
  const detail::PairLock second_lock(second);
  if (second_lock.taken()) return {};
  return Left(first, second).put_in_order();
}

}  // namespace likely::io
