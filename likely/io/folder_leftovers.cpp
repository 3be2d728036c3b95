#include "likely/io/folder_leftovers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "likely/io/checksum.hpp"
#include "likely/io/disk_error.hpp"
#include "likely/io/folder_list.hpp"
#include "likely/io/made_record.hpp"
#include "likely/io/remove_inside.hpp"
#include "likely/io/rename.hpp"
#include "likely/io/unfinished_file.hpp"

namespace likely::io::detail {

namespace fs = std::filesystem;

namespace {

// Holds what lies beside a folder against its maker, where that one is still there. What is no folder, such
// as a link to one, or a stranger's is not taken for ours.
class Hold {
 public:
  Hold(const fs::path& left, const fs::path& folder)
      : file_(
            away_from_standard_streams(open(left.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))) {
    struct stat opened {};
    there_ = file_ >= 0 && fstat(file_, &opened) == 0 && is_of_ours(opened, folder);
    mine_ = there_ && try_lock(file_);
  }
  ~Hold() {
    if (file_ >= 0) close(file_);
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  bool there() const { return there_; }
  bool mine() const { return mine_; }

 private:
  int file_;
  bool there_ = false, mine_ = false;
};

bool is_there(const fs::path& path) {
  std::error_code failed;
  return fs::symlink_status(path, failed).type() != fs::file_type::not_found;
}

constexpr std::string_view kListOfReplaced = ".likely-replaced";
constexpr std::string_view kListOfMade = ".likely-made";

bool is_list(const std::string& name) { return name == kListOfReplaced || name == kListOfMade; }

// What a folder holds but for lists; nothing where it cannot be read.
std::optional<std::vector<std::string>> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::string name = at->path().filename().string();
    if (!is_list(name)) names.push_back(std::move(name));
  }
  if (failed) return std::nullopt;
  std::sort(names.begin(), names.end());
  return names;
}

// A list, where it tells of this folder.
std::optional<FolderList> list_of(const fs::path& list, const fs::path& folder) {
  std::optional<FolderList> found = read_list(list);
  if (found && found->folder != folder_print_of(folder)) found.reset();
  return found;
}

// The lists go last: without them the folder would be taken for one that may be removed.
void remove_if_empty(const fs::path& left) {
  const auto names = names_in(left);
  if (!names || !names->empty()) return;
  forget_lists(left);
  rmdir(left.c_str());
}

// The name of what lies beside a folder, as the folder was named where that is possible.
std::string shown_beside(const fs::path& folder, const fs::path& shown, const std::string& name) {
  std::error_code failed;
  const fs::path around = shown.parent_path();
  const bool same = fs::equivalent(around.empty() ? "." : around, folder.parent_path(), failed) && !failed;
  return ((same ? around : folder.parent_path()) / name).string();
}

// Whether a run is worth more than what it replaces. What is not on its list is not its own.
bool is_worth_keeping(const fs::path& folder, const FolderList& made) {
  const std::set<std::string>& signs = made.signs.empty() ? usual_signs_of_worth() : made.signs;
  return std::any_of(made.noted.begin(), made.noted.end(), [&](const auto& one) {
    std::error_code failed;
    return signs.contains(one.first.filename().string()) &&
           fs::symlink_status(folder / one.first, failed).type() == fs::file_type::regular;
  });
}

// A run that never came to anything lies beside the folder whose place it had.
void clear_beginnings(const fs::path& left, const fs::path& folder, const Noted& made) {
  remove_unfinished_files(left);
  remove_noted(left, made);
  move_contents(left, folder);
  remove_if_empty(left);
}

class Settlement {
 public:
  Settlement(const fs::path& folder, const fs::path& shown, Leftovers how)
      : folder_(folder), shown_(shown), how_(how) {}

  std::optional<std::string> settle(const fs::path& left, Beside what) const {
    const std::optional<FolderList> replaced = list_of(left / kListOfReplaced, left);
    if (replaced && what == Beside::earlier) return settle_earlier(left, *replaced);
    if (replaced) return clear_replaced(left, folder_, shown_, replaced->noted).told;
    remove_if_empty(left);
    if (!is_there(left)) return std::nullopt;
    if (what == Beside::unfinished && !is_there(left / kListOfReplaced)) {
      std::error_code failed;
      fs::remove_all(left, failed);  // nobody but its maker knew of it
      return std::nullopt;
    }
    // It had given the place back already, and with it its list.
    const std::optional<FolderList> made = list_of(folder_ / kListOfMade, left);
    if (!made) return left_alone(left);
    clear_beginnings(left, folder_, made->noted);
    return std::nullopt;
  }

 private:
  std::optional<std::string> settle_earlier(const fs::path& earlier, const FolderList& replaced) const {
    const std::optional<FolderList> made = list_of(earlier / kListOfMade, folder_);
    if (!made) {
      remove_if_empty(earlier);  // whose maker died between its two lists
      return is_there(earlier) ? std::optional(left_alone(earlier)) : std::nullopt;
    }
    if (is_worth_keeping(folder_, *made))
      return clear_replaced(earlier, folder_, shown_, replaced.noted).told;
    if (how_ == Leftovers::keep_what_is_there) {
      const std::string name = put_beside(folder_, earlier);
      if (name.empty()) return left_alone(earlier);
      return fmt::format("{} was to replace an earlier run, which is kept as {}", shown_.string(),
                         shown_beside(folder_, shown_, name));
    }
    // The run in the folder never came to anything: the one before it comes back, or does so next time.
    if (trade_places(folder_, earlier, beside(folder_, Beside::displaced)) != 0) return std::nullopt;
    clear_beginnings(earlier, folder_, made->noted);
    return fmt::format(
        "a command that was to replace what {} held was killed before it had anything worth keeping: what "
        "was "
        "there before is back",
        shown_.string());
  }

