#include "likely/io/workshop.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <optional>

#include "likely/io/unfinished_file.hpp"
#include "tests/support/other_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io::detail {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;
using testing::write_bytes;

TEST(Workshop, IsPrivateAndGoesWithItsMaker) {
  const TemporaryFolder folder;
  {
    Workshop workshop;
    ASSERT_EQ(workshop.make(folder.path()), 0);
    EXPECT_TRUE(is_workshop(workshop.path()));
    EXPECT_EQ(fs::status(workshop.path()).permissions(), fs::perms::owner_all);
    write_bytes(workshop.path() / "draw.gp", "x");
  }
  EXPECT_EQ(folder.list(), "");
  Workshop nowhere;
  EXPECT_EQ(nowhere.make(folder / "none"), ENOENT);
  EXPECT_TRUE(nowhere.path().empty());
}

TEST(Workshop, TakesAwayThoseOfTheDeadOnly) {
  const TemporaryFolder folder;
  testing::in_a_process_that_dies([&] {
    Workshop killed;
    if (killed.make(folder.path()) == 0) write_bytes(killed.path() / "draw.gp", "x");
    testing::die();
  });
  EXPECT_EQ(folder.list().substr(0, 15), ".likely-figure-");
  fs::create_directory(folder / ".likely-figure-alive1");
  fs::create_directory(folder / ".likely-figure-longer-name");
  fs::create_directory(folder / "victim");
  write_bytes(folder / "victim/letter", "keep me");
  write_bytes(folder / ".likely-figure-a-file", "keep me");
  fs::create_directory_symlink("victim", folder / ".likely-figure-a-link");
  const testing::OtherProcess other(folder / ".likely-figure-alive1");
  {
    Workshop mine;
    ASSERT_EQ(mine.make(folder.path()), 0);
    Workshop second;  // another part of this process
    ASSERT_EQ(second.make(folder.path()), 0);
    EXPECT_TRUE(fs::exists(mine.path()));
    remove_unfinished_files(folder.path());
    EXPECT_TRUE(fs::exists(mine.path()));
    EXPECT_TRUE(fs::exists(second.path()));
  }
  EXPECT_EQ(
      folder.list(),
      ".likely-figure-a-file .likely-figure-a-link .likely-figure-alive1 .likely-figure-longer-name victim");
  EXPECT_TRUE(fs::exists(folder / "victim/letter"));
}

}  // namespace
}  // namespace likely::io::detail
