// FolderLock: one writer at a time in a folder.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "likely/core/error.hpp"

namespace likely::io {

// Why a folder cannot be had. `error` is the system's, where it has one, and `reason` what it means.
class FolderRefusal : public Error {
 public:
  enum class Why : std::uint8_t { taken, missing, cannot_make, cannot_open };
  FolderRefusal(Why why, const std::filesystem::path& folder, int error = 0);

  Why why;
  std::string reason;
  int error;
};

// What is done with what a process that was killed has left beside a folder.
enum class Leftovers : unsigned char {
  put_in_order,        // what was being replaced comes back unless there is something better by now
  keep_what_is_there,  // the run that is there stays, whatever it is worth, and what it replaces becomes
                       // X.kept
  leave,               // as they are
};

struct FolderLockOptions {
  bool make = true;  // the folder, and those around it, where they are missing; else they are refused
  // This is a part of a longer work in the same folder: the lock that this process holds is shared, with one.
  bool within = false;
  Leftovers leftovers = Leftovers::put_in_order;
};

// Holds a folder for this process as long as it lives; everybody who writes results into a folder takes it
// before looking at what is there. The system takes the lock away from a process that dies, and what such a
// process has left beside the folder is put in order by the next one that has the lock: results that were
// being replaced come back unless newer ones are there.
//
//   const io::FolderLock lock("runs/spirals");
//
// Refuses a folder that another process, or another part of this one, writes to; one that cannot be made or
// opened; and what canonical_folder refuses. Folders that were made and are empty at the end go away again.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder, const FolderLockOptions& options = {});
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  // Canonical.
  const std::filesystem::path& path() const { return path_; }
  // What was done with what a killed process had left, in sentences for the user.
  const std::vector<std::string>& told() const { return told_; }
  // Removes the temporary files of processes that were killed, below the folder, too.
  void tidy() const;
  // Whether it was not there before.
  bool made() const { return !made_.empty(); }
  // Whether the folder that is locked is (still) the one at this path.
  bool guards(const std::filesystem::path& path) const;

 private:
  void make_missing(const std::filesystem::path& shown);
  bool take(const std::filesystem::path& shown, const FolderLockOptions& options);
  void release();

  std::filesystem::path path_;
  std::vector<std::string> told_;
  std::vector<std::filesystem::path> made_;  // outermost first
  int file_ = -1;                            // what the system locks
  bool shares_ = false;                      // the lock that another part of this process holds
  std::pair<dev_t, ino_t> folder_{};
};

namespace detail {

// Refuses a folder in which, or anywhere below, somebody else is writing.
void refuse_used_below(const std::filesystem::path& folder, const std::filesystem::path& shown);

// False where another process holds the file or folder. The lock goes with the descriptor.
bool try_lock(int file);

}  // namespace detail

}  // namespace likely::io
