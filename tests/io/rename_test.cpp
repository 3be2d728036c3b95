#include "likely/io/rename.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <functional>

#include "tests/support/temporary_folder.hpp"

namespace likely::io::detail {
namespace {

namespace fs = std::filesystem;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

// What the system does in one step, and what is done by hand where it cannot, are the same.
using Renaming = std::function<int(const fs::path&, const fs::path&)>;
const Renaming kRenamings[] = {rename_new, rename_new_by_hand};

TEST(Rename, GivesFilesFoldersAndLinksAnotherName) {
  for (const Renaming& rename : kRenamings) {
    const TemporaryFolder folder;
    write_bytes(folder / "file", "x");
    fs::create_directory(folder / "folder");
    write_bytes(folder / "folder/in", "y");
    fs::create_symlink("nowhere", folder / "link");
    for (const char* const name : {"file", "folder", "link"})
      EXPECT_EQ(rename(folder / name, folder / (std::string(name) + "2")), 0) << name;
    EXPECT_EQ(folder.list(), "file2 folder2 link2");
    EXPECT_EQ(read_bytes(folder / "file2"), "x");
    EXPECT_EQ(read_bytes(folder / "folder2/in"), "y");
    EXPECT_EQ(fs::read_symlink(folder / "link2"), "nowhere");
  }
}

TEST(Rename, ReplacesNothing) {
  for (const Renaming& rename : kRenamings) {
    const TemporaryFolder folder;
    for (const char* const name : {"file", "other file"}) write_bytes(folder / name, name);
    for (const char* const name : {"folder", "empty", "other folder"}) fs::create_directory(folder / name);
    write_bytes(folder / "folder/in", "y");
    for (const char* const name : {"link", "other link"}) fs::create_symlink("nowhere", folder / name);
    const std::string before = folder.list();
    for (const char* const from : {"file", "folder", "link"}) {
      for (const char* const to : {"other file", "empty", "other folder", "other link"})
        EXPECT_EQ(rename(folder / from, folder / to), EEXIST) << from << " to " << to;
    }
    EXPECT_EQ(folder.list(), before);
    EXPECT_EQ(read_bytes(folder / "other file"), "other file");
    EXPECT_EQ(rename(folder / "none", folder / "new"), ENOENT);
    EXPECT_EQ(rename(folder / "file", folder / "none/new"), ENOENT);
    EXPECT_EQ(read_bytes(folder / "file"), "file");
  }
}

using Trading = std::function<int(const fs::path&, const fs::path&, const fs::path&)>;
const Trading kTradings[] = {trade_places, trade_places_by_hand};

TEST(TradePlaces, LetsNamesTradePlacesOrLeavesThem) {
  for (const Trading& trade : kTradings) {
    const TemporaryFolder folder;
    for (const char* const name : {"a", "b"}) {
      fs::create_directory(folder / name);
      write_bytes(folder / name / "in", name);
    }
    EXPECT_EQ(trade(folder / "a", folder / "b", folder / "spare"), 0);
    EXPECT_EQ(folder.list(), "a b");
    EXPECT_EQ(read_bytes(folder / "a/in"), "b");
    EXPECT_EQ(read_bytes(folder / "b/in"), "a");
    EXPECT_EQ(trade(folder / "a", folder / "none", folder / "spare"), ENOENT);
    EXPECT_EQ(trade(folder / "none", folder / "b", folder / "spare"), ENOENT);
    EXPECT_EQ(folder.list(), "a b");
    EXPECT_EQ(read_bytes(folder / "a/in"), "b");
  }
  const TemporaryFolder folder;  // by hand, and the spare name is taken
  for (const char* const name : {"a", "b", "spare"}) write_bytes(folder / name, name);
  EXPECT_EQ(trade_places_by_hand(folder / "a", folder / "b", folder / "spare"), EEXIST);
  for (const char* const name : {"a", "b", "spare"}) EXPECT_EQ(read_bytes(folder / name), name);
}

}  // namespace
}  // namespace likely::io::detail
