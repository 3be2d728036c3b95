#include "likely/io/live_folder.hpp"

#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <optional>

#include "likely/core/error.hpp"
#include "likely/io/atomic_file.hpp"
#include "likely/io/folder_leftovers.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/other_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace likely::io {
namespace {

namespace fs = std::filesystem;
using testing::expect_refusal;
using testing::read_bytes;
using testing::TemporaryFolder;
using testing::write_bytes;

const FolderRules kRun{.mark = "recipe.json", .setting = "out"};
const FolderRules kForced{.mark = "recipe.json", .replace = true, .setting = "out"};

// A folder with a finished run.
class Finished {
 public:
  Finished() : run(folder / "run") {
    fs::create_directories(run / "figures");
    write_bytes(run / "recipe.json", "old");
    write_bytes(run / "model.safetensors", "old");
    write_bytes(run / "figures/loss.png", "old");
  }
  void expect_old(const std::string& list) const {
    EXPECT_EQ(read_bytes(run / "recipe.json"), "old");
    EXPECT_EQ(read_bytes(run / "model.safetensors"), "old");
    EXPECT_EQ(read_bytes(run / "figures/loss.png"), "old");
    EXPECT_EQ(folder.list(), list);
  }

  TemporaryFolder folder;
  fs::path run;
};

// A home folder that was named by mistake may hold a million files.
TEST(LiveFolder, LooksNoFurtherWhereItIsRefused) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "home/inner");
  std::filesystem::create_directories(folder / "run/inner");
  write_bytes(folder / "home/inner/letter", "keep me");
  write_bytes(folder / "run/recipe.json", "{}");
  const int events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(events, 0);
  ASSERT_GE(inotify_add_watch(events, (folder / "home/inner").c_str(), IN_OPEN), 0);
  const auto opened = [&] {
    std::array<char, 4096> buffer{};
    return read(events, buffer.data(), buffer.size()) > 0;
  };
  expect_refusal([&] { const LiveFolder refused(folder / "home", {.mark = "recipe.json", .replace = true}); },
                 (folder / "home").string() + ": the folder holds other things; choose another");
  EXPECT_FALSE(opened());
  expect_refusal(
      [&] { const LiveFolder refused(folder / "run", {.mark = "recipe.json"}); },
      (folder / "run").string() + " already holds results; replace them (`force`) or choose another folder");
  EXPECT_NE(fs::directory_iterator(folder / "home/inner"), fs::directory_iterator());
  EXPECT_TRUE(opened());  // it is seen where it happens
  close(events);
}

TEST(LiveFolder, TakesAwayWhatWasMadeAndNothingElse) {
  const TemporaryFolder folder;
  {
    const LiveFolder run(folder / "deep/run", kRun);
    write_file(folder / "deep/run/recipe.json", "{}");
    make_folders(folder / "deep/run/seed-1/figures");
    write_file(folder / "deep/run/seed-1/figures/a.gp", "");
  }
  EXPECT_EQ(folder.list(), "");
  {
    const LiveFolder run(folder / "deep/run", kRun);
    write_file(folder / "deep/run/recipe.json", "{}");
    make_folders(folder / "deep/run/figures");
    write_file(folder / "deep/run/figures/a.gp", "");
    write_bytes(folder / "deep/run/figures/theirs.txt", "keep me");
    fs::create_directory(folder / "deep/run/empty");
  }
  EXPECT_FALSE(fs::exists(folder / "deep/run/recipe.json"));
  EXPECT_FALSE(fs::exists(folder / "deep/run/figures/a.gp"));
  EXPECT_EQ(read_bytes(folder / "deep/run/figures/theirs.txt"), "keep me");
  EXPECT_TRUE(fs::exists(folder / "deep/run/empty"));
}

