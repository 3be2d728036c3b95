#include "likely/io/atomic_folder.hpp"

#include <grp.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <set>

#include "likely/core/error.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/live_folder.hpp"
#include "tests/support/other_process.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {

namespace {

using testing::read_bytes;
using testing::refusal_of;
using testing::TemporaryFolder;
using testing::write_bytes;

std::string names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : " ") + name;
  return all;
}

detail::Noted noted_in(const std::filesystem::path& folder) {
  detail::Noted noted;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    noted[entry.path().lexically_relative(folder)] = detail::prints_of(entry.path());
  return noted;
}

TEST(AtomicFolder, AppearsWhenItIsCommitted) {
  const TemporaryFolder folder;
  {
    AtomicFolder results(folder / "deep/results/", {.mark = "r.json"});
    EXPECT_EQ(results.target(), folder / "deep/results");
    write_bytes(results.path() / "r.json", "{}");
    EXPECT_TRUE(std::filesystem::is_empty(folder / "deep/results"));
    results.commit();
  }
  EXPECT_EQ(read_bytes(folder / "deep/results/r.json"), "{}");
  EXPECT_FALSE(std::filesystem::exists(folder / "deep/.results.likely-new"));
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
  EXPECT_EQ(refusal_of([&] { AtomicFolder(target, {.mark = "r.json"}); }),
            target.string() + " already holds results; replace them (`force`) or choose another folder");
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
  EXPECT_EQ(refusal_of([&] { AtomicFolder(folder / "file"); }),
            (folder / "file").string() + ": this is a file, not a folder");
  EXPECT_EQ(refusal_of([&] { AtomicFolder(folder.path(), {.mark = "r.json", .replace = true}); }),
            folder.path().string() + ": the folder holds other things; choose another");
  EXPECT_EQ(refusal_of([] { AtomicFolder(""); }), "the folder for results has no name");
}

TEST(AtomicFolder, IsOfOneProcessFromTheBeginning) {
  const TemporaryFolder folder;
  const std::string target = (folder / "results").string();
  const AtomicFolder first(target, {.mark = "r.json"});
  for (const bool replace : {false, true}) {
    EXPECT_EQ(refusal_of([&] { AtomicFolder(target, {.mark = "r.json", .replace = replace}); }),
              "another process is writing to " + target);
  }
}

TEST(AtomicFolder, KeepsWhatOthersPutThereMeanwhile) {
  const TemporaryFolder folder;
  const std::filesystem::path target = folder / "results";
  std::filesystem::create_directory(target);
  write_bytes(target / "r.json", "first");
  AtomicFolder results(target, {.mark = "r.json", .replace = true});
  write_bytes(results.path() / "r.json", "second");
  write_bytes(results.path() / "table.csv", "second");
  write_bytes(target / "notes.txt", "theirs");
  write_bytes(target / "table.csv", "theirs");
  results.commit();
  EXPECT_EQ(results.kept(), (std::vector<std::string>{"notes.txt", "table.csv.kept"}));
  EXPECT_EQ(read_bytes(target / "r.json"), "second");
  EXPECT_EQ(read_bytes(target / "table.csv"), "second");
  EXPECT_EQ(read_bytes(target / "notes.txt"), "theirs");
  EXPECT_EQ(read_bytes(target / "table.csv.kept"), "theirs");
  EXPECT_EQ(folder.list(), "results");
}

// Also under the name of an earlier result: it is another file by then.
TEST(AtomicFolder, KeepsWhatOthersPutInThePlaceOfAnEarlierFile) {
  const TemporaryFolder folder;
  const std::filesystem::path target = folder / "results";
  std::filesystem::create_directory(target);
  for (const char* const name : {"r.json", "notes.txt", "untouched.txt"}) write_bytes(target / name, "first");
  AtomicFolder results(target, {.mark = "r.json", .replace = true});
  write_bytes(results.path() / "r.json", "second");
  write_bytes(folder / "mine", "theirs");
  std::filesystem::rename(folder / "mine", target / "notes.txt");
  results.commit();
  EXPECT_EQ(read_bytes(target / "r.json"), "second");
  EXPECT_EQ(read_bytes(target / "notes.txt"), "theirs");
  EXPECT_FALSE(std::filesystem::exists(target / "untouched.txt"));
  EXPECT_EQ(folder.list(), "results");
}

