#include "likely/io/remove_inside.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temporary_folder.hpp"

namespace likely::io::detail {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;
using testing::write_bytes;

// Whatever is there, as it is now.
void remove_known(const fs::path& folder, const fs::path& inside) {
  remove_inside(folder, inside, prints_of(folder / inside));
}

TEST(RemoveInside, TakesFilesLinksAndEmptyFolders) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "in/a/b");
  write_bytes(folder / "in/a/file", "x");
  write_bytes(folder / "target", "y");
  fs::create_symlink(folder / "target", folder / "in/a/link");
  remove_known(folder / "in", "a");  // which is not empty
  EXPECT_TRUE(fs::exists(folder / "in/a/file"));
  remove_known(folder / "in", "a/file");
  remove_known(folder / "in", "a/link");
  remove_known(folder / "in", "a/b");
  remove_known(folder / "in", "a");
  EXPECT_TRUE(fs::is_empty(folder / "in"));
  EXPECT_TRUE(fs::exists(folder / "target"));
}

TEST(RemoveInside, TakesOnlyWhatIsAsItWasNoted) {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "one");
  const Prints one = prints_of(folder / "file");
  remove_inside(folder.path(), "file", {});  // was a folder
  EXPECT_TRUE(fs::exists(folder / "file"));
  write_bytes(folder / "file", "another");
  remove_inside(folder.path(), "file", one);
  EXPECT_TRUE(fs::exists(folder / "file"));
  fs::create_directory(folder / "now");
  remove_inside(folder.path(), "now", one);  // was a file
  EXPECT_TRUE(fs::exists(folder / "now"));
  // Of the same size and in another file, or in the same file at another time.
  write_bytes(folder / "other", "another");
  FilePrint noted = prints_of(folder / "file").at(0);
  remove_inside(folder.path(), "other", {noted});
  EXPECT_TRUE(fs::exists(folder / "other"));
  noted.nanoseconds = (noted.nanoseconds + 1) % 1'000'000'000;
  remove_inside(folder.path(), "file", {noted});
  EXPECT_TRUE(fs::exists(folder / "file"));
  // One of several, and one whose time nobody knew.
  noted.nanoseconds = FilePrint::kAnyTime;
  remove_inside(folder.path(), "file", {one[0], noted});
  EXPECT_FALSE(fs::exists(folder / "file"));
}

TEST(RemoveInside, NeverLeavesTheFolder) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "in/sub");
  fs::create_directories(folder / "out/empty");
  write_bytes(folder / "out/secret", "x");
  fs::create_directory_symlink("../out", folder / "in/link");
  fs::create_directory_symlink("in", folder / "also");
  for (const char* const path : {"link/secret", "link/empty", "../out/secret", "sub/../../out/secret", "..",
                                 ".", "", "link/", "sub/../../out/empty"})
    remove_known(folder / "in", path);
  remove_inside(folder / "in", (folder / "out/secret").string(), prints_of(folder / "out/secret"));
  write_bytes(folder / "in/kept", "x");
  remove_known(folder / "also", "kept");  // the folder itself is a link
  EXPECT_TRUE(fs::exists(folder / "out/secret"));
  EXPECT_TRUE(fs::exists(folder / "out/empty"));
  EXPECT_TRUE(fs::exists(folder / "in/kept"));
  EXPECT_TRUE(fs::exists(folder / "in/link"));
}

}  // namespace
}  // namespace likely::io::detail
