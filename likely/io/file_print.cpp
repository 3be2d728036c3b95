#include "likely/io/file_print.hpp"

#include <sys/stat.h>

namespace likely::io::detail {

std::optional<FilePrint> print_of(const std::filesystem::path& path, bool& there) {
  struct stat status {};
  there = lstat(path.c_str(), &status) == 0;
  if (!there || S_ISDIR(status.st_mode)) return std::nullopt;
  return FilePrint{status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

}  // namespace likely::io::detail