TEST(LiveFolder, TakesNothingFromAFolderPutInItsPlace) {
  const TemporaryFolder folder;
  {
    const LiveFolder run(folder / "run", kRun);
    write_file(folder / "run/recipe.json", "{}");
    fs::rename(folder / "run", folder / "moved");
    fs::create_directory(folder / "run");
    write_bytes(folder / "run/recipe.json", "theirs");
  }
  EXPECT_EQ(read_bytes(folder / "run/recipe.json"), "theirs");
}

// What this process writes again and again is its own; whatever else is there under its names is not.
TEST(LiveFolder, KeepsWhatOthersPutUnderItsNames) {
  const TemporaryFolder folder;
  write_bytes(folder / "precious", "keep me");
  const fs::path run = folder / "run";
  LiveFolder live(run, kRun);
  write_file(run / "config.json", "first");
  write_file(run / "config.json", "second");
  EXPECT_FALSE(fs::exists(run / "config.json.kept"));
  fs::remove(run / "config.json");
  write_bytes(run / "config.json", "theirs");
  write_file(run / "config.json", "third");
  EXPECT_EQ(read_bytes(run / "config.json"), "third");
  EXPECT_EQ(read_bytes(run / "config.json.kept"), "theirs");
  write_bytes(run / "config.json", "edited by them");
  write_file(run / "config.json", "fourth");
  EXPECT_EQ(read_bytes(run / "config.json.kept-2"), "edited by them");

  fs::create_directory(run / "figures");
  write_bytes(run / "figures/loss.png", "theirs");
  write_file(run / "figures/loss.png", "ours");
  EXPECT_EQ(read_bytes(run / "figures/loss.png.kept"), "theirs");
  fs::create_symlink(folder / "precious", run / "model.safetensors");
  write_file(run / "model.safetensors", "ours");
  EXPECT_EQ(read_bytes(folder / "precious"), "keep me");
  EXPECT_EQ(read_bytes(run / "model.safetensors"), "ours");
  EXPECT_TRUE(fs::is_symlink(run / "model.safetensors.kept"));
  fs::create_directory(run / "report.json");
  write_bytes(run / "report.json/letter", "theirs");
  write_file(run / "report.json", "ours");
  EXPECT_EQ(read_bytes(run / "report.json"), "ours");
  EXPECT_EQ(read_bytes(run / "report.json.kept/letter"), "theirs");
  // The file appears while ours is being written.
  AtomicFile table(run / "table.json");
  table.write("ours");
  write_bytes(run / "table.json", "theirs");
  table.commit();
  EXPECT_EQ(read_bytes(run / "table.json"), "ours");
  EXPECT_EQ(read_bytes(run / "table.json.kept"), "theirs");
  live.keep();
}

TEST(LiveFolder, TakesAwayNothingThatOthersPutUnderItsNames) {
  const TemporaryFolder folder;
  {
    const LiveFolder run(folder / "run", kRun);
    write_file(folder / "run/recipe.json", "ours");
    write_file(folder / "run/config.json", "ours");
    write_bytes(folder / "other", "theirs");
    fs::rename(folder / "other", folder / "run/config.json");
  }
  EXPECT_EQ(read_bytes(folder / "run/config.json"), "theirs");
  EXPECT_FALSE(fs::exists(folder / "run/recipe.json"));
}

