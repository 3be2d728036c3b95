// The folder of one training: config.json, metrics.jsonl, checkpoint.safetensors, best.safetensors. Internal
// to train/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "likely/io/folder_lock.hpp"
#include "likely/io/growing_file.hpp"
#include "likely/io/made_record.hpp"

namespace likely::train::detail {

// Refuses a metrics.jsonl that is shorter, or whose first bytes have another checksum (where that is known).
void check_metrics(const char* caller, const std::filesystem::path& metrics, std::int64_t bytes,
                   std::optional<std::uint32_t> checksum);

class RunFolder {
 public:
  // Makes the folder where there is none and takes it for this training. Refuses one that cannot be made or
  // that another training or process writes to; all refusals name the caller.
  RunFolder(const char* caller, std::filesystem::path folder);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  // By paths that mean the same wherever this process works meanwhile: callbacks may change the folder.
  std::filesystem::path config() const { return folder_ / "config.json"; }
  std::filesystem::path metrics() const { return folder_ / "metrics.jsonl"; }
  std::filesystem::path checkpoint() const { return folder_ / "checkpoint.safetensors"; }
  std::filesystem::path best() const { return folder_ / "best.safetensors"; }
  // For a moment, or after a training that died in it: see CheckpointFiles.
  std::filesystem::path next_best() const { return folder_ / "best-next.safetensors"; }
  std::filesystem::path figures() const { return folder_ / "figures"; }

  // One of these files as a user knows it; the folder by the name that it was given.
  std::filesystem::path shown(const std::filesystem::path& file) const { return shown_ / file.filename(); }

  // Whether a training was begun here.
  bool holds_run() const;
  // Refuses to go on where the folder is gone, or another one is in its place.
  void check_place() const;
  // What was done with what a killed process had left beside it.
  const std::vector<std::string>& told() const { return lock_->told(); }
  // What of others' had a name of ours, unless somebody else tells it.
  const std::vector<io::Kept>& kept() const { return made_->kept(); }
  // Takes best-next.safetensors away, where it is ours; gives somebody else's another name.
  void drop_next_best() const;
  void free_next_best() const;
  // Refuses a disk on which so many bytes find no room.
  void check_room(std::int64_t bytes) const;

  void write_config(std::string_view text) const;

  // Before the first step: takes away what was written so far, and no more. What it made of the folders goes
  // with it, if they are empty then.
  void take_back();

  // Opens metrics.jsonl and cuts it to so many bytes: what a killed training wrote after its last checkpoint
  // will be written again. Refuses a file that is shorter.
  void open_metrics(std::int64_t bytes);
  // Appends one line, which the system has when this returns.
  void append_metrics(std::string_view line);
  std::int64_t metrics_bytes() const { return metrics_ ? metrics_->bytes() : 0; }
  std::uint32_t metrics_checksum() const { return metrics_checksum_; }

 private:
  const char* caller_;
  std::filesystem::path shown_, folder_;
  std::unique_ptr<io::FolderLock> lock_;
  std::unique_ptr<io::detail::MadeRecord> made_;
  std::unique_ptr<io::detail::GrowingFile> metrics_;
  std::uint32_t metrics_checksum_ = 0;
};

}  // namespace likely::train::detail
