#include "likely/io/file_pair.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "likely/io/atomic_file.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/other_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

void replace(FilePair& both, const std::filesystem::path& path) {
  AtomicFile file(path);
  file.write("new");
  both.commit(file);
}

class Pair : public ::testing::Test {
 protected:
  void SetUp() override {
    write_bytes(first_, "old");
    write_bytes(second_, "old");
  }
  void expect(const std::string& contents) const {
    EXPECT_EQ(read_bytes(first_), contents);
    EXPECT_EQ(read_bytes(second_), contents);
    EXPECT_EQ(folder_.list(), "first second");
  }

  TemporaryFolder folder_;
  const std::filesystem::path first_ = folder_ / "first", second_ = folder_ / "second";
};

TEST_F(Pair, IsReplacedTogether) {
  FilePair both(first_, second_, true);
  EXPECT_EQ(read_bytes(first_), "old");
  EXPECT_FALSE(std::filesystem::exists(second_));  // never of another kind than the first
  replace(both, first_);
  replace(both, second_);
  both.done();
  expect("new");
}

TEST_F(Pair, IsAsItWasOtherwise) {
  { FilePair both(first_, second_, true); }
  expect("old");
  {
    FilePair both(first_, second_, true);
    replace(both, first_);
  }
  expect("old");
}

TEST_F(Pair, IsPutInOrderAfterADeath) {
  for (const int renamed : {0, 1, 2}) {
    testing::in_a_process_that_dies([&] {
      FilePair both(first_, second_, true);
      if (renamed > 0) replace(both, first_);
      if (renamed > 1) replace(both, second_);
      testing::die();
    });
    settle_pair(first_, second_);
    expect(renamed < 2 ? "old" : "new");
  }
}

// Only what is known to be the killed process's own is undone: by its number, size and time.
TEST_F(Pair, IsNotTakenFromWhoWroteToItAfterADeath) {
  const auto rewrite = [](const std::filesystem::path& path, bool in_place) {
    if (!in_place) std::filesystem::remove(path);
    std::ofstream(path) << "mine";
  };
  for (const bool in_place : {true, false}) {
    for (const bool is_replaced : {true, false}) {
      SCOPED_TRACE(std::to_string(in_place) + " " + std::to_string(is_replaced));
      SetUp();
      testing::in_a_process_that_dies([&] {
        FilePair both(first_, second_, true);
        if (is_replaced) replace(both, first_);
        testing::die();
      });
      rewrite(first_, in_place);
      const std::vector<std::string> told = settle_pair(first_, second_);
      EXPECT_EQ(read_bytes(first_), "mine");
      if (in_place && !is_replaced) {  // the old one itself
        EXPECT_EQ(read_bytes(second_), "old");
        EXPECT_EQ(folder_.list(), "first second");
        EXPECT_EQ(told, std::vector<std::string>());
        continue;
      }
      EXPECT_EQ(read_bytes(folder_ / "first.kept"), "old");
      EXPECT_EQ(read_bytes(folder_ / "second.kept"), "old");
      EXPECT_EQ(folder_.list(), "first first.kept second.kept");
      EXPECT_EQ(told, std::vector<std::string>{
                          "a command that was to replace " + first_.string() +
                          " was killed, and the files are others by now: what it was to replace is kept as "
                          "second.kept and first.kept"});
      for (const char* name : {"first.kept", "second.kept"}) std::filesystem::remove(folder_ / name);
    }
  }
}

TEST_F(Pair, IsNotMixedWithASecondOfAnother) {
  testing::in_a_process_that_dies([&] {
    FilePair both(first_, second_, true);
    replace(both, first_);
    testing::die();
  });
  write_bytes(second_, "mine");
  settle_pair(first_, second_);
  EXPECT_EQ(read_bytes(first_), "new");
  EXPECT_EQ(read_bytes(second_), "mine");
  EXPECT_EQ(read_bytes(folder_ / "first.kept"), "old");
  EXPECT_EQ(read_bytes(folder_ / "second.kept"), "old");
  EXPECT_EQ(folder_.list(), "first first.kept second second.kept");
}

