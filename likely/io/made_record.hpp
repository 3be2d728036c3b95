// MadeRecord: what this process makes in a folder. Only for io/, plot/, train/ and runs/.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "likely/io/file_print.hpp"
#include "likely/io/folder_list.hpp"

namespace likely::io {

// Whoever makes a file or a folder of results tells it here: what is not told is taken for somebody else's.
// It stays when a run that failed is cleared away, and is set aside where one of our files takes its name.
// io::AtomicFile tells its files, make_folders its folders. Where there is no memory to keep it in mind, what
// was made is removed again.
void note_made(const std::filesystem::path& path);

// std::filesystem::create_directories, told. Where there is a link to a folder in a folder of results, it is
// set aside. Throws std::filesystem::filesystem_error.
void make_folders(const std::filesystem::path& folder);

// Something of somebody else's that had a name of ours.
struct Kept {
  std::filesystem::path path;  // that it had
  std::string name;            // that it has now, in the same folder
};
std::string text_of(const Kept& kept);

namespace detail {

// What was made is another file by now, or a longer one.
void note_changed(const std::filesystem::path& path);

// Before something is made: a process that dies in between shall not leave what nobody knows. A file is known
// by the prints of its unfinished version, which are its own; a folder has none.
void note_making(const std::filesystem::path& path, const Prints& prints);
// Before a file of ours, which is open, grows from one size to another.
void note_growing(const std::filesystem::path& path, int file, std::int64_t from, std::int64_t to);

enum class Whose : std::uint8_t { not_recorded, nothing_there, ours, others };
// What is at a path where results are being made. A file is ours as long as it is as we left it.
Whose whose(const std::filesystem::path& path);

// Gives what is there another name, NAME.kept, NAME.kept-2, ...
void set_aside(const std::filesystem::path& path);
// The name for the n-th time, from 1 on; as long as names may be.
std::string kept_name(const std::string& name, int count);

// A path in a folder of results as a user knows it: by the name that the folder was given. Others as they
// are.
std::filesystem::path as_shown(const std::filesystem::path& path);

// Refuses a path in a folder of results that is gone, or in whose place there is another by now, and one that
// leads through a link in that folder.
void check_place(const std::filesystem::path& path);
// The first link in a folder of results on the way to a folder in it, or that folder itself.
std::optional<std::filesystem::path> link_on_the_way_into(const std::filesystem::path& folder);

// While it is alive, all that is told of things in the folder.
class MadeRecord {
 public:
  enum class Known : std::uint8_t { nothing, all };  // of what is there already, is ours

  // `shown` is how the folder was named, `folder` its canonical path.
  MadeRecord(std::filesystem::path folder, std::filesystem::path shown, Known known = Known::nothing);
  ~MadeRecord();
  MadeRecord(const MadeRecord&) = delete;
  MadeRecord& operator=(const MadeRecord&) = delete;

  // From now on it is about the folder that is at this path now.
  void take_place();
  // Writes down what is made in `made`, in another folder, for whoever finds it after this process has died,
  // with the names that make it worth keeping. Returns 0 or the system's error.
  int list_in(const std::filesystem::path& other, const std::filesystem::path& made,
              const std::set<std::string>& signs_of_worth);
  // Whether there is something that this process made under one of these names, anywhere in the folder.
  bool has_made(const std::set<std::string>& names) const;
  // Takes it away: files that are as they were left, and those folders that are empty then. `folder`: where
  // it lies now.
  void remove_made(const std::filesystem::path& folder) const;
  // What was set aside, by the record that began first.
  const std::vector<Kept>& kept() const { return kept_; }

 private:
  friend class Records;

  bool covers(const std::filesystem::path& whole, const std::filesystem::path& place) const;
  void check() const;
  bool is_listing(const std::filesystem::path& inside);

  std::filesystem::path folder_, shown_, named_;
  std::pair<dev_t, ino_t> identity_{};
  Noted known_, made_;
  ListWriter list_;
  std::set<std::string> signs_of_worth_;
  bool is_worth_keeping_ = false;  // its files are not listed again: they stay in any case
  std::set<std::filesystem::path> listed_;
  std::vector<Kept> kept_;
};

}  // namespace detail

}  // namespace likely::io