TEST(LiveFolder, WritesNothingIntoAFolderPutInItsPlace) {
  const auto swap = [](const fs::path& run) {
    fs::rename(run, run.parent_path() / "moved");
    fs::create_directory(run);
    write_bytes(run / "recipe.json", "theirs");
    write_bytes(run / "report.json", "theirs");
  };
  const TemporaryFolder folder;
  const fs::path run = folder / "run";
  const std::string refusal =
      run.string() + ": another folder was put in its place meanwhile; nothing is written there";
  {
    LiveFolder live(run, kRun);
    write_file(run / "recipe.json", "ours");
    swap(run);
    expect_refusal([&] { write_file(run / "model.safetensors", "ours"); }, refusal);
    expect_refusal([&] { write_file(run / "recipe.json", "ours"); }, refusal);
    expect_refusal([&] { make_folders(run / "figures"); }, refusal);
    expect_refusal([&] { live.keep(); }, refusal);
  }
  EXPECT_EQ(read_bytes(run / "recipe.json"), "theirs");
  EXPECT_EQ(read_bytes(folder / "moved/recipe.json"), "ours");
  EXPECT_FALSE(fs::exists(run / "model.safetensors"));

  // Where earlier results were to be replaced, these are not lost either.
  const Finished finished;
  {
    const LiveFolder live(finished.run, kForced);
    write_file(finished.run / "recipe.json", "ours");
    swap(finished.run);
  }
  EXPECT_EQ(finished.folder.list(), "moved run run.kept");
  EXPECT_EQ(read_bytes(finished.run / "recipe.json"), "theirs");
  EXPECT_EQ(read_bytes(finished.folder / "run.kept/model.safetensors"), "old");
  EXPECT_FALSE(fs::exists(finished.folder / "run.kept/.likely-replaced"));

  // Taken away, with nothing in its place.
  const TemporaryFolder other;
  const LiveFolder live(other / "run", kRun);
  fs::rename(other / "run", other / "moved");
  expect_refusal([&] { write_file(other / "run/recipe.json", "ours"); },
                 (other / "run").string() + " is gone: it was moved or removed meanwhile");
}

// A link that leads elsewhere by now.
TEST(LiveFolder, WritesNothingWhereALinkLeadsMeanwhile) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "first");
  fs::create_directory(folder / "second");
  fs::create_symlink("first", folder / "link");
  const LiveFolder live(folder / "link", kRun);
  fs::remove(folder / "link");
  fs::create_symlink("second", folder / "link");
  expect_refusal([&] { write_file(folder / "link/recipe.json", "ours"); },
                 (folder / "link").string() +
                     ": another folder was put in its place meanwhile; nothing is written there");
  EXPECT_TRUE(fs::is_empty(folder / "second"));
}

// A folder in the run folder that leads elsewhere is somebody else's.
TEST(LiveFolder, WritesNothingThroughLinksToFoldersInIt) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "victim/sub");
  write_bytes(folder / "victim/loss.png", "theirs");
  fs::create_directory(folder / "real");
  fs::create_directory_symlink("real", folder / "around");
  const fs::path run = folder / "around/run";  // the links around it are the user's
  LiveFolder live(run, kRun);
  fs::create_directory_symlink(folder / "victim", run / "figures");
  fs::create_directory_symlink(folder / "victim", run / "seed-1");
  const std::string refusal = (run / "figures").string() + " is a link: nothing is written through it";
  expect_refusal([&] { write_file(run / "figures/loss.png", "ours"); }, refusal);
  expect_refusal([&] { write_file(run / "figures/sub/new.png", "ours"); }, refusal);
  expect_refusal([&] { FolderLock lock(run / "seed-1"); },
                 (run / "seed-1").string() + " is a link: nothing is written through it");
  expect_refusal(
      [&] { FolderLock lock(folder / "real/run/seed-1"); },
      fs::canonical(folder / "real/run").string() + "/seed-1 is a link: nothing is written through it");
  make_folders(run / "figures/sub");
  write_file(run / "figures/sub/loss.png", "ours");
  ASSERT_EQ(live.kept().size(), 1U);
  EXPECT_EQ(text_of(live.kept()[0]),
            (run / "figures").string() + " was somebody else's: it is kept as figures.kept");
  EXPECT_EQ(fs::read_symlink(run / "figures.kept"), folder / "victim");
  // The link appears while a file is written.
  AtomicFile late(run / "figures/late.png");
  late.write("ours");
  fs::rename(run / "figures", run / "moved");
  fs::create_directory_symlink(folder / "victim", run / "figures");
  expect_refusal([&] { late.commit(); }, refusal);
  live.keep();
  EXPECT_EQ(read_bytes(folder / "victim/loss.png"), "theirs");
  EXPECT_TRUE(fs::is_empty(folder / "victim/sub"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "victim"), fs::directory_iterator()), 2);
}

