#include "likely/io/file_pair.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "likely/io/atomic_file.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/other_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

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
  FilePair both(first_, second_);
  EXPECT_EQ(read_bytes(first_), "old");
  EXPECT_FALSE(std::filesystem::exists(second_));  // never of another kind than the first
  write_file(first_, "new");
  write_file(second_, "new");
  both.done();
  expect("new");
}

TEST_F(Pair, IsAsItWasOtherwise) {
  { const FilePair both(first_, second_); }
  expect("old");
  {
    const FilePair both(first_, second_);
    write_file(first_, "new");
  }
  expect("old");
}

TEST_F(Pair, IsPutInOrderAfterADeath) {
  for (const int renamed : {0, 1, 2}) {
    testing::in_a_process_that_dies([&] {
      const FilePair both(first_, second_);
      if (renamed > 0) write_file(first_, "new");
      if (renamed > 1) write_file(second_, "new");
      testing::die();
    });
    settle_pair(first_, second_);
    expect(renamed < 2 ? "old" : "new");
  }
}

TEST_F(Pair, IsLeftToOneWhoIsAtWork) {
  FilePair both(first_, second_);
  write_file(first_, "new");
  {
    // As another process would find it: the lock of the one at work is another's.
    settle_pair(first_, second_);
  }
  EXPECT_EQ(read_bytes(first_), "new");
  EXPECT_FALSE(std::filesystem::exists(second_));
  testing::expect_refusal([&] { FilePair(first_, second_); },
                          "another process is writing to " + first_.string());
  write_file(second_, "new");
  both.done();
  expect("new");
}

TEST_F(Pair, IsMadeByOneAtATime) {
  std::filesystem::remove(first_);
  std::filesystem::remove(second_);
  {
    FilePair both(first_, second_);
    testing::expect_refusal([&] { FilePair(first_, second_); },
                            "another process is writing to " + first_.string());
    write_file(first_, "new");
    settle_pair(first_, second_);
    testing::expect_refusal([&] { FilePair(first_, second_); },
                            "another process is writing to " + first_.string());
    write_file(second_, "new");
    both.done();
  }
  expect("new");
}

TEST_F(Pair, LeavesNothingWhereItIsRefused) {
  const std::filesystem::path hidden = folder_ / ".second.likely-old";
  write_bytes(hidden, "somebody else's");
  testing::expect_refusal([&] { FilePair(first_, second_); },
                          "another process is writing to " + second_.string());
  EXPECT_EQ(read_bytes(hidden), "somebody else's");
  std::filesystem::remove(hidden);
  expect("old");
}

// Who dies as the first is replaced leaves a second name of it, by which it comes back.
TEST_F(Pair, HasASecondNameOfTheFirst) {
  {
    FilePair both(first_, second_);
    EXPECT_EQ(read_bytes(folder_ / ".first.likely-old"), "old");
    EXPECT_EQ(read_bytes(folder_ / ".second.likely-old"), "old");
    EXPECT_EQ(folder_.list(), ".first.likely-lock .first.likely-old .second.likely-old first");
  }
  expect("old");
}

TEST_F(Pair, LeavesAPipeUnderTheNameOfTheLock) {
  ASSERT_EQ(mkfifo((folder_ / ".first.likely-lock").c_str(), 0600), 0);
  {
    FilePair both(first_, second_);
    write_file(first_, "new");
    write_file(second_, "new");
    both.done();
  }
  EXPECT_EQ(folder_.list(), ".first.likely-lock first second");
}

TEST_F(Pair, NeedNotBeThere) {
  std::filesystem::remove(second_);
  testing::in_a_process_that_dies([&] {
    const FilePair both(first_, second_);
    write_file(first_, "new");
    testing::die();
  });
  settle_pair(first_, second_);
  EXPECT_EQ(read_bytes(first_), "old");
  EXPECT_EQ(folder_.list(), "first");
  std::filesystem::remove(first_);
  settle_pair(first_, second_);
  {
    FilePair both(first_, second_);
    write_file(first_, "new");
    write_file(second_, "new");
    both.done();
  }
  expect("new");
}

}  // namespace
}  // namespace likely::io
