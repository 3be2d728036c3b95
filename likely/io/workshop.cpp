#include "likely/io/workshop.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "likely/io/rename.hpp"

namespace likely::io::detail {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kBeginning = ".likely-figure-";
constexpr std::string_view kRest = "XXXXXX";

// -1 where somebody else has it. Unlike the lock of a folder of results, one that cannot be had is none: what
// is alive is not to be removed.
int open_locked(const fs::path& folder) {
  const int file =
      away_from_standard_streams(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  if (file >= 0) close(file);
  return -1;
}

void remove_dead_ones(const fs::path& in) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator at(in, failed), end; !failed && at != end; at.increment(failed)) {
    if (is_workshop(at->path())) found.push_back(at->path());
  }
  for (const fs::path& one : found) remove_dead_workshop(one);
}

}  // namespace

bool is_workshop(const fs::path& path) {
  const std::string name = path.filename().string();
  struct stat there {};
  return name.starts_with(kBeginning) && name.size() == kBeginning.size() + kRest.size() &&
         lstat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode) && there.st_uid == geteuid();
}

void remove_dead_workshop(const fs::path& path) {
  const int file = open_locked(path);
  if (file < 0) return;
  std::error_code failed;
  fs::remove_all(path, failed);
  close(file);
}

int Workshop::make(const fs::path& in) {
  remove_dead_ones(in);
  // Somebody who tidies up may be quicker than the lock: then another is made.
  for (int attempts = 0; attempts < 100; ++attempts) {
    std::string name = (in / kBeginning).string() + std::string(kRest);
    if (mkdtemp(name.data()) == nullptr) return errno;
    file_ = open_locked(name);
    struct stat made {};
    const bool is_gone = file_ < 0 ? lstat(name.c_str(), &made) != 0 || attempts < 10
                                   : fstat(file_, &made) == 0 && made.st_nlink == 0;
    if (!is_gone) {  // also where the file system knows no locks
      path_ = name;
      return 0;
    }
    if (file_ >= 0) close(file_);
    file_ = -1;
    rmdir(name.c_str());
  }
  return EEXIST;
}

Workshop::~Workshop() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (file_ >= 0) close(file_);
}

}  // namespace likely::io::detail
