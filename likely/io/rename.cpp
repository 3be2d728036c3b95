#include "likely/io/rename.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace likely::io::detail {

namespace {

bool is_unknown_to_the_system(int error) { return error == EINVAL || error == ENOSYS || error == ENOTSUP; }

}  // namespace

int rename_new_by_hand(const std::filesystem::path& from, const std::filesystem::path& to) {
  struct stat there {};
  if (lstat(to.c_str(), &there) == 0) return EEXIST;
  struct stat moved {};
  if (lstat(from.c_str(), &moved) != 0) return errno;
  if (S_ISREG(moved.st_mode) && link(from.c_str(), to.c_str()) == 0)
    return unlink(from.c_str()) == 0 ? 0 : errno;
  if (S_ISREG(moved.st_mode) && errno == EEXIST) return EEXIST;
  if (std::rename(from.c_str(), to.c_str()) == 0) return 0;
  return errno == ENOTEMPTY ? EEXIST : errno;
}

int rename_new(const std::filesystem::path& from, const std::filesystem::path& to) {
#ifdef RENAME_NOREPLACE
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (!is_unknown_to_the_system(errno)) return errno;
#endif
  return rename_new_by_hand(from, to);
}

int trade_places(const std::filesystem::path& first, const std::filesystem::path& second,
                 const std::filesystem::path& spare) {
#ifdef RENAME_EXCHANGE
  if (renameat2(AT_FDCWD, first.c_str(), AT_FDCWD, second.c_str(), RENAME_EXCHANGE) == 0) return 0;
  if (!is_unknown_to_the_system(errno)) return errno;
#endif
  return trade_places_by_hand(first, second, spare);
}

int trade_places_by_hand(const std::filesystem::path& first, const std::filesystem::path& second,
                         const std::filesystem::path& spare) {
  int error = rename_new(first, spare);
  if (error != 0) return error;
  error = rename_new(second, first);
  if (error != 0) {
    rename_new(spare, first);
    return error;
  }
  error = rename_new(spare, second);
  if (error != 0 && rename_new(first, second) == 0) rename_new(spare, first);
  return error;
}

void sync_folder(const std::filesystem::path& folder) {
  const int file = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

int away_from_standard_streams(int file) {
  if (file < 0 || file > STDERR_FILENO) return file;
  const int other = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  close(file);
  errno = error;
  return other;
}

}  // namespace likely::io::detail
