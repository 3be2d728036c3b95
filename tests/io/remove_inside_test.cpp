#include "likely/io/remove_inside.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temporary_folder.hpp"

namespace likely::io::detail {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;
using testing::write_bytes;

TEST(RemoveInside, TakesFilesLinksAndEmptyFolders) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "in/a/b");
  write_bytes(folder / "in/a/file", "x");
  write_bytes(folder / "target", "y");
  fs::create_symlink(folder / "target", folder / "in/a/link");
  remove_inside(folder / "in", "a");  // which is not empty
  EXPECT_TRUE(fs::exists(folder / "in/a/file"));
  remove_inside(folder / "in", "a/file");
  remove_inside(folder / "in", "a/link");
  remove_inside(folder / "in", "a/b");
  remove_inside(folder / "in", "a");
  EXPECT_TRUE(fs::is_empty(folder / "in"));
  EXPECT_TRUE(fs::exists(folder / "target"));
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
    remove_inside(folder / "in", path);
  remove_inside(folder / "in", (folder / "out/secret").string());
  write_bytes(folder / "in/kept", "x");
  remove_inside(folder / "also", "kept");  // the folder itself is a link
  EXPECT_TRUE(fs::exists(folder / "out/secret"));
  EXPECT_TRUE(fs::exists(folder / "out/empty"));
  EXPECT_TRUE(fs::exists(folder / "in/kept"));
  EXPECT_TRUE(fs::exists(folder / "in/link"));
}

}  // namespace
}  // namespace likely::io::detail
