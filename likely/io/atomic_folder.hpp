// AtomicFolder: a folder of results that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>

namespace likely::io {

// Its files are written under a temporary name beside the target, which is made by the first path(). commit()
// gives them the target's name; without it the destructor takes everything away, and what was there stays.
//
//   io::AtomicFolder folder("results", {.mark = "fit.json"});
//   io::write_file(folder.path() / "fit.json", text);
//   folder.commit();
struct AtomicFolderOptions {
  std::string mark{};    // the file by which an earlier result is known
  bool replace = false;  // an earlier result
};

// Refuses, at once, an empty name, a file, a folder that holds an earlier result (unless it is to be
// replaced) and one that holds anything else.
class AtomicFolder {
 public:
  explicit AtomicFolder(std::filesystem::path target, const AtomicFolderOptions& options = {});
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  // Where to write now, and where it will be.
  const std::filesystem::path& path();
  const std::filesystem::path& target() const { return target_; }
  // Once, at the end.
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;   // empty before path() and after commit()
  std::filesystem::path first_made_;  // the outermost folder that was not there
};

}  // namespace likely::io
