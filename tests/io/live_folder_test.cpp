#include "likely/io/live_folder.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "likely/core/error.hpp"
#include "likely/io/atomic_file.hpp"
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

const FolderRules kRun{.mark = "recipe.json", .option = "--out "};
const FolderRules kForced{.mark = "recipe.json", .replace = true, .option = "--out "};

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
  EXPECT_FALSE(fs::exists(finished.run / ".likely-replaced"));
  EXPECT_FALSE(fs::exists(finished.run / "seed-1"));
  const LiveFolder run(finished.run, kForced);  // and is locked as it should be
  expect_refusal([&] { FolderLock second(finished.run); },
                 "another process is writing to " + finished.run.string());
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

TEST(LiveFolder, ComesBackAfterADeathBetweenTwoNames) {
  const Finished finished;  // as where the file system cannot let names trade places
  fs::rename(finished.run, finished.folder / ".run.likely-old");
  fs::create_directory(finished.folder / ".run.likely-new");
  { const FolderLock next(finished.run); }
  finished.expect_old("run");
}

}  // namespace
}  // namespace likely::io