TEST(AtomicFolder, KeepsWhatOthersPutIntoEarlierFolders) {
  const TemporaryFolder folder;
  const std::filesystem::path target = folder / "results";
  std::filesystem::create_directories(target / "figures/old");
  write_bytes(target / "r.json", "first");
  write_bytes(target / "figures/old/a.png", "first");
  AtomicFolder results(target, {.mark = "r.json", .replace = true});
  write_bytes(results.path() / "r.json", "second");
  write_bytes(target / "figures/theirs.png", "theirs");
  std::filesystem::create_directory(target / "sub");
  {
    const testing::OtherProcess below(target / "sub");
    EXPECT_EQ(refusal_of([&] { results.commit(); }),
              "another process is writing to " + (target / "sub").string());
    EXPECT_EQ(read_bytes(target / "r.json"), "first");
  }
  results.commit();
  EXPECT_EQ(results.kept(), (std::vector<std::string>{"figures", "sub"}));
  EXPECT_EQ(read_bytes(target / "r.json"), "second");
  EXPECT_EQ(read_bytes(target / "figures/theirs.png"), "theirs");
  EXPECT_FALSE(std::filesystem::exists(target / "figures/old"));
  EXPECT_EQ(names_in(target), "figures r.json sub");
  EXPECT_EQ(folder.list(), "results");
}

// Killed after the names have traded places, before what was replaced is gone.
TEST(AtomicFolder, KeepsWhatOthersPutThereAfterADeath) {
  const TemporaryFolder folder;
  const std::filesystem::path target = folder / "results";
  std::filesystem::create_directories(target / "figures");
  write_bytes(target / "r.json", "second");
  const std::filesystem::path replaced = folder / ".results.likely-new";
  std::filesystem::create_directories(replaced / "figures/old");
  write_bytes(replaced / "r.json", "first");
  write_bytes(replaced / "figures/old/a.png", "first");
  ASSERT_EQ(detail::note_replaced(replaced, noted_in(replaced)), 0);
  write_bytes(replaced / "notes.txt", "theirs");
  write_bytes(replaced / "figures/theirs.png", "theirs");
  { const FolderLock next(target); }
  EXPECT_EQ(folder.list(), "results");
  EXPECT_EQ(names_in(target), "figures figures.kept notes.txt r.json");
  EXPECT_EQ(read_bytes(target / "r.json"), "second");
  EXPECT_EQ(read_bytes(target / "notes.txt"), "theirs");
  EXPECT_EQ(read_bytes(target / "figures.kept/theirs.png"), "theirs");
  EXPECT_EQ(names_in(target / "figures.kept"), "theirs.png");
}

TEST(AtomicFolder, ForgetsItsListWhereNothingWasReplaced) {
  const TemporaryFolder folder;
  const std::filesystem::path target = folder / "results";
  std::filesystem::create_directory(target);
  write_bytes(target / "r.json", "first");
  ASSERT_EQ(detail::note_replaced(target, noted_in(target)), 0);  // and then it died
  { const AtomicFolder results(target, {.mark = "r.json", .replace = true}); }
  EXPECT_EQ(names_in(target), "r.json");
  ASSERT_EQ(detail::note_replaced(target, noted_in(target)), 0);
  EXPECT_NE(refusal_of([&] { AtomicFolder(target, {.mark = "r.json"}); }), "nothing was refused");
  EXPECT_EQ(names_in(target), "r.json");
}

TEST(AtomicFolder, DoesNotTouchAFolderPutInItsPlace) {
  const TemporaryFolder folder;
  const std::filesystem::path target = folder / "results";
  {
    AtomicFolder results(target, {.mark = "r.json"});
    std::filesystem::remove(target);
    std::filesystem::create_directory(target);
    write_bytes(target / "notes.txt", "theirs");
    EXPECT_EQ(refusal_of([&] { results.commit(); }),
              target.string() + ": another folder was put in its place meanwhile");
  }
  EXPECT_EQ(read_bytes(target / "notes.txt"), "theirs");
  EXPECT_EQ(folder.list(), "results");
}