TEST(LiveFolder, TakesTheLongestNames) {
  const TemporaryFolder folder;
  const std::string name(255, 'x');
  {
    LiveFolder run(folder / name, kRun);
    write_file(folder / name / "recipe.json", "old");
    run.keep();
  }
  {
    LiveFolder run(folder / name, kForced);
    write_file(folder / name / "recipe.json", "new");
    write_bytes(folder / name / name, "theirs");
    write_file(folder / name / name, "ours");
    EXPECT_EQ(read_bytes(folder / name / (std::string(250, 'x') + ".kept")), "theirs");
    run.keep();
  }
  EXPECT_EQ(folder.list(), name);
  EXPECT_EQ(read_bytes(folder / name / "recipe.json"), "new");
}

TEST(LiveFolder, KeepsWhatHasCostTooMuch) {
  const TemporaryFolder folder;
  {
    const LiveFolder run(folder / "run", kRun);
    write_file(folder / "run/recipe.json", "{}");
    write_file(folder / "run/checkpoint.safetensors", "");
  }
  EXPECT_TRUE(fs::exists(folder / "run/recipe.json"));
}

TEST(LiveFolder, GivesEarlierResultsTheirPlaceBack) {
  const Finished finished;
  {
    const LiveFolder run(finished.run, kForced);
    EXPECT_TRUE(fs::is_empty(finished.run));
    write_file(finished.run / "recipe.json", "new");
    write_bytes(finished.run / "theirs.txt", "keep me");
    EXPECT_FALSE(run.outdoes_earlier());
  }
  finished.expect_old("run");
  EXPECT_EQ(read_bytes(finished.run / "theirs.txt"), "keep me");
  {
    LiveFolder run(finished.run, kForced);
    write_file(finished.run / "recipe.json", "new");
    write_file(finished.run / "report.json", "new");
    EXPECT_TRUE(run.outdoes_earlier());
    run.give_up();
  }
  finished.expect_old("run");
  EXPECT_FALSE(fs::exists(finished.run / "report.json"));
}

TEST(LiveFolder, ReplacesThemIfTold) {
  const Finished finished;
  const std::string at = finished.run.string();
  FolderRules rules = kRun;
  rules.earlier = "it is there";
  expect_refusal([&] { LiveFolder run(finished.run, rules); }, "it is there");
  fs::permissions(finished.run, fs::perms::owner_all);
  {
    LiveFolder run(finished.run, kForced);
    expect_refusal([&] { LiveFolder second(finished.run, kForced); }, "another process is writing to " + at);
    write_file(finished.run / "recipe.json", "new");
    run.keep();
  }
  EXPECT_EQ(finished.folder.list(), "run");
  EXPECT_EQ(read_bytes(finished.run / "recipe.json"), "new");
  EXPECT_FALSE(fs::exists(finished.run / "model.safetensors"));
  EXPECT_EQ(fs::status(finished.run).permissions(), fs::perms::owner_all);
}

TEST(LiveFolder, RefusesWhatIsInUse) {
  const Finished finished;
  fs::create_directory(finished.run / "seed-2");
  const std::string at = finished.run.string();
  {
    const testing::OtherProcess below(finished.run / "seed-2");
    expect_refusal([&] { LiveFolder run(finished.run, kForced); },
                   "another process is writing to " + at + "/seed-2");
  }
  finished.expect_old("run");
  const fs::path before = fs::current_path();
  fs::current_path(finished.run / "figures");
  expect_refusal([&] { LiveFolder run("..", kForced); },
                 "..: this folder is in use as the current one; name another, or start elsewhere");
  fs::current_path(before);
  finished.expect_old("run");
}

