#include "likely/io/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>

#include "likely/core/error.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/other_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using testing::expect_refusal;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

TEST(AtomicFile, AppearsWhenItIsWhole) {
  const TemporaryFolder folder;
  AtomicFile file(folder / "notes.txt");
  file.write("first ");
  file.write("second");
  EXPECT_EQ(file.size(), 12U);
  EXPECT_FALSE(std::filesystem::exists(folder / "notes.txt"));
  file.commit();
  EXPECT_EQ(read_bytes(folder / "notes.txt"), "first second");
  EXPECT_EQ(folder.list(), "notes.txt");
}

TEST(AtomicFile, TakesSmallAndLargePieces) {
  const TemporaryFolder folder;
  std::string expected;
  AtomicFile file(folder / "large");
  for (const std::size_t count : {1, 65'535, 1, 65'536, 65'537, 0, 300'000, 17}) {
    const std::string piece(count, static_cast<char>('a' + count % 26));
    file.write(piece);
    expected += piece;
  }
  file.commit();
  EXPECT_EQ(read_bytes(folder / "large"), expected);
}

TEST(AtomicFile, LeavesTheOldFileWhenItIsGivenUp) {
  const TemporaryFolder folder;
  write_bytes(folder / "weights", "old");
  {
    AtomicFile file(folder / "weights");
    file.write(std::string(200'000, 'x'));
  }
  EXPECT_EQ(read_bytes(folder / "weights"), "old");
  EXPECT_EQ(folder.list(), "weights");
  write_file(folder / "weights", "new");
  EXPECT_EQ(read_bytes(folder / "weights"), "new");
}

TEST(AtomicFile, HasTheRightsOfAnyNewFile) {
  const TemporaryFolder folder;
  write_file(folder / "ours", "x");
  std::ofstream(folder / "plain") << "x";
  struct stat ours {};
  struct stat plain {};
  ASSERT_EQ(stat((folder / "ours").c_str(), &ours), 0);
  ASSERT_EQ(stat((folder / "plain").c_str(), &plain), 0);
  EXPECT_EQ(ours.st_mode, plain.st_mode);
}

TEST(AtomicFile, RefusesWithTheSystemsReason) {
  const TemporaryFolder folder;
  const std::string missing = (folder / "nowhere/x").string();
  expect_refusal([&] { AtomicFile file(missing); },
                 "[AtomicFile] cannot create " + missing + ": No such file or directory");
  expect_refusal([&] { AtomicFile file(folder.path()); },
                 "[AtomicFile] " + folder.path().string() + " is a folder");
  expect_refusal([&] { AtomicFile file(""); }, "[AtomicFile] \"\" does not name a file");
  AtomicFile file(folder / "x");
  file.commit();
  const std::string path = (folder / "x").string();
  expect_refusal([&] { file.write("more"); },
                 "[AtomicFile] " + path + " was committed or has failed already");
  expect_refusal([&] { file.commit(); }, "[AtomicFile] " + path + " was committed or has failed already");
}

// In a process of its own: ends with 0 if the message is this one and nothing is left behind.
[[noreturn]] void write_beyond_a_limit(const TemporaryFolder& folder) {
  struct rlimit limit {};
  limit.rlim_cur = limit.rlim_max = 100'000;
  std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  try {
    AtomicFile file(folder / "weights");
    file.write(std::string(200'000, 'x'));
    file.commit();
  } catch (const Error& error) {
    const std::string wanted =
        "[AtomicFile] cannot write " + (folder / "weights").string() + ": File too large";
    std::_Exit(error.what() == wanted && folder.list() == "weights" ? 0 : 1);
  }
  std::_Exit(2);
}

TEST(AtomicFile, ReportsAFullDisk) {
  const TemporaryFolder folder;
  write_bytes(folder / "weights", "old");
  EXPECT_EXIT(write_beyond_a_limit(folder), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(read_bytes(folder / "weights"), "old");
}

mode_t rights_of(const std::filesystem::path& path) {
  struct stat there {};
  EXPECT_EQ(stat(path.c_str(), &there), 0) << path;
  return there.st_mode & 07777U;
}

TEST(AtomicFile, KeepsTheRightsOfWhatItReplaces) {
  const TemporaryFolder folder;
  for (const mode_t rights : {0600U, 0640U, 0755U}) {
    write_bytes(folder / "secret", "old");
    ASSERT_EQ(chmod((folder / "secret").c_str(), rights), 0);
    write_file(folder / "secret", "new");
    EXPECT_EQ(rights_of(folder / "secret"), rights);
    EXPECT_EQ(read_bytes(folder / "secret"), "new");
  }
}

TEST(AtomicFile, FollowsLinksAndLeavesThem) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "real");
  write_bytes(folder / "real/file", "old");
  std::filesystem::create_symlink("real/file", folder / "second");
  std::filesystem::create_symlink("second", folder / "first");
  std::filesystem::create_symlink("real/new", folder / "to-be");
  std::filesystem::create_symlink("round", folder / "round");
  write_file(folder / "first", "new");
  write_file(folder / "to-be", "made");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "first"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "to-be"));
  EXPECT_EQ(read_bytes(folder / "real/file"), "new");
  EXPECT_EQ(read_bytes(folder / "real/new"), "made");
  EXPECT_EQ(folder.list(), "first real round second to-be");
  expect_refusal(
      [&] { AtomicFile file(folder / "round"); },
      "[AtomicFile] cannot create " + (folder / "round").string() + ": Too many levels of symbolic links");
}

TEST(AtomicFile, WritesToWhatIsNoFile) {
  const TemporaryFolder folder;
  const std::string fifo = (folder / "fifo").string();
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  write_file(fifo, "through it");
  char bytes[20] = {};
  EXPECT_EQ(read(reader, bytes, sizeof bytes), 10);
  EXPECT_EQ(std::string(bytes), "through it");
  close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
  write_file("/dev/null", "gone");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  expect_refusal([] { write_file("/dev/full", "x"); },
                 "[AtomicFile] cannot write /dev/full: No space left on device");
  // An open file under another name.
  const int opened = open((folder / "file").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ASSERT_EQ(write(opened, "begun ", 6), 6);
  std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(opened), folder / "link");
  write_file(folder / "link", "and done");
  close(opened);
  EXPECT_EQ(read_bytes(folder / "file"), "begun and done");
}

TEST(AtomicFile, ReplacesNothingUnlessAllowed) {
  const TemporaryFolder folder;
  const std::string path = (folder / "x").string();
  AtomicFile late(path, {.replace = false});
  late.write("new");
  write_bytes(path, "theirs");
  expect_refusal([&] { late.commit(); }, "[AtomicFile] cannot rename to " + path + ": File exists");
  expect_refusal([&] { AtomicFile file(path, {.replace = false}); },
                 "[AtomicFile] cannot create " + path + ": File exists");
  EXPECT_EQ(read_bytes(path), "theirs");
  EXPECT_EQ(folder.list(), "x");
}

TEST(AtomicFile, TakesAwayWhatTheDeadHaveLeft) {
  const TemporaryFolder folder;
  testing::in_a_process_that_dies([&] {
    AtomicFile file(folder / "x");
    file.write("half");
    testing::die();
  });
  EXPECT_NE(folder.list(), "");
  AtomicFile alive(folder / "x");
  write_bytes(folder / ".y.4000000.1.likely-tmp", "of another file");
  write_file(folder / "x", "whole");
  alive.write("later");
  alive.commit();
  EXPECT_EQ(read_bytes(folder / "x"), "later");
  EXPECT_EQ(folder.list(), ".y.4000000.1.likely-tmp x");
}

TEST(AtomicFile, TakesTheLongestNames) {
  const TemporaryFolder folder;
  const std::string name(255, 'n');
  write_file(folder / name, "x");
  EXPECT_EQ(folder.list(), name);
}

// In a process of its own, without standard streams: no file takes their numbers.
[[noreturn]] void write_without_streams(const std::filesystem::path& path) {
  for (const int stream : {0, 1, 2}) close(stream);
  AtomicFile file(path);
  file.write("contents");
  for (const int stream : {0, 1, 2}) {
    if (write(stream, "progress", 8) >= 0) std::_Exit(1);
  }
  file.commit();
  std::_Exit(0);
}

TEST(AtomicFile, LeavesTheNumbersOfTheStandardStreamsAlone) {
  const TemporaryFolder folder;
  EXPECT_EXIT(write_without_streams(folder / "file"), ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(read_bytes(folder / "file"), "contents");
}

}  // namespace
}  // namespace likely::io
