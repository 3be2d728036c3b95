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
// that were to be replaced are back; what others put there stays in any case. A folder in which there is a
// checkpoint, a model or a report by then has cost too much, and is kept.
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

  // Once, at the end.
  void keep();
  // Everything is as before, but for what others put there, whatever it has cost.
  void give_up();
  // Whether nothing was replaced, or there is something by now that is worth more.
  bool outdoes_earlier() const;

 private:
  void set_earlier_aside();

  detail::FolderClaim claim_;
  detail::MadeRecord made_;
  std::optional<FolderLock> other_;  // of the folder that traded places with the earlier one
  bool settled_ = false;             // kept or given up
};

}  // namespace likely::io