TEST(LiveFolder, ComesBackAfterADeathWithoutACheckpoint) {
  const Finished finished;
  testing::in_a_process_that_dies([&] {
    const LiveFolder run(finished.run, kForced);
    write_file(finished.run / "recipe.json", "new");
    make_folders(finished.run / "seed-1");
    write_file(finished.run / "seed-1/config.json", "new");
    write_bytes(finished.run / ".model.safetensors.4000000.1.likely-tmp", "half");
    make_folders(finished.run / "widths/8");
    write_file(finished.run / "widths/8/metrics.jsonl", "new");
    write_bytes(finished.run / "theirs.txt", "keep me");
    write_file(finished.run / "columns.json", "new");  // whatever a recipe writes before it has a model
    make_folders(finished.run / "figures");
    write_file(finished.run / "figures/loss.gp", "new");
    fs::create_directory(finished.run / "figures/.likely-figure-aB3xYz");
    write_bytes(finished.run / "figures/.likely-figure-aB3xYz/draw.gp", "new");
    fs::create_directory(finished.run / "project");
    write_bytes(finished.run / "project/config.json", "keep me");
    testing::die();
  });
  EXPECT_EQ(finished.folder.list(), ".run.likely-old run");
  { const FolderLock next(finished.run); }
  finished.expect_old("run");
  EXPECT_EQ(read_bytes(finished.run / "theirs.txt"), "keep me");
  EXPECT_EQ(read_bytes(finished.run / "project/config.json"), "keep me");
  EXPECT_FALSE(fs::exists(finished.run / "widths"));
  EXPECT_FALSE(fs::exists(finished.run / "columns.json"));
  EXPECT_FALSE(fs::exists(finished.run / "columns.json.kept"));
  EXPECT_FALSE(fs::exists(finished.run / "figures.kept"));
  EXPECT_FALSE(fs::exists(finished.run / "figures/loss.gp"));
  EXPECT_FALSE(fs::exists(finished.run / ".likely-replaced"));
  EXPECT_FALSE(fs::exists(finished.run / "seed-1"));
  const LiveFolder run(finished.run, kForced);  // and is locked as it should be
  expect_refusal([&] { FolderLock second(finished.run); },
                 "another process is writing to " + finished.run.string());
}

// What somebody else put there does not make a run worth keeping.
TEST(LiveFolder, ComesBackAfterADeathBesideWhatOthersPutThere) {
  const Finished finished;
  testing::in_a_process_that_dies([&] {
    const LiveFolder run(finished.run, kForced);
    write_file(finished.run / "recipe.json", "new");
    write_bytes(finished.run / "report.json", "keep me");
    testing::die();
  });
  { const FolderLock next(finished.run); }
  finished.expect_old("run");
  EXPECT_EQ(read_bytes(finished.run / "report.json"), "keep me");
}

// What can be neither removed nor moved is not left under a hidden name.
TEST(LiveFolder, PutsAsideWhatCannotBeMoved) {
  const TemporaryFolder folder;
  const fs::path left = folder / ".run.likely-old";
  fs::create_directory(left);
  write_bytes(left / "model.safetensors", "old");
  write_bytes(left / "theirs.txt", "keep me");
  const detail::Noted noted{{"model.safetensors", detail::prints_of(left / "model.safetensors")}};
  ASSERT_EQ(detail::note_replaced(left, noted), 0);
  const auto cleared =
      detail::clear_replaced(left, folder / "run", folder / "run", noted);  // which is not there
  EXPECT_EQ(cleared.moved, std::vector<std::string>{});
  const std::string at = folder.path().string();
  EXPECT_EQ(cleared.told, "theirs.txt of what " + at +
                              "/run held before can be neither removed nor moved: it is kept in " + at +
                              "/run.kept");
  EXPECT_EQ(folder.list(), "run.kept");
  EXPECT_EQ(read_bytes(folder / "run.kept/theirs.txt"), "keep me");
  EXPECT_FALSE(fs::exists(folder / "run.kept/model.safetensors"));
  EXPECT_FALSE(fs::exists(folder / "run.kept/.likely-replaced"));
}

