#include "likely/io/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/io/disk_error.hpp"
#include "likely/io/made_record.hpp"
#include "likely/io/rename.hpp"
#include "likely/io/unfinished_file.hpp"

namespace likely::io {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;
constexpr int kMostLinks = 40;  // as the system has it

// Descriptors under /proc lead to what is open already; a file there must not be replaced.
bool is_descriptor(const fs::path& path) {
  std::error_code failed;
  const fs::path folder = fs::canonical(fs::absolute(path).parent_path(), failed);
  return !failed && folder.string().starts_with("/proc/") && folder.filename() == "fd";
}

struct stat status_of(const fs::path& path, bool& there) {
  struct stat status {};
  there = stat(path.c_str(), &status) == 0;
  return status;
}

}  // namespace

AtomicFile::AtomicFile(fs::path target, const AtomicFileOptions& options)
    : target_(std::move(target)), place_(target_), options_(options) {
  buffer_.reserve(kBuffer);
  if (!target_.has_filename()) refuse("AtomicFile", "\"" + target_.string() + "\" does not name a file");
  detail::check_place(target_);
  // What somebody else put there is neither followed nor written to.
  const bool of_others = detail::whose(target_) == detail::Whose::others;
  std::error_code failed;
  for (int links = 0; !of_others && !is_descriptor(place_) && fs::is_symlink(place_, failed); ++links) {
    if (links == kMostLinks) fail("cannot create", ELOOP);
    const fs::path next = fs::read_symlink(place_, failed);
    if (failed) fail("cannot create", failed.value());
    place_ = next.is_absolute() ? next : place_.parent_path() / next;
  }
  bool there = false;
  const struct stat status = status_of(place_, there);
  if (of_others && !options_.replace) fail("cannot create", EEXIST);
  there = there && !of_others;
  if (there && S_ISDIR(status.st_mode))
    refuse("AtomicFile", detail::as_shown(target_).string() + " is a folder");
  new_ = !there;
  if (there && (!S_ISREG(status.st_mode) || is_descriptor(place_))) {
    open_in_place();
  } else {
    if (there && !options_.replace) fail("cannot create", EEXIST);
    if (there && access(place_.c_str(), W_OK) != 0) fail("cannot write", errno);
    open_temporary();
    if (there) keep_rights();
  }
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::open_in_place() {
  file_ =
      detail::away_from_standard_streams(open(place_.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC));
  if (file_ < 0) fail("cannot write", errno);
}

// Beside the target: renaming does not cross file systems. The lock says that the writer lives. Somebody who
// tidies up may have been quicker: then the file is gone when it is locked, and another is made.
void AtomicFile::open_temporary() {
  detail::remove_unfinished_versions(place_);
  for (;;) {
    temporary_ = detail::unfinished_version(place_);
    // The rights of a new file; those of one that is replaced follow before anything is in it.
    file_ = detail::away_from_standard_streams(
        open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file_ < 0 && errno == EEXIST) continue;
    if (file_ < 0) fail("cannot create", errno);
    flock(file_, LOCK_EX);
    struct stat made {};
    if (fstat(file_, &made) != 0 || made.st_nlink > 0) return;
    close(file_);
    file_ = -1;
  }
}

void AtomicFile::keep_rights() const {
  bool there = false;
  const struct stat status = status_of(place_, there);
  struct stat mine {};
  if (!there || fstat(file_, &mine) != 0) return;
  const bool same = mine.st_uid == status.st_uid && mine.st_gid == status.st_gid;
  // Another's rights are given only to what is another's.
  const bool given = same || fchown(file_, status.st_uid, status.st_gid) == 0;
  fchmod(file_, status.st_mode & (given ? 07777U : 0777U));
}

void AtomicFile::discard() {
  if (file_ < 0) return;
  if (!temporary_.empty()) unlink(temporary_.c_str());
  close(file_);
  file_ = -1;
}

void AtomicFile::fail(const char* doing, int error) {
  discard();
  fail_writing("AtomicFile",
               std::string(doing) + " " + detail::as_shown(target_).string() + ": " +
                   std::generic_category().message(error),
               error);
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

// Returns 0 or the system's error.
int AtomicFile::put_in_place() const {
  if (!options_.replace) return detail::rename_new(temporary_, place_);
  for (int attempts = 0; attempts < 100; ++attempts) {
    const detail::Whose whose = detail::whose(place_);
    if (whose == detail::Whose::others) {
      detail::set_aside(place_);
    } else if (whose == detail::Whose::nothing_there) {
      if (const int error = detail::rename_new(temporary_, place_); error != EEXIST) return error;
    } else {
      return std::rename(temporary_.c_str(), place_.c_str()) == 0 ? 0 : errno;
    }
  }
  return EEXIST;
}

void AtomicFile::note_put() const {
  if (new_) {
    note_made(place_);
    return;
  }
  try {
    detail::note_changed(place_);
  } catch (const std::exception&) {  // no memory: it will be taken for somebody else's, and kept
  }
}

void AtomicFile::commit(const BeforeNaming& before) {
  if (file_ < 0) refuse("AtomicFile", target_.string() + " was committed or has failed already");
  flush();
  if (temporary_.empty()) {
    const int file = std::exchange(file_, -1);  // closed in any case
    if (close(file) != 0) fail("cannot write", errno);
    return;
  }
  if (fsync(file_) != 0) fail("cannot write", errno);
  detail::check_place(target_);
  if (before) before(temporary_);
  detail::note_making(place_, detail::prints_of(temporary_));
  if (const int error = put_in_place(); error != 0) fail("cannot rename to", error);
  close(file_);
  file_ = -1;
  note_put();
  detail::sync_folder(place_.parent_path());
}

void write_file(const fs::path& target, std::string_view contents) {
  AtomicFile file(target);
  file.write(contents);
  file.commit();
}

}  // namespace likely::io
