#include "likely/io/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>

#include "likely/core/error.hpp"
#include "tests/support/check_gradients.hpp"
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

}  // namespace
}  // namespace likely::io