TEST_F(Pair, TakesAwayAFirstThatWasNotThere) {
  std::filesystem::remove(first_);
  std::filesystem::remove(second_);
  for (const bool is_rewritten : {false, true}) {
    {
      FilePair both(first_, second_, true);
      replace(both, first_);
      if (is_rewritten) write_bytes(first_, "mine");
    }
    EXPECT_EQ(folder_.list(), is_rewritten ? "first" : "");
  }
}

TEST_F(Pair, IsLeftToOneWhoIsAtWork) {
  FilePair both(first_, second_, true);
  replace(both, first_);
  {
    // As another process would find it: the lock of the one at work is another's.
    settle_pair(first_, second_);
  }
  EXPECT_EQ(read_bytes(first_), "new");
  EXPECT_FALSE(std::filesystem::exists(second_));
  testing::expect_refusal([&] { FilePair(first_, second_, true); },
                          "another process is writing to " + first_.string());
  replace(both, second_);
  both.done();
  expect("new");
}

TEST_F(Pair, IsMadeByOneAtATime) {
  std::filesystem::remove(first_);
  std::filesystem::remove(second_);
  {
    FilePair both(first_, second_, true);
    testing::expect_refusal([&] { FilePair(first_, second_, true); },
                            "another process is writing to " + first_.string());
    replace(both, first_);
    settle_pair(first_, second_);
    testing::expect_refusal([&] { FilePair(first_, second_, true); },
                            "another process is writing to " + first_.string());
    replace(both, second_);
    both.done();
  }
  expect("new");
}

TEST_F(Pair, LeavesNothingWhereItIsRefused) {
  const std::filesystem::path hidden = folder_ / ".second.of-first.likely-old";
  write_bytes(hidden, "somebody else's");
  testing::expect_refusal([&] { FilePair(first_, second_, true); },
                          "another process is writing to " + second_.string());
  EXPECT_EQ(read_bytes(hidden), "somebody else's");
  std::filesystem::remove(hidden);
  expect("old");
}

// Who dies as the first is replaced leaves a second name of it, by which it comes back.
TEST_F(Pair, HasASecondNameOfTheFirst) {
  {
    FilePair both(first_, second_, true);
    EXPECT_EQ(read_bytes(folder_ / ".first.likely-old"), "old");
    EXPECT_EQ(read_bytes(folder_ / ".second.of-first.likely-old"), "old");
    EXPECT_EQ(folder_.list(),
              ".first.likely-lock .first.likely-old .second.likely-lock .second.of-first.likely-old first");
  }
  expect("old");
}

TEST_F(Pair, IsRefusedWhereItsLockCannotBe) {
  for (const char* name : {"first", "second"}) {
    const std::string lock = "." + std::string(name) + ".likely-lock";
    const std::string refusal =
        (folder_ / name).string() + " cannot be written to: " + lock + " is in the way of its lock";
    ASSERT_EQ(mkfifo((folder_ / lock).c_str(), 0600), 0);
    testing::expect_refusal([&] { FilePair(first_, second_, true); }, refusal);
    EXPECT_TRUE(std::filesystem::is_fifo(folder_ / lock));
    std::filesystem::remove(folder_ / lock);
    std::filesystem::create_symlink("first", folder_ / lock);
    testing::expect_refusal([&] { FilePair(first_, second_, true); }, refusal);
    EXPECT_TRUE(std::filesystem::is_symlink(folder_ / lock));
    std::filesystem::remove(folder_ / lock);
  }
  expect("old");
}

// What appears under one of the names without being asked for is not touched.
TEST_F(Pair, ReplacesNothingWhereItMayNot) {
  std::filesystem::remove(first_);
  std::filesystem::remove(second_);
  AtomicFile first(first_, {.replace = false}), second(second_, {.replace = false});
  first.write("new");
  second.write("new");
  write_bytes(second_, "precious");
  {
    FilePair both(first_, second_, false);
    both.commit(first);
    EXPECT_THROW(both.commit(second), Error);
  }
  EXPECT_EQ(read_bytes(second_), "precious");
  EXPECT_EQ(folder_.list(), "second");
}

