#include "likely/io/folder_leftovers.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include "likely/io/folder_lock.hpp"
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

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Whether recipes and sweeps make folders of this name for their parts: seed-1, trial-1, widths/64.
bool is_part_of_run(std::string_view name) {
  for (const std::string_view beginning : {"seed-", "trial-"}) {
    if (name.starts_with(beginning)) return is_number(name.substr(beginning.size()));
  }
  return name == "widths" || is_number(name);
}

// Takes away what a run writes before its first checkpoint, where it does; all else may be somebody's.
void remove_beginnings(const fs::path& folder) {
  for (const char* name : {"recipe.json", "config.json", "metrics.jsonl", "sweep.csv"})
    unlink((folder / name).c_str());
  std::vector<fs::path> parts;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code unknown;
    if (at->is_directory(unknown) && !at->is_symlink(unknown) &&
        is_part_of_run(at->path().filename().string()))
      parts.push_back(at->path());
  }
  for (const fs::path& part : parts) {
    remove_beginnings(part);
    rmdir(part.c_str());
  }
}

// A run that never came to anything lies beside the folder whose place it had.
void clear_beginnings(const fs::path& left, const fs::path& folder) {
  remove_unfinished_files(left);
  remove_beginnings(left);
  move_contents(left, folder);
  rmdir(left.c_str());
}

// The run in the folder never came to anything: the one before it comes back.
void bring_back(const fs::path& folder, const fs::path& earlier) {
  if (trade_places(folder, earlier, beside(folder, Beside::displaced)) != 0) return;  // for the next one
  clear_beginnings(earlier, folder);
  forget_replaced(folder);
}

constexpr std::string_view kListOfReplaced = ".likely-replaced";

// What the list in a folder says, where there is one. A path that is not whole was never written to the end.
std::optional<std::set<fs::path>> replaced_in(const fs::path& folder) {
  if (!is_there(folder / kListOfReplaced)) return std::nullopt;
  std::ifstream list(folder / kListOfReplaced, std::ios::binary);
  std::set<fs::path> replaced;  // nothing, where it cannot be read
  for (std::string path; std::getline(list, path, '\0') && !list.eof();) {
    const fs::path inside = fs::path(path).lexically_normal();
    if (!inside.empty() && inside.is_relative() && *inside.begin() != "..") replaced.insert(inside);
  }
  return replaced;
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

// Hidden. The longest names would become too long.
std::string beginning_of_versions(const fs::path& file) {
  constexpr std::size_t kLongestName = 100;
  return fmt::format(".{}.", file.filename().string().substr(0, kLongestName));
}

}  // namespace

fs::path beside(const fs::path& folder, Beside what) {
  const char* ending = what == Beside::unfinished ? "new" : what == Beside::earlier ? "old" : "gone";
  return folder.parent_path() / fmt::format(".{}.likely-{}", folder.filename().string(), ending);
}

bool worth_keeping(const fs::path& folder) {
  constexpr std::array<std::string_view, 3> kSigns = {"checkpoint.safetensors", "model.safetensors",
                                                      "report.json"};
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (std::find(kSigns.begin(), kSigns.end(), name) != kSigns.end()) return true;
  }
  return false;
}

void put_back_displaced(const fs::path& folder) {
  if (is_there(folder)) return;
  for (const Beside what : {Beside::earlier, Beside::displaced}) {
    const fs::path waiting = beside(folder, what);
    const Hold hold(waiting);
    if (!hold.mine() || rename_new(waiting, folder) != 0) continue;
    forget_replaced(folder);
    return;
  }
}

void settle_leftovers(const fs::path& folder, const fs::path& shown) {
  for (const Beside what : {Beside::unfinished, Beside::displaced, Beside::earlier}) {
    const fs::path left = beside(folder, what);
    const Hold hold(left);
    if (!hold.there()) continue;
    if (!hold.mine()) throw FolderRefusal(FolderRefusal::Why::taken, shown);
    if (const std::optional<std::set<fs::path>> replaced = replaced_in(left)) {
      if (what == Beside::earlier && !worth_keeping(folder)) {
        bring_back(folder, left);
      } else {
        clear_replaced(left, folder, *replaced);
      }
    } else if (what == Beside::unfinished) {
      std::error_code failed;
      fs::remove_all(left, failed);  // nobody but its maker knew of it
    } else {
      clear_beginnings(left, folder);  // it had given the place back already
    }
  }
}

int note_replaced(const fs::path& folder, const std::set<fs::path>& replaced) {
  std::string list;
  for (const fs::path& path : replaced) list.append(path.string()).push_back('\0');
  const int file = away_from_standard_streams(
      open((folder / kListOfReplaced).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
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
  if (error != 0) forget_replaced(folder);
  return error;
}

void forget_replaced(const fs::path& folder) { unlink((folder / kListOfReplaced).c_str()); }

bool is_list_of_replaced(const std::string& name) { return name == kListOfReplaced; }

std::vector<std::string> clear_replaced(const fs::path& folder, const fs::path& to,
                                        const std::set<fs::path>& replaced) {
  // A folder sorts before what is in it, and goes only where it is empty.
  for (auto inside = replaced.rbegin(); inside != replaced.rend(); ++inside)
    std::remove((folder / *inside).c_str());
  std::vector<std::string> others = move_contents(folder, to);
  // The list goes last: without it the folder would be taken for one that may be removed.
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (!is_list_of_replaced(at->path().filename().string())) return others;
  }
  if (failed) return others;
  forget_replaced(folder);
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
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    remove_if_unfinished(*at);
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
    if (is_list_of_replaced(name)) continue;
    std::string as = name;
    int error = rename_new(entry.path(), to / as);
    for (int count = 1; error == EEXIST && count < 1000; ++count) {
      as = count == 1 ? name + ".kept" : fmt::format("{}.kept-{}", name, count);
      error = rename_new(entry.path(), to / as);
    }
    if (error == 0) moved.push_back(as);
  }
  std::sort(moved.begin(), moved.end());
  return moved;
}

}  // namespace likely::io::detail
