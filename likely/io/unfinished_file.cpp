#include "likely/io/unfinished_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <string_view>
#include <system_error>
#include <vector>

#include "likely/io/rename.hpp"
#include "likely/io/workshop.hpp"

namespace likely::io::detail {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kEnding = ".likely-tmp";

// Takes ".<number>" from the end.
bool take_number(std::string_view& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size()) return false;
  unsigned number = 0;
  const auto [end, error] = std::from_chars(name.data() + dot + 1, name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return false;
  name = name.substr(0, dot);
  return true;
}

void remove_if_unfinished(const fs::directory_entry& entry) {
  std::error_code unknown;
  if (!is_unfinished_file(entry.path().filename().string()) || !entry.is_regular_file(unknown) ||
      entry.is_symlink(unknown))
    return;
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

bool is_unfinished_file(const std::string& name) {
  std::string_view rest = name;
  if (!rest.starts_with('.') || !rest.ends_with(kEnding)) return false;
  rest.remove_suffix(kEnding.size());
  return take_number(rest) && take_number(rest) && rest.size() > 1;
}

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
    if (is_workshop(at->path())) workshops.push_back(at->path());
  }
  for (const fs::path& workshop : workshops) remove_dead_workshop(workshop);
}

void remove_unfinished_versions(const fs::path& file) {
  const std::string beginning = beginning_of_versions(file);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().filename().string().starts_with(beginning)) remove_if_unfinished(*at);
  }
}

}  // namespace likely::io::detail
