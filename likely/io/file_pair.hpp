// FilePair: two files that belong together and are replaced together.
#pragma once

#include <filesystem>

namespace likely::io {

namespace detail {

// Held by one process at a time, for two files of which this is the first.
class PairLock {
 public:
  explicit PairLock(const std::filesystem::path& first);
  ~PairLock();
  PairLock(const PairLock&) = delete;
  PairLock& operator=(const PairLock&) = delete;

  bool taken() const { return taken_; }  // by another
  void release();

 private:
  std::filesystem::path path_;
  int file_ = -1;
  bool taken_ = false;
};

}  // namespace detail

// From its beginning to done() the first of two files is to be replaced, and then the second, which says what
// the first is. Without done() both that were there are as they were (a first one that was not there is the
// caller's to take away). Whoever is killed in between leaves both old ones, both
// new ones or, until settle_pair() is called for them, the first alone: never one of each kind.
//
//   io::settle_pair("trials.tsv", "trials-parameters.csv");
//   io::FilePair both("trials.tsv", "trials-parameters.csv");
//   trials.commit();
//   parameters.commit();
//   both.done();
//
// What is no plain file is left alone. Refuses where another process replaces them, and what the disk
// refuses.
class FilePair {
 public:
  FilePair(std::filesystem::path first, std::filesystem::path second);
  ~FilePair();
  FilePair(const FilePair&) = delete;
  FilePair& operator=(const FilePair&) = delete;

  void done();

 private:
  std::filesystem::path first_, second_;
  detail::PairLock lock_;
  bool settled_ = false;
};

// Puts in order what a process has left that was killed while it replaced these two.
void settle_pair(const std::filesystem::path& first, const std::filesystem::path& second);

}  // namespace likely::io
