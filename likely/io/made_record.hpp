// MadeRecord: what this process makes in a folder.
#pragma once

#include <filesystem>
#include <set>

namespace likely::io {

// Whoever makes a file or a folder of results tells it here: what is not told is taken for somebody else's,
// and stays when a run that failed is cleared away. io::AtomicFile tells its files, make_folders its folders.
// Where there is no memory to keep it in mind, what was made is removed again.
void note_made(const std::filesystem::path& path);

// std::filesystem::create_directories, told. Throws std::filesystem::filesystem_error.
void make_folders(const std::filesystem::path& folder);

namespace detail {

// While it is alive, all that is told of things in the folder (which is canonical).
class MadeRecord {
 public:
  explicit MadeRecord(std::filesystem::path folder);
  ~MadeRecord();
  MadeRecord(const MadeRecord&) = delete;
  MadeRecord& operator=(const MadeRecord&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  void note(const std::filesystem::path& inside) { made_.insert(inside); }
  // Takes it away: files, and those folders that are empty then. `folder`: where it lies now.
  void remove_made(const std::filesystem::path& folder) const;

 private:
  std::filesystem::path folder_;
  std::set<std::filesystem::path> made_;  // relative to the folder
};

}  // namespace detail

}  // namespace likely::io
