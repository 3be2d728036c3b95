#include "likely/io/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <system_error>

#include "likely/io/folder_leftovers.hpp"
#include "likely/io/folder_path.hpp"
#include "likely/io/made_record.hpp"
#include "likely/io/rename.hpp"
#include "likely/io/unfinished_file.hpp"

namespace likely::io {

namespace fs = std::filesystem;

namespace {

using Identity = std::pair<dev_t, ino_t>;

// The system's locks do not tell the parts of a process apart, so the process keeps its own list: the folders
// it holds, and whether a part of the work shares the lock.
std::mutex guard;
std::map<Identity, bool> held;

std::string message_of(int error) { return error == 0 ? "" : std::generic_category().message(error); }

std::string text_of(FolderRefusal::Why why, const fs::path& folder, const std::string& reason) {
  switch (why) {
    case FolderRefusal::Why::taken: return fmt::format("another process is writing to {}", folder.string());
    case FolderRefusal::Why::missing: return fmt::format("{}: there is no such folder", folder.string());
    case FolderRefusal::Why::cannot_make:
      return fmt::format("cannot make the folder {}: {}", folder.string(), reason);
    case FolderRefusal::Why::cannot_open: break;
  }
  return fmt::format("cannot open the folder {}: {}", folder.string(), reason);
}

bool identify(const fs::path& path, Identity& identity) {
  struct stat there {};
  if (stat(path.c_str(), &there) != 0) return false;
  identity = {there.st_dev, there.st_ino};
  return true;
}

int open_folder(const fs::path& folder) {
  return detail::away_from_standard_streams(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace

FolderRefusal::FolderRefusal(Why what, const fs::path& folder, int of_system)
    : Error(text_of(what, folder, message_of(of_system))),
      why(what),
      reason(message_of(of_system)),
      error(of_system) {}

FolderLock::FolderLock(const fs::path& folder, const FolderLockOptions& options)
    : path_(detail::canonical_folder(folder)) {
  try {
    // The folder may be taken away or exchanged between finding and locking it, also by what was put in
    // order: then it is looked for again.
    for (int attempts = 0;; ++attempts) {
      if (attempts == 100) throw FolderRefusal(FolderRefusal::Why::taken, folder);
      if (options.leftovers != Leftovers::leave) detail::put_back_displaced(path_);
      detail::check_place(folder / ".");
      if (options.make) make_missing(folder);
      if (!take(folder, options)) continue;
      if (shares_) break;
      for (std::string& one : detail::settle_leftovers(path_, folder, options.leftovers))
        told_.push_back(std::move(one));
      if (guards(path_)) break;
      release();
    }
  } catch (...) {
    release();
    throw;
  }
}

FolderLock::~FolderLock() { release(); }

void FolderLock::release() {
  for (auto made = made_.rbegin(); made != made_.rend(); ++made) {
    // Another one in its place is somebody's, empty or not.
    const bool is_another = *made == path_ && folder_ != Identity{} && !guards(path_);
    if (!is_another) rmdir(made->c_str());
  }
  made_.clear();
  const std::lock_guard lock(guard);
  // The owner may be gone by now.
  if (const auto owner = held.find(folder_); shares_ && owner != held.end()) owner->second = false;
  shares_ = false;
  if (file_ < 0) return;
  held.erase(folder_);
  close(file_);  // and with it the system's lock
  file_ = -1;
}

void FolderLock::make_missing(const fs::path& shown) {
  std::vector<fs::path> missing;
  std::error_code failed;
  for (fs::path part = path_; !fs::exists(part, failed) && part.has_relative_path();
       part = part.parent_path())
    missing.push_back(part);
  std::reverse(missing.begin(), missing.end());
  for (const fs::path& part : missing) {
    made_.push_back(part);  // before it is: nothing may stay because there is no memory to note it
    detail::note_making(part, {});
    if (mkdir(part.c_str(), 0777) == 0) {
      note_made(part);
      continue;
    }
    const int error = errno;
    made_.pop_back();
    // Somebody took the one around it away meanwhile: it is looked for again.
    if (error == ENOENT && !fs::exists(part.parent_path(), failed)) return;
    if (error != EEXIST) throw FolderRefusal(FolderRefusal::Why::cannot_make, shown, error);
  }
}

bool FolderLock::take(const fs::path& shown, const FolderLockOptions& options) {
  const int file = open_folder(path_);
  if (file < 0) {
    if (errno == ENOENT && options.make) return false;
    if (errno == ENOENT) throw FolderRefusal(FolderRefusal::Why::missing, shown);
    throw FolderRefusal(FolderRefusal::Why::cannot_open, shown, errno);
  }
  struct stat opened {};
  fstat(file, &opened);
  folder_ = {opened.st_dev, opened.st_ino};
  const std::lock_guard lock(guard);
  const auto mine = held.find(folder_);
  if (mine != held.end()) {
    close(file);
    if (!options.within || mine->second) throw FolderRefusal(FolderRefusal::Why::taken, shown);
    mine->second = true;
    shares_ = true;
    return true;
  }
  if (!detail::try_lock(file)) {
    close(file);
    throw FolderRefusal(FolderRefusal::Why::taken, shown);
  }
  if (!guards(path_)) {
    close(file);
    return false;
  }
  file_ = file;
  held[folder_] = options.within;  // what is a part already has no parts
  return true;
}

void FolderLock::tidy() const { detail::remove_unfinished_files(path_); }

bool FolderLock::guards(const fs::path& path) const {
  Identity there;
  return identify(path, there) && there == folder_;
}

namespace detail {

bool try_lock(int file) {
  // Some file systems know no locks: then there is nothing to be told.
  return flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

void refuse_used_below(const fs::path& folder, const fs::path& shown) {
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code unknown;
    if (!at->is_directory(unknown) || at->is_symlink(unknown)) continue;
    const int file = open_folder(at->path());
    if (file < 0) continue;
    const bool free = try_lock(file);
    close(file);
    if (!free) throw FolderRefusal(FolderRefusal::Why::taken, shown / at->path().lexically_relative(folder));
  }
}

}  // namespace detail

}  // namespace likely::io
