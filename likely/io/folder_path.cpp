#include "likely/io/folder_path.hpp"

#include <fmt/format.h>

#include <system_error>

#include "likely/core/error.hpp"

namespace likely::io::detail {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_path(const fs::path& path, const std::string& why) {
  throw Error(fmt::format("{}: {}", path.string(), why));
}

}  // namespace

fs::path canonical_folder(const fs::path& path) {
  std::error_code failed;
  const fs::path whole = fs::absolute(path, failed);
  if (failed) refuse_path(path, failed.message());
  fs::path place = whole.root_path();
  bool there = true;  // whether `place` is, and with it all that came before
  for (const fs::path& part : whole.relative_path()) {
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!there || !fs::is_directory(place, failed))
        refuse_path(path, fmt::format("there is no folder {} to go back from with \"..\"", place.string()));
      place = place.parent_path();
      continue;
    }
    place /= part;
    if (!there) continue;
    const fs::file_status entry = fs::symlink_status(place, failed);
    if (entry.type() == fs::file_type::not_found) {
      there = false;
      continue;
    }
    if (failed) refuse_path(path, failed.message());
    if (entry.type() == fs::file_type::symlink) {
      const fs::path target = fs::canonical(place, failed);
      if (failed) refuse_path(path, fmt::format("{} is a link that leads nowhere", place.string()));
      place = target;
    }
  }
  return place;
}

fs::path without_last_slashes(fs::path path) {
  while (path.has_parent_path() && path.has_relative_path() && !path.has_filename())
    path = path.parent_path();
  return path;
}

}  // namespace likely::io::detail
