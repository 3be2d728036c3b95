// FolderClaim: a folder that is taken for new results. Only for io/,
// train/ and models/; see AtomicFolder and LiveFolder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "likely/io/file_print.hpp"
#include "likely/io/folder_leftovers.hpp"
#include "likely/io/folder_lock.hpp"

namespace likely::io {

// What may lie in the folder, and what is said where something else does.
struct FolderRules {
  std::string mark{};     // the file by which earlier results are known
  bool replace = false;   // them, with all that the folder holds
  std::string setting{};  // that names the folder, for refusals: "out"; empty: the folder alone is named
  std::string earlier{};  // what is said of earlier results; empty: a usual sentence
  // Files and folders that are to be read: refused where they are to be replaced.
  std::vector<std::filesystem::path> inputs{};
  // The names by one of which, anywhere in the folder, new results are worth more than the earlier ones
  // should this end before it is done. Empty: a checkpoint, a model or a report.
  std::set<std::string> signs_of_worth{};
};

namespace detail {

// Refuses a disk on which so many bytes find no room. `what` needs them.
void check_room(const std::filesystem::path& folder, const std::filesystem::path& shown, std::int64_t bytes,
                const std::string& what);

// The lock of the folder and a look at it. Refuses an empty name, a file, a folder that holds earlier results
// unless they are to be replaced, one that holds anything else, one whose replacement would take an input
// away, one in which somebody else is writing, and a full disk.
class FolderClaim {
 public:
  FolderClaim(const std::filesystem::path& target, const FolderRules& rules);
  ~FolderClaim();
  FolderClaim(const FolderClaim&) = delete;
  FolderClaim& operator=(const FolderClaim&) = delete;

  // As it was named, and where it is.
  const std::filesystem::path& shown() const { return shown_; }
  const std::filesystem::path& path() const { return lock_.path(); }
  const FolderLock& lock() const { return lock_; }
  // What a user should know of what was found beside it, in sentences.
  const std::vector<std::string>& told() const { return lock_.told(); }
  // Whether it held anything when it was claimed, which is to be replaced.
  bool holds_earlier() const { return !earlier_.empty(); }

  // Refuses a folder that cannot trade places with another: the one that this process works in, and one on
  // which a file system is mounted.
  void refuse_fixed() const;
  // Gives another folder, which is to take its place, its rights and, where that is allowed, its owner.
  void pass_rights_to(const std::filesystem::path& folder) const;
  // Before the folder trades places with another: writes down in it what may go, so that whoever finds it
  // after this process has died knows it, too. Returns 0 or the system's error.
  int note_earlier() const;
  // Takes away what was there before, which lies in `folder` now, and moves the rest, which others put there
  // meanwhile, into the place that it had.
  Cleared clear_earlier(const std::filesystem::path& folder) const;

 private:
  void refuse_inputs(const FolderRules& rules) const;
  [[noreturn]] void refuse(const std::string& why) const;

  std::filesystem::path shown_;
  FolderLock lock_;
  // What it held when it was claimed: paths relative to it, of the whole tree.
  Noted earlier_;
};

}  // namespace detail

}  // namespace likely::io
