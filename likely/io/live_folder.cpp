#include "likely/io/live_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "likely/io/disk_error.hpp"
#include "likely/io/folder_leftovers.hpp"
#include "likely/io/rename.hpp"

namespace likely::io {

namespace fs = std::filesystem;

LiveFolder::LiveFolder(const fs::path& target, const FolderRules& rules)
    : signs_of_worth_(rules.signs_of_worth.empty() ? detail::usual_signs_of_worth() : rules.signs_of_worth),
      claim_(target, rules),
      made_(claim_.path(), claim_.shown()),
      told_(claim_.told()) {
  if (replaces()) set_earlier_aside();
}

void LiveFolder::set_earlier_aside() {
  claim_.refuse_fixed();
  if (std::optional<std::string> moved =
          detail::free_place(claim_.path(), claim_.shown(), detail::Beside::earlier))
    told_.push_back(std::move(*moved));
  const fs::path aside = detail::beside(claim_.path(), detail::Beside::earlier);
  other_.emplace(aside);
  claim_.pass_rights_to(aside);
  const fs::path spare = detail::beside(claim_.path(), detail::Beside::unfinished);
  // Both lists lie in what is replaced; the new folder is empty until it has its place.
  int error = other_->made() ? claim_.note_earlier() : EEXIST;
  if (error == 0) error = made_.list_in(claim_.path(), aside, signs_of_worth_);
  // The empty one goes by the spare name, which may be lost.
  if (error == 0) error = detail::trade_places(aside, claim_.path(), spare);
  if (error != 0)
    fail_writing(fmt::format("cannot replace the folder {}: {}", claim_.shown().string(),
                             std::generic_category().message(error)),
                 error);
  detail::sync_folder(aside.parent_path());
  made_.take_place();
}

LiveFolder::~LiveFolder() {
  if (settled_) return;
  try {
    if (!is_in_place()) {
      leave_earlier_beside();
    } else if (is_worth_keeping()) {
      keep();
    } else {
      give_up();
    }
  } catch (const std::exception&) {  // a destructor does what it can
  }
}

bool LiveFolder::is_worth_keeping() const { return made_.has_made(signs_of_worth_); }

bool LiveFolder::is_in_place() const { return (other_ ? *other_ : claim_.lock()).guards(claim_.path()); }

// Nobody knows what is in the target's place, and whether it is worth more.
void LiveFolder::leave_earlier_beside() {
  settled_ = true;
  if (!other_) return;
  const fs::path aside = detail::beside(claim_.path(), detail::Beside::earlier);
  if (!claim_.lock().guards(aside)) return;
  detail::put_beside(claim_.path(), aside);
}

void LiveFolder::keep() {
  if (!is_in_place()) {
    leave_earlier_beside();
    throw Error(fmt::format("{}: another folder was put in its place meanwhile; nothing is written there",
                            claim_.shown().string()));
  }
  settled_ = true;
  if (!other_) return;
  if (std::optional<std::string> left = claim_.clear_earlier(other_->path()).told)
    told_.push_back(std::move(*left));
}

void LiveFolder::give_up() {
  settled_ = true;
  const fs::path& target = claim_.path();
  if (!is_in_place()) {
    leave_earlier_beside();
    return;
  }
  if (!other_) {
    made_.remove_made(target);
    return;
  }
  // The earlier results first.
  const fs::path& aside = other_->path();
  const fs::path spare = detail::beside(target, detail::Beside::displaced);
  if (detail::trade_places(target, aside, spare) != 0) return;
  detail::sync_folder(target.parent_path());
  made_.remove_made(aside);
  detail::move_contents(aside, target);
  rmdir(aside.c_str());
}

}  // namespace likely::io
