// FolderList: what was noted of the things in a folder, in a file, so that another process knows them again.
// Only for io/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "likely/io/file_print.hpp"

namespace likely::io::detail {

struct FolderList {
  FolderPrint folder;           // of which it tells
  std::set<std::string> signs;  // names that make what is in it worth keeping
  Noted noted;                  // each with all prints that were ever noted
};

// Nothing where there is no such file, or one of another kind. What is not whole was never written to the
// end.
std::optional<FolderList> read_list(const std::filesystem::path& file);

// Writes one, piece by piece. Functions that can fail return 0 or the system's error.
class ListWriter {
 public:
  ListWriter() = default;
  ~ListWriter() { end(); }
  ListWriter(const ListWriter&) = delete;
  ListWriter& operator=(const ListWriter&) = delete;

  int begin(const std::filesystem::path& file, const FolderPrint& folder,
            const std::set<std::string>& signs = {});
  bool is_open() const { return file_ >= 0; }
  int note(const Noted& noted);
  // Of a file that is about to be written to: it has the first size or the second one. Each time in place of
  // what was told the time before.
  int note_growing(const std::filesystem::path& inside, std::uint64_t number, std::int64_t from,
                   std::int64_t to);
  int sync() const;
  void end();

 private:
  int write_at(std::int64_t place, const std::string& text) const;
  int append(const std::string& text);

  int file_ = -1;
  std::int64_t size_ = 0;
  std::map<std::filesystem::path, std::int64_t> growing_;  // where each is in the file
};

}  // namespace likely::io::detail
