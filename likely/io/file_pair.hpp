// FilePair: two files that belong together and are replaced together.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "likely/io/folder_list.hpp"

namespace likely::io {

namespace detail {

// Held by one process at a time, for one of two files. Refuses where something else has the lock's name.
class PairLock {
 public:
  explicit PairLock(const std::filesystem::path& file);
  ~PairLock();
  PairLock(const PairLock&) = delete;
  PairLock& operator=(const PairLock&) = delete;

  bool taken() const { return taken_; }  // by another
  void release();

 private:
  void release_without_removing();

  std::filesystem::path path_;
  int file_ = -1;
  bool taken_ = false;
};

}  // namespace detail

// From its beginning to done() the first of two files is made or replaced, and then the second, which says
// what the first is. Without done() both are as they were, unless both are new already. Whoever is killed in
// between leaves both old ones, both new ones or, until settle_pair() is called for them, the first alone:
// never one of each kind. Only what was committed here, and is as it was then, is ever taken away or
// replaced: where somebody else has written to one of the files, it stays, and the old ones are kept as
// NAME.kept. Without `replace` nothing that is there is touched: the files themselves then have to refuse
// what is in their way.
//
//   io::settle_pair("trials.tsv", "trials-parameters.csv");
//   io::FilePair both("trials.tsv", "trials-parameters.csv", true);
//   both.commit(trials);       // an AtomicFile or a CsvWriter
//   both.commit(parameters);
//   both.done();
//
// What is no plain file is left alone. Refuses where another process replaces them, and what the disk
// refuses.
class FilePair {
 public:
  FilePair(std::filesystem::path first, std::filesystem::path second, bool replace);
  ~FilePair();
  FilePair(const FilePair&) = delete;
  FilePair& operator=(const FilePair&) = delete;

  // The first of the two, and then the second. Refuses what the file refuses.
  template <class File>
  void commit(File& file) {
    file.commit([this](const std::filesystem::path& unfinished) { note(unfinished); });
  }
  void done();

 private:
  void note(const std::filesystem::path& unfinished);

  std::filesystem::path first_, second_;
  bool first_is_new_ = false;
  int noted_ = 0;
  detail::ListWriter list_;
  detail::PairLock first_lock_;
  std::optional<detail::PairLock> second_lock_;
  bool settled_ = false;
};

// Puts in order what a process has left that was killed while it replaced these two. Returns what a user
// should know, in sentences.
std::vector<std::string> settle_pair(const std::filesystem::path& first, const std::filesystem::path& second);

}  // namespace likely::io
