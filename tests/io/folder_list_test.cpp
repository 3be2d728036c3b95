#include "likely/io/folder_list.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "tests/support/temporary_folder.hpp"

namespace likely::io::detail {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;
using testing::write_bytes;

TEST(FolderList, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  const FolderPrint print = folder_print_of(folder.path()).value();
  const FilePrint file{12, 34, 56, 78};
  const FilePrint again{13, 35, 57, 79};
  ListWriter list;
  EXPECT_FALSE(list.is_open());
  ASSERT_EQ(list.begin(folder / "list", print, {"report.json", "a sign"}), 0);
  EXPECT_TRUE(list.is_open());
  ASSERT_EQ(list.note({{"figures", {}}, {"figures/a b\n\xff.png", {file}}, {"x", {file}}}), 0);
  ASSERT_EQ(list.note({{"x", {again}}}), 0);
  ASSERT_EQ(list.note_growing("log", 5, 0, 10), 0);
  const std::size_t size = fs::file_size(folder / "list");
  ASSERT_EQ(list.note_growing("log", 5, 10, 20), 0);
  EXPECT_EQ(fs::file_size(folder / "list"), size);
  ASSERT_EQ(list.note({{"last", {}}}), 0);
  ASSERT_EQ(list.sync(), 0);
  const FolderList read = read_list(folder / "list").value();
  EXPECT_EQ(read.folder, print);
  EXPECT_EQ(read.signs, (std::set<std::string>{"a sign", "report.json"}));
  const Prints grown{{5, 10, 0, FilePrint::kAnyTime}, {5, 20, 0, FilePrint::kAnyTime}};
  EXPECT_EQ(read.noted, (Noted{{"figures", {}},
                               {"figures/a b\n\xff.png", {file}},
                               {"last", {}},
                               {"log", grown},
                               {"x", {file, again}}}));
}

TEST(FolderList, SaysNothingWhereItIsNoneOrNotWhole) {
  using namespace std::string_literals;
  const TemporaryFolder folder;
  EXPECT_FALSE(read_list(folder / "none"));
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(read_list(folder / "pipe"));  // and nobody waits for it
  for (const std::string& text : {""s, "thesis.txt\0"s, "likely-list 1 1 2 3 4"s,
                                  "likely-list 2 1 2 3 4\0folder a\0"s, "likely-list 1 1 2 3\0folder a\0"s,
                                  "likely-list 1 1 2 3 x\0folder a\0"s, "\0likely-list 1 1 2 3 4\0"s}) {
    write_bytes(folder / "list", text);
    EXPECT_FALSE(read_list(folder / "list")) << text;
  }
  write_bytes(
      folder / "list",
      "likely-list 1 1 2 3 4\0thesis.txt\0file 1 2 3 thesis.txt\0file 1 2 3 4\0file 1 2 3 4 \0grows 1 2 "
      "a\0file 1 2 3 4 a\0folder cut o"s);
  EXPECT_EQ(read_list(folder / "list").value().noted, (Noted{{"a", {{1, 2, 3, 4}}}}));
}

TEST(FolderList, FailsWithTheReasonOfTheSystem) {
  const TemporaryFolder folder;
  ListWriter list;
  EXPECT_EQ(list.begin(folder / "none/list", {}), ENOENT);
  fs::create_symlink("elsewhere", folder / "link");
  EXPECT_EQ(list.begin(folder / "link", {}), ELOOP);
  EXPECT_FALSE(fs::exists(folder / "elsewhere"));
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  EXPECT_EQ(list.begin("/dev/full", {}), ENOSPC);
}

TEST(FolderPrint, IsOfOneFolder) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "a");
  fs::create_symlink("a", folder / "link");
  const auto print = folder_print_of(folder / "a");
  ASSERT_TRUE(print);
  fs::rename(folder / "a", folder / "b");
  EXPECT_EQ(folder_print_of(folder / "b"), print);
  EXPECT_FALSE(folder_print_of(folder / "link"));
  EXPECT_FALSE(folder_print_of(folder / "a"));
  fs::create_directory(folder / "a");
  EXPECT_NE(folder_print_of(folder / "a"), print);
}

}  // namespace
}  // namespace likely::io::detail
