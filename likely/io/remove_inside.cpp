#include "likely/io/remove_inside.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "likely/io/rename.hpp"

namespace likely::io::detail {

namespace {

void remove_as_noted(int folder, const std::filesystem::path& name, const Prints& noted) {
  struct stat there {};
  if (name == "." || name == ".." || fstatat(folder, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) return;
  const bool is_folder = S_ISDIR(there.st_mode);
  if (is_folder && noted.empty()) unlinkat(folder, name.c_str(), AT_REMOVEDIR);
  if (!is_folder && is_noted(print_of(there), noted)) unlinkat(folder, name.c_str(), 0);
}

}  // namespace

void remove_inside(const std::filesystem::path& folder, const std::filesystem::path& inside,
                   const Prints& noted) {
  const std::filesystem::path path = inside.lexically_normal();
  if (path.empty() || path.is_absolute() || !path.has_filename()) return;
  constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int place = away_from_standard_streams(open(folder.c_str(), kFolder));
  for (const std::filesystem::path& part : path.parent_path()) {
    if (place < 0) return;
    const int below = part == ".." ? -1 : away_from_standard_streams(openat(place, part.c_str(), kFolder));
    close(place);
    place = below;
  }
  if (place < 0) return;
  remove_as_noted(place, path.filename(), noted);
  close(place);
}

void remove_noted(const std::filesystem::path& folder, const Noted& noted) {
  for (auto one = noted.rbegin(); one != noted.rend(); ++one) remove_inside(folder, one->first, one->second);
}

}  // namespace likely::io::detail
