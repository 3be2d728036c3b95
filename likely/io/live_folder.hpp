// LiveFolder: a folder of results that can be used while they are made, such as that of a training.
#pragma once

#include <filesystem>
#include <optional>

#include "likely/io/folder_claim.hpp"
#include "likely/io/folder_lock.hpp"
#include "likely/io/made_record.hpp"

namespace likely::io {

// Files are written to the target itself, by whoever knows its path (FolderLock, with `within`, for those who
// lock it, too). Without keep() the destructor takes away what this process made there, and earlier results
// that were to be replaced are back; what others put there stays in any case, under another name where it has
// one of ours. A folder in which this process has made a checkpoint, a model or a report by then
// (FolderRules::signs_of_worth) has cost too much, and is kept.
//
// While it lives, nothing is written into a folder that somebody puts in the target's place: io::AtomicFile
// and io::FolderLock refuse to. What this process has made is where the first folder is then, and earlier
// results that were to be replaced are beside it, as NAME.kept.
//
//   io::LiveFolder folder("runs/spirals", {.mark = "recipe.json"});
//   ...
//   folder.keep();
//
// Refuses what io::AtomicFolder refuses, but takes the current folder and mounted file systems where nothing
// is to be replaced.
class LiveFolder {
 public:
  LiveFolder(const std::filesystem::path& target, const FolderRules& rules);
  ~LiveFolder();
  LiveFolder(const LiveFolder&) = delete;
  LiveFolder& operator=(const LiveFolder&) = delete;

  // Once, at the end. Refuses where somebody has put another folder in the target's place.
  void keep();
  // Everything is as before, but for what others put there, whatever it has cost.
  void give_up();
  // Whether there were earlier results; and whether there were none, or something is there by now that is
  // worth more.
  bool replaces() const { return claim_.holds_earlier(); }
  bool outdoes_earlier() const { return !replaces() || is_worth_keeping(); }
  // What else a user should know, in sentences: of what a killed command had left, and of earlier results
  // that could not be removed.
  const std::vector<std::string>& told() const { return told_; }
  // What of others' had a name of ours, so far, unless a folder around this one has told it.
  const std::vector<Kept>& kept() const { return made_.kept(); }

 private:
  void set_earlier_aside();
  bool is_worth_keeping() const;
  bool is_in_place() const;
  void leave_earlier_beside();

  std::set<std::string> signs_of_worth_;
  detail::FolderClaim claim_;
  detail::MadeRecord made_;
  std::optional<FolderLock> other_;  // of the folder that traded places with the earlier one
  bool settled_ = false;             // kept or given up
  std::vector<std::string> told_;
};

}  // namespace likely::io