// Killed, and then somebody works in the folder: what is not as the run left it is theirs.
TEST(LiveFolder, KeepsAfterADeathWhatOthersChanged) {
  const Finished finished;
  testing::in_a_process_that_dies([&] {
    const LiveFolder run(finished.run, kForced);
    write_file(finished.run / "recipe.json", "first");
    write_file(finished.run / "recipe.json", "second");
    write_file(finished.run / "config.json", "new");
    write_file(finished.run / "untouched.json", "new");
    write_file(finished.run / "metrics.jsonl", "new");
    testing::die();
  });
  write_bytes(finished.run / "recipe.json", "my own");
  fs::remove(finished.run / "config.json");
  write_bytes(finished.run / "config.json", "new");  // the same bytes, but theirs
  write_bytes(finished.run / "metrics.jsonl", "new and a line");
  write_bytes(finished.folder / ".run.likely-old/figures/loss.png", "my own");
  const FolderLock next(finished.run);
  EXPECT_EQ(next.told(),
            std::vector<std::string>{
                "a command that was to replace what " + finished.run.string() +
                " held was killed before it had anything worth keeping: what was there before is back"});
  EXPECT_EQ(finished.folder.list(), "run");
  EXPECT_EQ(read_bytes(finished.run / "model.safetensors"), "old");
  EXPECT_EQ(read_bytes(finished.run / "recipe.json"), "old");
  EXPECT_EQ(read_bytes(finished.run / "recipe.json.kept"), "my own");
  EXPECT_EQ(read_bytes(finished.run / "config.json"), "new");
  EXPECT_EQ(read_bytes(finished.run / "metrics.jsonl"), "new and a line");
  EXPECT_EQ(read_bytes(finished.run / "figures/loss.png"), "my own");
  EXPECT_FALSE(fs::exists(finished.run / "untouched.json"));
}

// What was replaced by a run with a checkpoint, and then changed.
TEST(LiveFolder, KeepsAfterADeathWhatOthersChangedInWhatWasReplaced) {
  const Finished finished;
  testing::in_a_process_that_dies([&] {
    const LiveFolder run(finished.run, kForced);
    write_file(finished.run / "checkpoint.safetensors", "new");
    testing::die();
  });
  write_bytes(finished.folder / ".run.likely-old/recipe.json", "my own");
  { const FolderLock next(finished.run); }
  EXPECT_EQ(finished.folder.list(), "run");
  EXPECT_EQ(read_bytes(finished.run / "checkpoint.safetensors"), "new");
  EXPECT_EQ(read_bytes(finished.run / "recipe.json"), "my own");
  EXPECT_FALSE(fs::exists(finished.run / "model.safetensors"));
}

// Killed, and then the folder is another one.
TEST(LiveFolder, LeavesAloneAfterADeathWhatIsNotTheFolderItWorkedIn) {
  const Finished finished;
  testing::in_a_process_that_dies([&] {
    const LiveFolder run(finished.run, kForced);
    write_file(finished.run / "recipe.json", "new");
    write_file(finished.run / "config.json", "new");
    testing::die();
  });
  fs::rename(finished.run, finished.folder / "moved");
  fs::create_directory(finished.run);
  write_bytes(finished.run / "recipe.json", "my own");
  write_bytes(finished.run / "config.json", "my own");
  const std::string at = finished.folder.path().string();
  const std::string left = at + "/.run.likely-old was left by a command that was killed, but " + at +
                           "/run is not the folder that it worked in: both are left as they are";
  for (const Leftovers how : {Leftovers::put_in_order, Leftovers::keep_what_is_there}) {
    const FolderLock next(finished.run, {.leftovers = how});
    EXPECT_EQ(next.told(), std::vector<std::string>{left});
  }
  expect_refusal(
      [&] { LiveFolder run(finished.run, kRun); },
      at + "/run already holds results; replace them (`force`) or choose another folder (" + left + ")");
  EXPECT_EQ(read_bytes(finished.run / "recipe.json"), "my own");
  EXPECT_EQ(read_bytes(finished.run / "config.json"), "my own");
  EXPECT_EQ(read_bytes(finished.folder / ".run.likely-old/model.safetensors"), "old");
  // Where its name is needed, it gets another.
  LiveFolder run(finished.run, kForced);
  EXPECT_EQ(run.told(),
            (std::vector<std::string>{
                left, at + "/.run.likely-old was in the way: it is kept as " + at + "/run.kept"}));
  write_file(finished.run / "recipe.json", "newest");
  run.keep();
  EXPECT_EQ(finished.folder.list(), "moved run run.kept");
  EXPECT_EQ(read_bytes(finished.folder / "run.kept/model.safetensors"), "old");
  EXPECT_FALSE(fs::exists(finished.folder / "run.kept/.likely-replaced"));
}

