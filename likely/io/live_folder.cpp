#include "likely/io/live_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "likely/io/folder_leftovers.hpp"
#include "likely/io/rename.hpp"

namespace likely::io {

namespace fs = std::filesystem;

LiveFolder::LiveFolder(const fs::path& target, const FolderRules& rules)
    : claim_(target, rules), made_(claim_.path()) {
  if (!claim_.earlier().empty()) set_earlier_aside();
}

void LiveFolder::set_earlier_aside() {
  claim_.refuse_fixed();
  const fs::path aside = detail::beside(claim_.path(), detail::Beside::earlier);
  other_.emplace(aside);
  claim_.pass_rights_to(aside);
  const fs::path spare = detail::beside(claim_.path(), detail::Beside::unfinished);
  // The empty one goes by the spare name, which may be lost.
  int error = other_->made() ? claim_.note_earlier() : EEXIST;
  if (error == 0) error = detail::trade_places(aside, claim_.path(), spare);
  if (error != 0)
    throw Error(fmt::format("cannot replace the folder {}: {}", claim_.shown().string(),
                            std::generic_category().message(error)));
}

LiveFolder::~LiveFolder() {
  if (settled_) return;
  try {
    if (detail::worth_keeping(claim_.path())) {
      keep();
    } else {
      give_up();
    }
  } catch (const std::exception&) {  // a destructor does what it can
  }
}

void LiveFolder::keep() {
  settled_ = true;
  if (other_) claim_.clear_earlier(other_->path(), claim_.path());
}

bool LiveFolder::outdoes_earlier() const {
  return claim_.earlier().empty() || detail::worth_keeping(claim_.path());
}

void LiveFolder::give_up() {
  settled_ = true;
  const fs::path& target = claim_.path();
  if (!other_) {
    if (claim_.lock().guards(target)) made_.remove_made(target);
    return;
  }
  // The earlier results first.
  const fs::path& aside = other_->path();
  const fs::path spare = detail::beside(target, detail::Beside::displaced);
  if (!other_->guards(target) || detail::trade_places(target, aside, spare) != 0) return;
  made_.remove_made(aside);
  detail::move_contents(aside, target);
  rmdir(aside.c_str());
}

}  // namespace likely::io