  std::string left_alone(const fs::path& left) const {
    return fmt::format(
        "{} was left by a command that was killed, but {} is not the folder that it worked in: both are left "
        "as they are",
        shown_beside(folder_, shown_, left.filename().string()), shown_.string());
  }

  const fs::path& folder_;
  const fs::path& shown_;
  Leftovers how_;
};

}  // namespace

bool is_of_ours(const struct stat& left, const fs::path& folder) {
  if (left.st_uid == geteuid()) return true;
  for (const fs::path& known : {folder, folder.parent_path()}) {
    struct stat there {};
    if (lstat(known.c_str(), &there) == 0 && there.st_uid == left.st_uid) return true;
  }
  return false;
}

fs::path beside(const fs::path& folder, Beside what) {
  constexpr std::size_t kLongest = 255 - std::string_view("..likely-gone").size();
  const char* ending = what == Beside::unfinished  ? "new"
                       : what == Beside::earlier   ? "old"
                       : what == Beside::displaced ? "gone"
                                                   : "lock";
  std::string name = folder.filename().string();
  if (name.size() > kLongest) {
    const std::string whole = fmt::format("{:08x}", checksum_of(name.data(), name.size()));
    name = name.substr(0, kLongest - whole.size()) + whole;
  }
  return folder.parent_path() / fmt::format(".{}.likely-{}", name, ending);
}

const std::set<std::string>& usual_signs_of_worth() {
  static const std::set<std::string> kSigns{"checkpoint.safetensors", "model.safetensors", "report.json"};
  return kSigns;
}

void put_back_displaced(const fs::path& folder) {
  if (is_there(folder)) return;
  for (const Beside what : {Beside::earlier, Beside::displaced}) {
    const fs::path waiting = beside(folder, what);
    const Hold hold(waiting, folder);
    if (hold.mine() && rename_new(waiting, folder) == 0) return;
  }
}

std::vector<std::string> settle_leftovers(const fs::path& folder, const fs::path& shown, Leftovers how) {
  std::vector<std::string> told;
  if (how == Leftovers::leave) return told;
  for (const Beside what : {Beside::unfinished, Beside::displaced, Beside::earlier}) {
    const fs::path left = beside(folder, what);
    const Hold hold(left, folder);
    if (!hold.there()) continue;
    if (!hold.mine()) throw FolderRefusal(FolderRefusal::Why::taken, shown);
    if (std::optional<std::string> one = Settlement(folder, shown, how).settle(left, what))
      told.push_back(std::move(*one));
  }
  forget_lists(folder);
  return told;
}

std::string put_beside(const fs::path& folder, const fs::path& left) {
  for (int count = 1; count < 1000; ++count) {
    const std::string name = kept_name(folder.filename().string(), count);
    const int error = rename_new(left, folder.parent_path() / name);
    // A link stays one, and what it leads to is not touched.
    if (error == 0 && folder_print_of(folder.parent_path() / name)) forget_lists(folder.parent_path() / name);
    if (error != EEXIST) return error == 0 ? name : "";
  }
  return "";
}

std::optional<std::string> free_place(const fs::path& folder, const fs::path& shown, Beside what) {
  const fs::path place = beside(folder, what);
  if (!is_there(place)) return std::nullopt;
  const std::string before = shown_beside(folder, shown, place.filename().string());
  const std::string name = put_beside(folder, place);
  if (name.empty())
    fail_writing(fmt::format("cannot replace the folder {}: {} is in the way", shown.string(), before),
                 EEXIST);
  return fmt::format("{} was in the way: it is kept as {}", before, shown_beside(folder, shown, name));
}

int note_replaced(const fs::path& folder, const Noted& replaced) {
  const std::optional<FolderPrint> print = folder_print_of(folder);
  if (!print) return ENOENT;
  ListWriter list;
  int error = list.begin(folder / kListOfReplaced, *print);
  if (error == 0) error = list.note(replaced);
  if (error == 0) error = list.sync();
  if (error != 0) forget_lists(folder);
  return error;
}

void forget_lists(const fs::path& folder) {
  for (const std::string_view name : {kListOfMade, kListOfReplaced}) unlink((folder / name).c_str());
}

fs::path list_of_made(const fs::path& folder) { return folder / kListOfMade; }

Cleared clear_replaced(const fs::path& left, const fs::path& folder, const fs::path& shown,
                       const Noted& replaced) {
  remove_noted(left, replaced);
  Cleared cleared{move_contents(left, folder)};
  remove_if_empty(left);
  if (!is_there(left)) return cleared;
  const std::optional<std::vector<std::string>> names = names_in(left);
  if (names && names->empty()) return cleared;  // for the next one
  const std::string name = put_beside(folder, left);
  cleared.told = fmt::format("{} of what {} held before can be neither removed nor moved: it is kept in {}",
                             names ? fmt::format("{}", fmt::join(*names, ", ")) : "something", shown.string(),
                             shown_beside(folder, shown, name.empty() ? left.filename().string() : name));
  return cleared;
}

std::vector<std::string> move_contents(const fs::path& from, const fs::path& to) {
  std::vector<std::string> moved;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(from, failed)) {
    const std::string name = entry.path().filename().string();
    if (is_list(name)) continue;
    std::string as = name;
    int error = rename_new(entry.path(), to / as);
    for (int count = 1; error == EEXIST && count < 1000; ++count) {
      as = kept_name(name, count);
      error = rename_new(entry.path(), to / as);
    }
    if (error == 0) moved.push_back(as);
  }
  std::sort(moved.begin(), moved.end());
  return moved;
}

}  // namespace likely::io::detail