// Lists that nobody made here, or that were copied with a folder.
TEST(LiveFolder, BelievesNoListOfAnotherFolder) {
  const Finished finished;
  const fs::path left = finished.folder / ".run.likely-old";
  using namespace std::string_literals;
  const auto expect_all = [&] {
    { const FolderLock next(finished.run); }
    EXPECT_EQ(read_bytes(finished.run / "thesis.txt"), "keep me");
    EXPECT_EQ(read_bytes(left / "thesis.txt"), "keep me, too");
    EXPECT_EQ(read_bytes(finished.run / "model.safetensors"), "old");
    fs::remove_all(left);
  };
  write_bytes(finished.run / "thesis.txt", "keep me");
  fs::create_directory(left);
  write_bytes(left / "thesis.txt", "keep me, too");
  write_bytes(left / ".likely-replaced", "thesis.txt\0"s);
  write_bytes(left / ".likely-made", "thesis.txt\0"s);
  expect_all();
  fs::create_directory(finished.folder / "other");
  write_bytes(finished.folder / "other/thesis.txt", "keep me, too");
  ASSERT_EQ(detail::note_replaced(finished.folder / "other",
                                  {{"thesis.txt", detail::prints_of(finished.folder / "other/thesis.txt")}}),
            0);
  fs::copy(finished.folder / "other", left);
  expect_all();
}

// A link under one of our names, whatever it leads to, is nobody's leftover.
TEST(LiveFolder, DoesNotFollowLinksBesideIt) {
  for (const char* const name : {".run.likely-old", ".run.likely-gone", ".run.likely-new"}) {
    for (const bool there : {true, false}) {
      SCOPED_TRACE(name);
      const TemporaryFolder folder;
      if (there) fs::create_directory(folder / "run");
      fs::create_directory(folder / "victim");
      write_bytes(folder / "victim/thesis.txt", "keep me");
      write_bytes(folder / "victim/.likely-replaced", "");
      fs::create_directory_symlink("victim", folder / name);
      { const FolderLock lock(folder / "run"); }
      EXPECT_EQ(fs::exists(folder / "run"), there);
      {
        LiveFolder run(folder / "run", kRun);
        write_file(folder / "run/recipe.json", "old");
        run.keep();
      }
      LiveFolder run(folder / "run", kForced);
      write_file(folder / "run/recipe.json", "new");
      run.keep();
      EXPECT_EQ(read_bytes(folder / "run/recipe.json"), "new");
      EXPECT_EQ(read_bytes(folder / "victim/thesis.txt"), "keep me");
      EXPECT_TRUE(fs::exists(folder / "victim/.likely-replaced"));
      const bool needed = std::string(name) == ".run.likely-old";
      EXPECT_TRUE(fs::is_symlink(folder / (needed ? "run.kept" : name)));
    }
  }
}

