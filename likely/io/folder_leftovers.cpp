#include "likely/io/folder_leftovers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string_view>
#include <system_error>

#include "likely/io/checksum.hpp"
#include "likely/io/folder_lock.hpp"
#include "likely/io/input_file.hpp"
#include "likely/io/made_record.hpp"
#include "likely/io/remove_inside.hpp"
#include "likely/io/rename.hpp"

namespace likely::io::detail {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kEnding = ".likely-tmp";
constexpr std::string_view kEarlierEnding = ".tmp";  // of versions that did not lock these files

// Holds a folder against its maker, where that one is still there.
class Hold {
 public:
  explicit Hold(const fs::path& folder)
      : file_(away_from_standard_streams(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC))),
        mine_(file_ >= 0 && try_lock(file_)) {}
  ~Hold() {
    if (file_ >= 0) close(file_);
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  bool there() const { return file_ >= 0; }
  bool mine() const { return mine_; }

 private:
  int file_;
  bool mine_;
};

bool is_there(const fs::path& path) {
  std::error_code failed;
  return fs::symlink_status(path, failed).type() != fs::file_type::not_found;
}

constexpr std::string_view kListOfReplaced = ".likely-replaced";
constexpr std::string_view kListOfMade = ".likely-made";

bool is_list(const std::string& name) { return name == kListOfReplaced || name == kListOfMade; }

// What a list holds, each with a 0 behind it; nothing, where it cannot be read. What is not whole was never
// written to the end.
std::vector<std::string> entries_of(const fs::path& path) {
  std::string text;
  try {
    const InputFile file("read_list", path);
    text.resize(file.size());
    file.read(0, text.data(), text.size());
  } catch (const Error&) {
    return {};
  }
  std::vector<std::string> entries;
  for (std::size_t start = 0, end = text.find('\0'); end != text.npos; end = text.find('\0', start)) {
    entries.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return entries;
}

// What a list in a folder says, where there is one.
std::optional<std::set<fs::path>> listed_in(const fs::path& folder, std::string_view name) {
  if (!is_there(folder / name)) return std::nullopt;
  std::set<fs::path> paths;
  for (const std::string& path : entries_of(folder / name)) {
    const fs::path inside = fs::path(path).lexically_normal();
    if (!inside.empty() && inside.is_relative() && *inside.begin() != "..") paths.insert(inside);
  }
  return paths;
}

// A folder sorts before what is in it, and goes only where it is empty.
void remove_listed(const fs::path& folder, const std::set<fs::path>& paths) {
  for (auto inside = paths.rbegin(); inside != paths.rend(); ++inside) remove_inside(folder, *inside);
}

// The names at the beginning of the list of what was made; the usual ones, where there are none.
std::set<std::string> signs_of_worth_in(const fs::path& folder) {
  std::set<std::string> signs;
  for (const std::string& name : entries_of(folder / kListOfMade)) {
    if (!name.starts_with('/')) break;
    signs.insert(name.substr(1));
  }
  return signs.empty() ? usual_signs_of_worth() : signs;
}

// Whether the run in the folder, of which the other one tells, is worth more than what it replaces. What is
// not on the list is not its own.
bool is_worth_keeping(const fs::path& folder, const fs::path& other,
                      const std::optional<std::set<fs::path>>& made) {
  const std::set<std::string> signs = signs_of_worth_in(other);
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (signs.contains(at->path().filename().string()) &&
        (!made || made->contains(at->path().lexically_relative(folder))))
      return true;
  }
  return false;
}

// A run that never came to anything lies beside the folder whose place it had.
void clear_beginnings(const fs::path& left, const fs::path& folder,
                      const std::optional<std::set<fs::path>>& made) {
  remove_unfinished_files(left);
  if (made) remove_listed(left, *made);
  move_contents(left, folder);
  forget_lists(left);
  rmdir(left.c_str());
  forget_lists(folder);
}

// The run in the folder never came to anything: the one before it comes back.
void bring_back(const fs::path& folder, const fs::path& earlier,
                const std::optional<std::set<fs::path>>& made) {
  if (trade_places(folder, earlier, beside(folder, Beside::displaced)) != 0) return;  // for the next one
  clear_beginnings(earlier, folder, made);
}

// The process in ".NAME.<process>.<count>.tmp".
std::optional<pid_t> process_of(std::string_view name) {
  const auto last_number = [&]() -> std::optional<pid_t> {
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const std::string_view digits = name.substr(dot + 1);
    pid_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    name.remove_suffix(digits.size() + 1);
    return number;
  };
  for (const std::string_view ending : {kEnding, kEarlierEnding}) {
    if (!name.ends_with(ending)) continue;
    name.remove_suffix(ending.size());
    const std::optional<pid_t> count = last_number();
    const std::optional<pid_t> process = count ? last_number() : std::nullopt;
    if (process && *process > 0 && name.size() > 1 && name.front() == '.') return process;
    return std::nullopt;
  }
  return std::nullopt;
}

void remove_if_unfinished(const fs::directory_entry& entry) {
  const std::string name = entry.path().filename().string();
  const std::optional<pid_t> process = process_of(name);
  std::error_code unknown;
  if (!process || !entry.is_regular_file(unknown) || entry.is_symlink(unknown)) return;
  // Only the lock tells of living writers in this version, only the number in earlier ones.
  if (!name.ends_with(kEnding) && (kill(*process, 0) == 0 || errno != ESRCH)) return;
  const int file =
      away_from_standard_streams(open(entry.path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file < 0) return;
  if (flock(file, LOCK_EX | LOCK_NB) == 0) unlink(entry.path().c_str());
  close(file);
}

// A folder in which a picture was being drawn (plot/gnuplot.cpp).
bool is_workshop(const fs::directory_entry& entry) {
  constexpr std::string_view kBeginning = ".likely-figure-";
  constexpr std::size_t kRest = 6;
  const std::string name = entry.path().filename().string();
  std::error_code unknown;
  return name.starts_with(kBeginning) && name.size() == kBeginning.size() + kRest &&
         entry.is_directory(unknown) && !entry.is_symlink(unknown);
}

// Hidden. The longest names would become too long.
std::string beginning_of_versions(const fs::path& file) {
  constexpr std::size_t kLongestName = 100;
  return fmt::format(".{}.", file.filename().string().substr(0, kLongestName));
}

}  // namespace

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
    const Hold hold(waiting);
    if (!hold.mine() || rename_new(waiting, folder) != 0) continue;
    forget_lists(folder);
    return;
  }
}

