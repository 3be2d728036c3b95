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

// Takes away what a run writes before its first checkpoint; all else may be somebody's.
void remove_beginnings(const fs::path& folder) {
  constexpr std::array<std::string_view, 4> kBeginnings = {"recipe.json", "config.json", "metrics.jsonl",
                                                           "sweep.csv"};
  remove_unfinished_files(folder);
  std::vector<fs::path> folders;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    std::error_code unknown;
    if (at->is_directory(unknown) && !at->is_symlink(unknown)) {
      folders.push_back(at->path());
    } else if (std::find(kBeginnings.begin(), kBeginnings.end(), name) != kBeginnings.end()) {
      unlink(at->path().c_str());
    }
  }
  for (auto inner = folders.rbegin(); inner != folders.rend(); ++inner) rmdir(inner->c_str());
}

// The run in the folder never came to anything: the one before it comes back.
void bring_back(const fs::path& folder, const fs::path& earlier) {
  if (trade_places(folder, earlier, beside(folder, Beside::unfinished)) != 0) return;  // for the next one
  remove_beginnings(earlier);
  move_contents(earlier, folder);
  rmdir(earlier.c_str());
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
  for (const Beside what : {Beside::displaced, Beside::earlier}) {
    const fs::path waiting = beside(folder, what);
    const Hold hold(waiting);
    if (hold.mine() && rename_new(waiting, folder) == 0) return;
  }
}

void settle_leftovers(const fs::path& folder, const fs::path& shown) {
  for (const Beside what : {Beside::unfinished, Beside::displaced, Beside::earlier}) {
    const fs::path left = beside(folder, what);
    const Hold hold(left);
    if (!hold.there()) continue;
    if (!hold.mine()) throw FolderRefusal(FolderRefusal::Why::taken, shown);
    std::error_code failed;
    if (what == Beside::earlier && !worth_keeping(folder) && !fs::is_empty(left, failed)) {
      bring_back(folder, left);
    } else {
      fs::remove_all(left, failed);
    }
  }
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

std::vector<std::string> move_contents(const fs::path& from, const fs::path& to,
                                       const std::set<std::string>& but) {
  std::vector<std::string> moved;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(from, failed)) {
    const std::string name = entry.path().filename().string();
    if (but.count(name) > 0) continue;
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
