// The locks of a run folder and of its seeds' folders. Internal to runs/.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "likely/io/folder_lock.hpp"
#include "likely/io/made_record.hpp"
#include "likely/train/events.hpp"

namespace likely::runs {

// Holds them all, by one rule for what killed processes have left beside them.
class RunLocks {
 public:
  enum class To : unsigned char {
    // The run that lies in a folder stays, whatever it was to replace; where there is none, what was being
    // replaced comes back.
    go_on,
    draw  // what is there; nothing is traded for it
  };

  RunLocks(const std::filesystem::path& folder, To what);
  // Another one, of a seed. To be called before anybody looks at what is in it.
  void add(const std::filesystem::path& folder);
  // Removes temporary files of processes that were killed.
  void tidy() const { locks_.front()->tidy(); }

  // Canonical, of the first.
  const std::filesystem::path& path() const { return locks_.front()->path(); }
  // What was done, of all folders, in sentences for the user.
  std::vector<std::string> told() const;

 private:
  To what_;
  std::vector<std::unique_ptr<io::FolderLock>> locks_;
};

// Tells what was done to a folder as soon as it is known, and keeps it for the report.
class FolderNews {
 public:
  explicit FolderNews(train::EventSink events) : events_(std::move(events)) {}

  // All there is to tell so far: what was told before is not told again.
  void tell(const std::vector<std::string>& told, const std::vector<io::Kept>& kept = {});
  const std::vector<std::string>& all() const { return all_; }

 private:
  void add(const std::string& news);

  train::EventSink events_;
  std::vector<std::string> all_;
  std::size_t told_ = 0, kept_ = 0;
};

}  // namespace likely::runs