void settle_leftovers(const fs::path& folder, const fs::path& shown) {
  for (const Beside what : {Beside::unfinished, Beside::displaced, Beside::earlier}) {
    const fs::path left = beside(folder, what);
    const Hold hold(left);
    if (!hold.there()) continue;
    if (!hold.mine()) throw FolderRefusal(FolderRefusal::Why::taken, shown);
    if (const std::optional<std::set<fs::path>> replaced = listed_in(left, kListOfReplaced)) {
      const std::optional<std::set<fs::path>> made = listed_in(left, kListOfMade);
      if (what == Beside::earlier && !is_worth_keeping(folder, left, made)) {
        bring_back(folder, left, made);
      } else {
        clear_replaced(left, folder, *replaced);
      }
    } else if (what == Beside::unfinished) {
      std::error_code failed;
      fs::remove_all(left, failed);  // nobody but its maker knew of it
    } else {
      // It had given the place back already, and with it its list.
      clear_beginnings(left, folder, listed_in(folder, kListOfMade));
    }
  }
}

int note_replaced(const fs::path& folder, const std::set<fs::path>& replaced) {
  std::string list;
  for (const fs::path& path : replaced) list.append(path.string()).push_back('\0');
  const int file = away_from_standard_streams(
      open((folder / kListOfReplaced).c_str(),
           O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
  if (file < 0) return errno;
  int error = 0;
  for (std::size_t done = 0; done < list.size() && error == 0;) {
    const ssize_t written = write(file, list.data() + done, list.size() - done);
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (error == 0 && fsync(file) != 0) error = errno;
  close(file);
  if (error != 0) forget_lists(folder);
  return error;
}

void forget_lists(const fs::path& folder) {
  for (const std::string_view name : {kListOfMade, kListOfReplaced}) unlink((folder / name).c_str());
}

fs::path list_of_made(const fs::path& folder) { return folder / kListOfMade; }

std::vector<std::string> clear_replaced(const fs::path& folder, const fs::path& to,
                                        const std::set<fs::path>& replaced) {
  remove_listed(folder, replaced);
  std::vector<std::string> others = move_contents(folder, to);
  // The list goes last: without it the folder would be taken for one that may be removed.
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (!is_list(at->path().filename().string())) return others;
  }
  if (failed) return others;
  forget_lists(folder);
  rmdir(folder.c_str());
  return others;
}

bool is_unfinished_file(const std::string& name) { return process_of(name).has_value(); }

fs::path unfinished_version(const fs::path& file) {
  static std::atomic<unsigned> count{0};
  return file.parent_path() /
         fmt::format("{}{}.{}{}", beginning_of_versions(file), getpid(), count.fetch_add(1), kEnding);
}

void remove_unfinished_files(const fs::path& folder) {
  std::vector<fs::path> workshops;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    remove_if_unfinished(*at);
    if (is_workshop(*at)) workshops.push_back(at->path());
  }
  for (const fs::path& workshop : workshops) fs::remove_all(workshop, failed);
}

void remove_unfinished_versions(const fs::path& file) {
  const std::string beginning = beginning_of_versions(file);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().filename().string().starts_with(beginning)) remove_if_unfinished(*at);
  }
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