TEST(AtomicFolder, FollowsALinkAndLeavesIt) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "real");
  std::filesystem::create_symlink("real", folder / "link");
  {
    AtomicFolder results(folder / "link", {.mark = "r.json"});
    write_bytes(results.path() / "r.json", "{}");
    results.commit();
  }
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_bytes(folder / "real/r.json"), "{}");
  EXPECT_EQ(folder.list(), "link real");
}

TEST(AtomicFolder, KeepsTheRightsOfWhatItReplaces) {
  const TemporaryFolder folder;
  const std::filesystem::path target = folder / "results";
  std::filesystem::create_directory(target);
  std::filesystem::permissions(target, std::filesystem::perms::owner_all);
  AtomicFolder results(target, {.mark = "r.json"});
  write_bytes(results.path() / "r.json", "{}");
  results.commit();
  EXPECT_EQ(std::filesystem::status(target).permissions(), std::filesystem::perms::owner_all);
}

TEST(AtomicFolder, RemovesAtItsEndOnlyTheFolderThatItMade) {
  const TemporaryFolder folder;
  std::filesystem::path unfinished;
  {
    AtomicFolder results(folder / "results", {.mark = "r.json"});
    unfinished = results.path();
    std::filesystem::rename(unfinished, folder / "moved");
    std::filesystem::create_directory(unfinished);
    write_bytes(unfinished / "letter", "keep me");
  }
  EXPECT_EQ(testing::read_bytes(unfinished / "letter"), "keep me");
}

// What another user puts there under our names is not ours.
TEST(AtomicFolder, BringsNothingBackThatAnotherUserPlanted) {
  if (getuid() != 0) GTEST_SKIP() << "only root can give things away";
  constexpr uid_t kAnother = 4002;
  for (const char* const name : {".results.likely-old", ".results.likely-gone"}) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / name);
    write_bytes(folder / name / "planted", "planted");
    ASSERT_EQ(chown((folder / name).c_str(), kAnother, kAnother), 0);
    {
      AtomicFolder results(folder / "results", {.mark = "r.json"});
      write_bytes(results.path() / "r.json", "{}");
      results.commit();
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "results/planted")) << name;
    EXPECT_TRUE(std::filesystem::exists(folder / name / "planted") ||
                std::filesystem::exists(folder / "results.kept/planted"))
        << name;
  }
}

