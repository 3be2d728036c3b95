#include "likely/io/file_print.hpp"

#include <fcntl.h>

#include <algorithm>

namespace likely::io::detail {

FilePrint print_of(const struct stat& status) {
  return {status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

std::optional<FilePrint> print_of(const std::filesystem::path& path, bool& there) {
  struct stat status {};
  there = lstat(path.c_str(), &status) == 0;
  if (!there || S_ISDIR(status.st_mode)) return std::nullopt;
  return print_of(status);
}

Prints prints_of(const std::filesystem::path& path) {
  bool there = false;
  const std::optional<FilePrint> print = print_of(path, there);
  return print ? Prints{*print} : Prints{};
}

bool is_noted(const FilePrint& print, const Prints& noted) {
  return std::any_of(noted.begin(), noted.end(), [&](const FilePrint& one) {
    if (one.nanoseconds == FilePrint::kAnyTime) return one.number == print.number && one.size == print.size;
    return one == print;
  });
}

std::optional<FolderPrint> folder_print_of(const std::filesystem::path& folder) {
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
  FolderPrint print{status.st_dev, status.st_ino};
#ifdef STATX_BTIME
  struct statx more {};
  if (statx(AT_FDCWD, folder.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &more) == 0 &&
      (more.stx_mask & STATX_BTIME) != 0) {
    print.seconds = more.stx_btime.tv_sec;
    print.nanoseconds = more.stx_btime.tv_nsec;
  }
#endif
  return print;
}

}  // namespace likely::io::detail
