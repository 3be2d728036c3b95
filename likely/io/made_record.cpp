#include "likely/io/made_record.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

namespace likely::io {

namespace fs = std::filesystem;

namespace {

// Files are made all over the library, by functions that know nothing but a path: only the process can tell
// what it made.
std::mutex guard;
std::vector<detail::MadeRecord*> records;

void tell_records(const fs::path& path) {
  std::error_code failed;
  const fs::path whole = fs::absolute(path, failed);
  if (failed) return;
  const fs::path parent = fs::weakly_canonical(whole.parent_path(), failed);
  if (failed) return;
  const fs::path place = parent / whole.filename();
  for (detail::MadeRecord* record : records) {
    const fs::path inside = place.lexically_relative(record->folder());
    if (!inside.empty() && inside != "." && *inside.begin() != "..") record->note(inside);
  }
}

}  // namespace

void note_made(const fs::path& path) {
  const std::lock_guard lock(guard);
  if (records.empty()) return;
  try {
    tell_records(path);
  } catch (...) {
    // No memory: what cannot be told would be taken for somebody else's for ever.
    std::remove(path.c_str());
    throw;
  }
}

void make_folders(const fs::path& folder) {
  std::vector<fs::path> missing;
  for (fs::path part = fs::absolute(folder); !fs::exists(part); part = part.parent_path())
    missing.push_back(part);
  std::reverse(missing.begin(), missing.end());
  for (const fs::path& part : missing) {
    if (fs::create_directory(part)) note_made(part);
  }
  fs::create_directories(folder);  // says why where a file is in the way
}

namespace detail {

MadeRecord::MadeRecord(fs::path folder) : folder_(std::move(folder)) {
  const std::lock_guard lock(guard);
  records.push_back(this);
}

MadeRecord::~MadeRecord() {
  const std::lock_guard lock(guard);
  std::erase(records, this);
}

void MadeRecord::remove_made(const fs::path& folder) const {
  const std::lock_guard lock(guard);
  std::set<fs::path> folders;
  for (const fs::path& inside : made_) {
    struct stat there {};
    if (lstat((folder / inside).c_str(), &there) == 0) {
      if (S_ISDIR(there.st_mode)) {
        folders.insert(inside);
      } else {
        unlink((folder / inside).c_str());
      }
    }
    for (fs::path part = inside.parent_path(); !part.empty(); part = part.parent_path()) folders.insert(part);
  }
  // A folder sorts before what is in it.
  for (auto inside = folders.rbegin(); inside != folders.rend(); ++inside) rmdir((folder / *inside).c_str());
}

}  // namespace detail

}  // namespace likely::io
