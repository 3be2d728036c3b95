#include "likely/io/folder_claim.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

#include "likely/io/disk_error.hpp"
#include "likely/io/folder_path.hpp"
#include "likely/io/unfinished_file.hpp"

namespace likely::io::detail {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kLeastRoom = 100'000;

// How a refusal names the folder.
std::string named(const fs::path& shown, const FolderRules& rules) {
  return rules.setting.empty() ? shown.string() : fmt::format("`{} = {}`", rules.setting, shown.string());
}

// What can be told from the name alone, before anything is made.
fs::path checked(const fs::path& target, const FolderRules& rules) {
  if (target.empty())
    throw Error(rules.setting.empty() ? "the folder for results has no name"
                                      : fmt::format("`{}` is empty", rules.setting));
  fs::path shown = without_last_slashes(target);
  const fs::path place = canonical_folder(shown);
  if (!place.has_relative_path())
    throw Error(fmt::format("{}: this is the root of all folders; name one in it", named(shown, rules)));
  std::error_code failed;
  if (fs::exists(place, failed) && !fs::is_directory(place, failed))
    throw Error(fmt::format("{}: this is a file, not a folder", named(shown, rules)));
  return shown;
}

bool is_mount_point(const fs::path& folder) {
#ifdef STATX_ATTR_MOUNT_ROOT
  struct statx there {};
  if (statx(AT_FDCWD, folder.c_str(), 0, STATX_TYPE, &there) == 0 &&
      (there.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0)
    return (there.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#endif
  struct stat inside {};
  struct stat around {};
  return stat(folder.c_str(), &inside) == 0 && stat(folder.parent_path().c_str(), &around) == 0 &&
         inside.st_dev != around.st_dev;
}

bool is_anything(const fs::path& path) {
  std::error_code failed;
  return fs::symlink_status(path, failed).type() != fs::file_type::not_found;
}

// Everything below a folder, until `look` says that it has seen enough; but for what is not finished.
template <class Look>
void look_through(const fs::path& folder, const Look& look) {
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
    if (!is_unfinished_file(entry.path().filename().string()) && look(entry.path())) return;
  }
}

bool holds_anything(const fs::path& folder) {
  bool found = false;
  look_through(folder, [&](const fs::path&) { return found = true; });
  return found;
}

Noted noted_in(const fs::path& folder) {
  Noted noted;
  look_through(folder, [&](const fs::path& path) {
    noted[path.lexically_relative(folder)] = prints_of(path);
    return false;
  });
  return noted;
}

}  // namespace

void check_room(const fs::path& folder, const fs::path& shown, std::int64_t bytes, const std::string& what) {
  std::error_code failed;
  const fs::space_info space = fs::space(folder, failed);
  if (failed) return;  // some file systems do not tell; writing will
  if (space.available >= static_cast<std::uintmax_t>(bytes)) return;
  const auto megabytes = [](auto count) {
    return fmt::format("{:.1f} MB", static_cast<double>(count) / 1e6);
  };
  std::string free = megabytes(space.available), needed = megabytes(bytes);
  if (free == needed) {
    free = fmt::format("{} bytes", space.available);
    needed = fmt::format("{} bytes", bytes);
  }
  throw DiskError(fmt::format("no room in \"{}\": {} are free, {} {}", shown.string(), free, what, needed));
}

FolderClaim::FolderClaim(const fs::path& target, const FolderRules& rules)
    : shown_(checked(target, rules)), lock_(shown_) {
  // The mark first: what is refused may be a home folder, whose tree takes minutes to look at.
  const bool has_mark = !rules.mark.empty() && is_anything(path() / rules.mark);
  if (!has_mark && holds_anything(path()))
    refuse(fmt::format("{}: the folder holds other things; choose another", named(shown_, rules)));
  lock_.tidy();
  if (has_mark && !rules.replace)
    refuse(!rules.earlier.empty()
               ? rules.earlier
               : fmt::format("{} already holds results; replace them (`force`) or choose another folder",
                             shown_.string()));
  if (has_mark) earlier_ = noted_in(path());
  refuse_used_below(path(), shown_);
  refuse_inputs(rules);
  check_room(path(), shown_, kLeastRoom, "results need at least");
}

// With what was done before, which would else never be told.
void FolderClaim::refuse(const std::string& why) const {
  throw Error(told().empty() ? why : fmt::format("{} ({})", why, fmt::join(told(), "; ")));
}

int FolderClaim::note_earlier() const { return note_replaced(path(), earlier_); }

void FolderClaim::refuse_inputs(const FolderRules& rules) const {
  if (earlier_.empty()) return;
  for (const fs::path& input : rules.inputs) {
    std::error_code failed;
    const fs::path place = input.empty() ? fs::path() : fs::canonical(input, failed);
    if (place.empty() || failed) continue;  // who reads it will say so
    const fs::path inside = place.lexically_relative(path());
    if (!inside.empty() && *inside.begin() != "..")
      refuse(fmt::format("{}: this would replace {}, which is to be read; choose another `out`",
                         named(shown_, rules), input.string()));
  }
}

FolderClaim::~FolderClaim() {
  if (lock_.guards(path())) forget_lists(path());  // nothing was replaced, or it is back
}

void FolderClaim::refuse_fixed() const {
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  const fs::path inside = here.lexically_relative(path());
  if (!failed && !inside.empty() && *inside.begin() != "..")
    throw Error(fmt::format("{}: this folder is in use as the current one; name another, or start elsewhere",
                            shown_.string()));
  if (is_mount_point(path()))
    throw Error(fmt::format("{}: a file system is mounted here; name a folder in it", shown_.string()));
}

void FolderClaim::pass_rights_to(const fs::path& folder) const {
  struct stat own {};
  struct stat other {};
  if (stat(path().c_str(), &own) != 0 || stat(folder.c_str(), &other) != 0) return;
  constexpr auto kUnchanged = static_cast<uid_t>(-1);
  const bool same = own.st_uid == other.st_uid && own.st_gid == other.st_gid;
  const bool of_group = same || lchown(folder.c_str(), own.st_uid, own.st_gid) == 0 ||
                        lchown(folder.c_str(), kUnchanged, own.st_gid) == 0;
  mode_t rights = own.st_mode & 07777U;
  // Another group may do no more than everybody could.
  if (!of_group) rights &= 01707U | ((rights & 07U) << 3U);
  chmod(folder.c_str(), rights);
}

// A file that somebody has changed or put there meanwhile is theirs.
Cleared FolderClaim::clear_earlier(const fs::path& folder) const {
  return clear_replaced(folder, path(), shown_, earlier_);
}

}  // namespace likely::io::detail
