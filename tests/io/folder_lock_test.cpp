#include "likely/io/folder_lock.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "likely/io/folder_path.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/other_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

namespace fs = std::filesystem;
using testing::expect_refusal;
using testing::OtherProcess;
using testing::TemporaryFolder;
using testing::write_bytes;

TEST(CanonicalFolder, FollowsLinksAndDots) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "a/b");
  fs::create_symlink(folder / "a", folder / "link");
  const fs::path at = fs::canonical(folder.path());
  EXPECT_EQ(detail::canonical_folder(folder / "a/./b/../b/"), at / "a/b");
  EXPECT_EQ(detail::canonical_folder(folder / "link/new/deep"), at / "a/new/deep");
  EXPECT_EQ(detail::canonical_folder(folder / "link/.."), at);
  EXPECT_EQ(detail::canonical_folder("/"), "/");
  EXPECT_EQ(detail::canonical_folder("nothing-of-this-name"), fs::current_path() / "nothing-of-this-name");
}

TEST(CanonicalFolder, RefusesToGoBackFromWhatIsNotThere) {
  const TemporaryFolder folder;
  const std::string at = folder.path().string();
  fs::create_directory(folder / "other");
  write_bytes(folder / "file", "");
  fs::create_symlink("nowhere", folder / "lost");
  const auto refuses = [&](const std::string& path, const std::string& missing) {
    expect_refusal([&] { detail::canonical_folder(at + path); },
                   at + path + ": there is no folder " + at + missing + " to go back from with \"..\"");
  };
  refuses("/new/..", "/new");
  refuses("/typo/../other", "/typo");
  refuses("/other/a/b/../..", "/other/a/b");
  refuses("/file/../other", "/file");
  expect_refusal([&] { detail::canonical_folder(at + "/lost/x"); },
                 at + "/lost/x: " + at + "/lost is a link that leads nowhere");
}

TEST(FolderLock, IsHeldByOne) {
  const TemporaryFolder folder;
  const std::string run = (folder / "run").string();
  std::optional<FolderLock> first(std::in_place, run);
  const auto take_it = [&] { FolderLock second(run); };
  expect_refusal(take_it, "another process is writing to " + run);
  // Under any name.
  fs::create_symlink("run", folder / "link");
  expect_refusal([&] { FolderLock second(folder / "link"); },
                 "another process is writing to " + (folder / "link").string());
  {
    const FolderLock part(run, {.within = true});
    expect_refusal([&] { FolderLock another(run, {.within = true}); },
                   "another process is writing to " + run);
  }
  {
    const FolderLock again(run, {.within = true});
    expect_refusal(take_it, "another process is writing to " + run);
  }
  first.reset();
  const FolderLock alone(run, {.within = true});
  expect_refusal(take_it, "another process is writing to " + run);
  expect_refusal([&] { FolderLock another(run, {.within = true}); }, "another process is writing to " + run);
}

TEST(FolderLock, IsFreeAfterAPartThatOutlivesTheWhole) {
  const TemporaryFolder folder;
  const std::string run = (folder / "run").string();
  fs::create_directory(run);
  std::optional<FolderLock> whole(std::in_place, run);
  std::optional<FolderLock> part(std::in_place, run, FolderLockOptions{.within = true});
  whole.reset();
  part.reset();
  const FolderLock next(run);
}

TEST(FolderLock, IsRefusedWhereAnotherProcessHasIt) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "run/seed-2");
  const std::string run = (folder / "run").string();
  {
    const OtherProcess other(run);
    expect_refusal([&] { FolderLock lock(run); }, "another process is writing to " + run);
    expect_refusal([&] { FolderLock lock(run, {.within = true}); }, "another process is writing to " + run);
  }
  const FolderLock lock(run);
  const OtherProcess below(run + "/seed-2");
  expect_refusal([&] { detail::refuse_used_below(run, "run"); }, "another process is writing to run/seed-2");
}

TEST(FolderLock, LeavesNothingBehindButWhatWasPutThere) {
  const TemporaryFolder folder;
  { const FolderLock lock(folder / "a/b/c"); }
  EXPECT_EQ(folder.list(), "");
  {
    const FolderLock lock(folder / "a/b/c");
    write_bytes(folder / "a/theirs", "x");
  }
  EXPECT_EQ(folder.list(), "a");
  EXPECT_FALSE(fs::exists(folder / "a/b"));
  expect_refusal([&] { FolderLock lock(folder / "none", {.make = false}); },
                 (folder / "none").string() + ": there is no such folder");
  expect_refusal([&] { FolderLock lock(folder / "a/theirs/c"); },
                 "cannot make the folder " + (folder / "a/theirs/c").string() + ": Not a directory");
}

TEST(FolderLock, TidiesUpAfterTheDeadOnly) {
  const TemporaryFolder folder;
  const FolderLock lock(folder.path());
  fs::create_directory(folder / "figures");
  write_bytes(folder / ".model.1.0.likely-tmp", "killed, though process 1 is alive: nobody holds it");
  write_bytes(folder / "figures/.loss.4000000.3.likely-tmp", "killed");
  write_bytes(folder / ".alive.4000000.7.likely-tmp", "being written");
  write_bytes(folder / ".draft.4000000.7.tmp", "not a name that likely writes");
  for (const char* theirs : {".notes.likely-tmp", ".a.b.1.likely-tmp", "x.1.2.likely-tmp", ".1.2.likely-tmp",
                             ".x.1.-2.likely-tmp", ".likely-tmp"})
    write_bytes(folder / theirs, "");
  const OtherProcess writer(folder / ".alive.4000000.7.likely-tmp");
  lock.tidy();
  EXPECT_EQ(folder.list(),
            ".1.2.likely-tmp .a.b.1.likely-tmp .alive.4000000.7.likely-tmp .draft.4000000.7.tmp .likely-tmp "
            ".notes.likely-tmp .x.1.-2.likely-tmp figures x.1.2.likely-tmp");
  EXPECT_TRUE(fs::is_empty(folder / "figures"));
}

}  // namespace
}  // namespace likely::io
