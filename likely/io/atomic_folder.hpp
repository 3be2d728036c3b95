// AtomicFolder: a folder of results that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "likely/io/folder_claim.hpp"
#include "likely/io/folder_lock.hpp"

namespace likely::io {

// Its files are written under a temporary name beside the target, which is this process's alone. commit()
// lets both trade places in one step; without it the destructor takes everything away, and what was there
// stays. The target is locked from the beginning to the end.
//
//   io::AtomicFolder folder("results", {.mark = "fit.json"});
//   io::write_file(folder.path() / "fit.json", text);
//   folder.commit();
//
// Refuses, at once, an empty name, a file, a folder that holds an earlier result (unless it is to be
// replaced) and one that holds anything else, one that somebody else writes to, one that cannot be replaced
// as a whole (the current folder, a mounted file system), and a full disk. What others put into the target
// meanwhile is kept, beside the results.
class AtomicFolder {
 public:
  explicit AtomicFolder(const std::filesystem::path& target, const FolderRules& rules = {});
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  // Where to write now, and where it will be.
  const std::filesystem::path& path() const { return unfinished_.path(); }
  const std::filesystem::path& target() const { return claim_.shown(); }
  // Once, at the end. Refuses where somebody has put another folder in the target's place, or is writing to
  // a folder in it.
  void commit();
  // What a user should know, in sentences: of what a killed command had left, and, after commit(), of earlier
  // results that could not be removed.
  const std::vector<std::string>& told() const { return told_; }
  // After commit(): the names of what others put into the target meanwhile.
  const std::vector<std::string>& kept() const { return kept_; }

 private:
  void trade_places();

  std::filesystem::path place_for_new();

  detail::FolderClaim claim_;
  std::vector<std::string> told_;
  FolderLock unfinished_;
  bool committed_ = false;
  std::vector<std::string> kept_;
};

}  // namespace likely::io
