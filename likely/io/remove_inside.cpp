#include "likely/io/remove_inside.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "likely/io/rename.hpp"

namespace likely::io::detail {

void remove_inside(const std::filesystem::path& folder, const std::filesystem::path& inside) {
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
  const std::filesystem::path name = path.filename();
  if (name != ".." && name != "." && unlinkat(place, name.c_str(), 0) != 0)
    unlinkat(place, name.c_str(), AT_REMOVEDIR);
  close(place);
}

}  // namespace likely::io::detail
