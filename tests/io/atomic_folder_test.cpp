#include "likely/io/atomic_folder.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "likely/core/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {

namespace {

using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(AtomicFolder, AppearsWhenItIsCommitted) {
  const TemporaryFolder folder;
  {
    AtomicFolder results(folder / "deep/results/", {.mark = "r.json"});
    EXPECT_EQ(results.target(), folder / "deep/results");
    EXPECT_EQ(folder.list(), "");  // nothing before it is needed
    write_bytes(results.path() / "r.json", "{}");
    EXPECT_FALSE(std::filesystem::exists(folder / "deep/results"));
    results.commit();
  }
  EXPECT_EQ(read_bytes(folder / "deep/results/r.json"), "{}");
}

TEST(AtomicFolder, LeavesNothingBehindOtherwise) {
  const TemporaryFolder folder;
  {
    AtomicFolder results(folder / "deep/results");
    write_bytes(results.path() / "a", "1");
  }
  EXPECT_EQ(folder.list(), "");
}

TEST(AtomicFolder, ReplacesOnlyWhatIsMarkedAndOnlyIfTold) {
  const TemporaryFolder folder;
  const std::filesystem::path target = folder / "results";
  std::filesystem::create_directory(target);  // an empty one is taken
  {
    AtomicFolder first(target, {.mark = "r.json"});
    write_bytes(first.path() / "r.json", "first");
    write_bytes(first.path() / "old", "");
    first.commit();
  }
  EXPECT_EQ(error_of([&] { AtomicFolder(target, {.mark = "r.json"}); }),
            target.string() + " already holds results; replace them (--force) or choose another folder");
  {
    AtomicFolder failed(target, {.mark = "r.json", .replace = true});
    write_bytes(failed.path() / "r.json", "second");
  }
  EXPECT_EQ(read_bytes(target / "r.json"), "first");
  AtomicFolder second(target, {.mark = "r.json", .replace = true});
  write_bytes(second.path() / "r.json", "second");
  second.commit();
  EXPECT_EQ(read_bytes(target / "r.json"), "second");
  EXPECT_FALSE(std::filesystem::exists(target / "old"));
  EXPECT_EQ(folder.list(), "results");
}

TEST(AtomicFolder, RefusesFilesAndOtherFolders) {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "");
  EXPECT_EQ(error_of([&] { AtomicFolder(folder / "file"); }),
            (folder / "file").string() + ": this is a file, not a folder");
  EXPECT_EQ(error_of([&] { AtomicFolder(folder.path(), {.mark = "r.json", .replace = true}); }),
            folder.path().string() + ": the folder holds other things; choose another");
  EXPECT_EQ(error_of([] { AtomicFolder(""); }), "the folder for results has no name");
}

}  // namespace

}  // namespace likely::io