// Somebody who may write there, but not give things away.
TEST(AtomicFolder, IsNeverMoreOpenThanWhatItReplaces) {
  if (getuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  constexpr uid_t kOwner = 4001;
  constexpr uid_t kAnother = 4002;
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  for (const auto& [before, after] :
       std::map<mode_t, mode_t>{{0707, 0707}, {0757, 0757}, {02777, 0777}, {0775, 0755}, {01775, 01755}}) {
    const std::filesystem::path target = folder / "results";
    std::filesystem::create_directory(target);
    ASSERT_EQ(chown(target.c_str(), kOwner, kOwner), 0);
    ASSERT_EQ(chmod(target.c_str(), before), 0);
    testing::in_a_process_that_dies([&] {
      if (setgroups(0, nullptr) != 0 || setgid(kAnother) != 0 || setuid(kAnother) != 0) return;
      AtomicFolder results(target, {.mark = "r.json"});
      write_bytes(results.path() / "r.json", "{}");
      testing::die();
    });
    struct stat made {};
    ASSERT_EQ(stat((folder / ".results.likely-new").c_str(), &made), 0);
    EXPECT_EQ(made.st_uid, kAnother);
    EXPECT_EQ(made.st_mode & 07777U, after);
    std::filesystem::remove_all(folder / ".results.likely-new");
    std::filesystem::remove_all(target);
  }
}

// Something that another user keeps locked up cannot be removed, nor moved out of its folder.
TEST(AtomicFolder, PutsAsideWhatCannotBeRemovedAndSaysSo) {
  if (getuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  constexpr uid_t kAnother = 4002;
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const std::filesystem::path target = folder / "results";
  const auto lock_up = [&] {
    std::filesystem::create_directories(target / "theirs");
    write_bytes(target / "r.json", "first");
    write_bytes(target / "theirs/secret", "keep me");
    chmod((target / "theirs").c_str(), 0700);
    EXPECT_EQ(chown(target.c_str(), kAnother, kAnother), 0);
  };
  const auto as_another = [&](const std::function<void()>& work) {
    testing::in_a_process_that_dies([&] {
      if (setgroups(0, nullptr) != 0 || setgid(kAnother) != 0 || setuid(kAnother) != 0) return;
      work();
      testing::die();
    });
  };
  const FolderRules forced{.mark = "r.json", .replace = true};
  std::string kept = "/results.kept";
  for (const bool live : {false, true}) {
    for (int again = 0; again < 2; ++again) {
      lock_up();
      as_another([&] {
        std::vector<std::string> told;
        if (live) {
          LiveFolder results(target, forced);
          write_file(target / "r.json", "second");
          results.keep();
          told = results.told();
        } else {
          AtomicFolder results(target, forced);
          write_bytes(results.path() / "r.json", "second");
          results.commit();
          told = results.told();
        }
        write_bytes(folder / "told", told.size() == 1 ? told[0] : "nothing, or too much");
      });
      EXPECT_EQ(read_bytes(folder / "told"),
                "theirs of what " + target.string() +
                    " held before can be neither removed nor moved: it is kept in " + folder.path().string() +
                    kept);
      EXPECT_EQ(read_bytes(folder.path().string() + kept + "/theirs/secret"), "keep me");
      EXPECT_EQ(names_in(folder.path().string() + kept), "theirs");
      EXPECT_EQ(read_bytes(target / "r.json"), "second");
      std::filesystem::remove_all(target);
      kept = "/results.kept-" + std::to_string((live ? 2 : 0) + again + 2);
    }
  }
  EXPECT_EQ(folder.list(), "results.kept results.kept-2 results.kept-3 results.kept-4 told");
}

TEST(AtomicFolder, IsClearedAwayAfterADeath) {
  const TemporaryFolder folder;
  const std::filesystem::path target = folder / "results";
  testing::in_a_process_that_dies([&] {
    AtomicFolder results(target, {.mark = "r.json"});
    write_bytes(results.path() / "r.json", "half");
    testing::die();
  });
  EXPECT_EQ(folder.list(), ".results.likely-new results");
  {
    AtomicFolder results(target, {.mark = "r.json"});
    write_bytes(results.path() / "r.json", "whole");
    results.commit();
  }
  EXPECT_EQ(folder.list(), "results");
  // Between two renamings, where names cannot trade places: neither is lost.
  std::filesystem::rename(target, folder / ".results.likely-gone");
  EXPECT_EQ(refusal_of([&] { AtomicFolder(target, {.mark = "r.json"}); }),
            target.string() + " already holds results; replace them (`force`) or choose another folder");
  EXPECT_EQ(read_bytes(target / "r.json"), "whole");
  EXPECT_EQ(folder.list(), "results");
}

// In a process that sees its own mounts, which go with it.
TEST(AtomicFolder, RefusesAFolderOnWhichAFileSystemIsMounted) {
  const TemporaryFolder folder;
  const std::filesystem::path target = folder / "results";
  std::filesystem::create_directory(target);
  testing::in_a_process_that_dies([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", target.c_str(), "tmpfs", 0, nullptr) != 0)
      testing::die();
    write_bytes(target / "r.json", "old");
    std::string said = refusal_of([&] { AtomicFolder(target, {.mark = "r.json", .replace = true}); });
    said += "\n" + refusal_of([&] { LiveFolder(target, {.mark = "r.json", .replace = true}); });
    std::filesystem::remove(target / "r.json");
    {
      LiveFolder live(target, {.mark = "r.json"});  // nothing is replaced
      write_file(target / "r.json", "new");
      live.keep();
    }
    write_bytes(folder / "said", said + "\n" + read_bytes(target / "r.json"));
    testing::die();
  });
  if (!std::filesystem::exists(folder / "said")) GTEST_SKIP() << "nothing can be mounted here";
  const std::string refusal = target.string() + ": a file system is mounted here; name a folder in it\n";
  EXPECT_EQ(read_bytes(folder / "said"), refusal + refusal + "new");
}

TEST(AtomicFolder, RefusesTheCurrentFolder) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const std::string said = refusal_of([] { AtomicFolder results("."); });
  std::filesystem::current_path(before);
  EXPECT_EQ(said, ".: this folder is in use as the current one; name another, or start elsewhere");
  EXPECT_EQ(folder.list(), "");
}

}  // namespace

}  // namespace likely::io