TEST(LiveFolder, StaysAfterADeathWhereItIsToGoOn) {
  const Finished finished;
  testing::in_a_process_that_dies([&] {
    const LiveFolder run(finished.run, kForced);
    write_file(finished.run / "recipe.json", "new");
    testing::die();
  });
  {
    const FolderLock reader(finished.run, {.make = false, .leftovers = Leftovers::leave});
    EXPECT_EQ(reader.told(), std::vector<std::string>{});
    EXPECT_EQ(read_bytes(finished.run / "recipe.json"), "new");
    EXPECT_EQ(finished.folder.list(), ".run.likely-old run");
  }
  const FolderLock next(finished.run, {.make = false, .leftovers = Leftovers::keep_what_is_there});
  const std::string at = finished.run.string();
  EXPECT_EQ(next.told(), std::vector<std::string>{at + " was to replace an earlier run, which is kept as " +
                                                  at + ".kept"});
  EXPECT_EQ(read_bytes(finished.run / "recipe.json"), "new");
  EXPECT_EQ(finished.folder.list(), "run run.kept");
  EXPECT_EQ(read_bytes(finished.folder / "run.kept/model.safetensors"), "old");
  EXPECT_FALSE(fs::exists(finished.folder / "run.kept/.likely-made"));
}

TEST(LiveFolder, IsReplacedAfterADeathWithACheckpoint) {
  const Finished finished;
  testing::in_a_process_that_dies([&] {
    const LiveFolder run(finished.run, kForced);
    write_file(finished.run / "recipe.json", "new");
    write_file(finished.run / "checkpoint.safetensors", "new");
    write_bytes(finished.folder / ".run.likely-old/figures/theirs.png",
                "keep me");  // by one who was in there
    testing::die();
  });
  { const FolderLock next(finished.run); }
  EXPECT_EQ(finished.folder.list(), "run");
  EXPECT_EQ(read_bytes(finished.run / "recipe.json"), "new");
  EXPECT_FALSE(fs::exists(finished.run / "model.safetensors"));
  EXPECT_EQ(read_bytes(finished.run / "figures/theirs.png"), "keep me");
  EXPECT_FALSE(fs::exists(finished.run / "figures/loss.png"));
}

// The last of what was replaced is gone, and a list is left that could not be removed.
TEST(LiveFolder, LeavesNoListBeside) {
  const Finished finished;
  fs::create_directory(finished.folder / ".run.likely-old");
  write_bytes(finished.folder / ".run.likely-old/.likely-made", std::string("model.safetensors\0", 18));
  { const FolderLock next(finished.run); }
  finished.expect_old("run");
}

TEST(LiveFolder, ComesBackAfterADeathBetweenTwoNames) {
  const Finished finished;  // as where the file system cannot let names trade places
  fs::rename(finished.run, finished.folder / ".run.likely-old");
  fs::create_directory(finished.folder / ".run.likely-new");
  { const FolderLock next(finished.run); }
  finished.expect_old("run");
}

// A list that is no file says nothing, and nobody waits for it.
TEST(LiveFolder, DoesNotWaitForAListThatIsAPipe) {
  const Finished finished;
  const fs::path left = finished.folder / ".run.likely-old";
  fs::create_directory(left);
  ASSERT_EQ(mkfifo((left / ".likely-replaced").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((left / ".likely-made").c_str(), 0600), 0);
  { const FolderLock next(finished.run); }
  finished.expect_old("run");
}

// Under the name of a file of the run: somebody else's.
TEST(LiveFolder, SetsAsideWhatIsNoFile) {
  const Finished finished;
  fs::remove(finished.run / "model.safetensors");
  ASSERT_EQ(mkfifo((finished.run / "model.safetensors").c_str(), 0600), 0);
  const detail::MadeRecord made(fs::canonical(finished.run), finished.run, detail::MadeRecord::Known::all);
  write_file(finished.run / "model.safetensors", "new");
  EXPECT_EQ(read_bytes(finished.run / "model.safetensors"), "new");
  EXPECT_TRUE(fs::is_fifo(finished.run / "model.safetensors.kept"));
  write_file(finished.run / "recipe.json", "new");
  EXPECT_FALSE(fs::exists(finished.run / "recipe.json.kept"));
}

}  // namespace
}  // namespace likely::io