// "a.tsv" and "a.csv" have one "a-parameters.csv".
TEST_F(Pair, IsNotMixedWithAnotherThatHasTheSameSecond) {
  const std::filesystem::path other = folder_ / "other";
  {
    FilePair both(first_, second_, true);
    testing::expect_refusal([&] { FilePair(other, second_, true); },
                            "another process is writing to " + second_.string());
  }
  expect("old");
  testing::in_a_process_that_dies([&] {
    FilePair both(first_, second_, true);
    replace(both, first_);
    testing::die();
  });
  settle_pair(other, second_);
  EXPECT_EQ(read_bytes(first_), "new");
  EXPECT_FALSE(std::filesystem::exists(second_));
  settle_pair(first_, second_);
  expect("old");
}

TEST_F(Pair, ComesBackWhereOnlyTheSecondWasThere) {
  std::filesystem::remove(first_);
  testing::in_a_process_that_dies([&] {
    FilePair both(first_, second_, true);
    replace(both, first_);
    testing::die();
  });
  settle_pair(first_, second_);
  EXPECT_EQ(read_bytes(second_), "old");
  EXPECT_EQ(folder_.list(), "second");
  std::filesystem::remove(second_);
  testing::in_a_process_that_dies([&] {
    FilePair both(first_, second_, true);
    replace(both, first_);
    testing::die();
  });
  settle_pair(first_, second_);
  EXPECT_EQ(folder_.list(), "");
}

TEST_F(Pair, LeavesLinksAndFilesOfOthersUnderItsOwnNames) {
  const std::vector<std::string> names{".first.likely-new", ".first.likely-old",
                                       ".second.of-first.likely-old"};
  for (const std::string& name : names) std::filesystem::create_symlink("first", folder_ / name);
  settle_pair(first_, second_);
  for (const std::string& name : names) {
    EXPECT_TRUE(std::filesystem::is_symlink(folder_ / name)) << name;
    std::filesystem::remove(folder_ / name);
  }
  expect("old");
  // Another user's, which only root can make here.
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::all);
  for (const std::string& name : names) {
    write_bytes(folder_ / name, "planted");
    if (chown((folder_ / name).c_str(), 65534, 65534) != 0) GTEST_SKIP() << "only root can give files away";
  }
  std::filesystem::remove(first_);
  std::filesystem::remove(second_);
  settle_pair(first_, second_);
  EXPECT_FALSE(std::filesystem::exists(first_));
  EXPECT_FALSE(std::filesystem::exists(second_));
}

// A list tells of the folder that it was written in, wherever its files are by now.
TEST_F(Pair, IsNotTakenByAListOfAnotherFolder) {
  std::filesystem::remove(first_);
  std::filesystem::remove(second_);
  testing::in_a_process_that_dies([&] {
    FilePair both(first_, second_, true);
    replace(both, first_);
    testing::die();
  });
  const TemporaryFolder elsewhere;
  for (const char* name : {"first", ".first.likely-new"})
    std::filesystem::rename(folder_ / name, elsewhere / name);
  settle_pair(elsewhere / "first", elsewhere / "second");
  EXPECT_EQ(read_bytes(elsewhere / "first"), "new");
}

TEST_F(Pair, NeedNotBeThere) {
  std::filesystem::remove(second_);
  testing::in_a_process_that_dies([&] {
    FilePair both(first_, second_, true);
    replace(both, first_);
    testing::die();
  });
  settle_pair(first_, second_);
  EXPECT_EQ(read_bytes(first_), "old");
  EXPECT_EQ(folder_.list(), "first");
  std::filesystem::remove(first_);
  settle_pair(first_, second_);
  {
    FilePair both(first_, second_, true);
    replace(both, first_);
    replace(both, second_);
    both.done();
  }
  expect("new");
}

}  // namespace
}  // namespace likely::io
