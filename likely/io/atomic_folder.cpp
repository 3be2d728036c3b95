#include "likely/io/atomic_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "likely/io/disk_error.hpp"
#include "likely/io/folder_leftovers.hpp"
#include "likely/io/rename.hpp"

namespace likely::io {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_writing(const fs::path& shown, int error) {
  fail_writing(
      fmt::format("cannot write the folder {}: {}", shown.string(), std::generic_category().message(error)),
      error);
}

}  // namespace

// Beside the target: names trade places only within a file system.
fs::path AtomicFolder::place_for_new() {
  claim_.refuse_fixed();
  if (std::optional<std::string> moved =
          detail::free_place(claim_.path(), claim_.shown(), detail::Beside::unfinished))
    told_.push_back(std::move(*moved));
  return detail::beside(claim_.path(), detail::Beside::unfinished);
}

AtomicFolder::AtomicFolder(const fs::path& target, const FolderRules& rules)
    : claim_(target, rules), told_(claim_.told()), unfinished_(place_for_new()) {
  if (!unfinished_.made()) refuse_writing(claim_.shown(), EEXIST);
  claim_.pass_rights_to(path());
}

AtomicFolder::~AtomicFolder() {
  if (committed_ || !unfinished_.guards(path())) return;
  try {
    fs::remove_all(path());
  } catch (const std::exception&) {  // a destructor does what it can, and the next process the rest
  }
}

void AtomicFolder::trade_places() {
  const fs::path& target = claim_.path();
  std::error_code failed;
  const bool there = fs::exists(target, failed);
  if (there && !claim_.lock().guards(target))
    throw Error(fmt::format("{}: another folder was put in its place meanwhile", claim_.shown().string()));
  if (there) detail::refuse_used_below(target, claim_.shown());
  if (const int error = there ? claim_.note_earlier() : 0; error != 0) refuse_writing(claim_.shown(), error);
  const fs::path displaced = detail::beside(target, detail::Beside::displaced);
  const int error =
      there ? detail::trade_places(target, path(), displaced) : detail::rename_new(path(), target);
  if (error != 0) refuse_writing(claim_.shown(), error);
}

void AtomicFolder::commit() {
  detail::sync_folder(path());
  trade_places();
  committed_ = true;
  detail::Cleared cleared = claim_.clear_earlier(path());
  kept_ = std::move(cleared.moved);
  if (cleared.told) told_.push_back(std::move(*cleared.told));
  detail::sync_folder(claim_.path().parent_path());
}

}  // namespace likely::io
