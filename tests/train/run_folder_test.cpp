// What a run folder holds, and which folders are refused before anything is trained.
#include "likely/train/run_folder.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "likely/io/json.hpp"
#include "likely/kernels/build_info.hpp"
#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/train/child_process.hpp"
#include "tests/train/small_network.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::kCrossEntropy;
using testing::SmallNetwork;
using testing::TemporaryFolder;
using testing::three_classes;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

train::FitResult<SmallNetwork> fit_in(const std::filesystem::path& folder, std::int64_t* steps = nullptr) {
  SmallNetwork model(Rng(1));
  optim::Adam adam(model, {.lr = 0.01});
  return train::fit(model, adam, {.train = three_classes(40, 1), .validation = three_classes(20, 2)},
                    kCrossEntropy,
                    {.epochs = 2,
                     .batch = 20,
                     .seed = 7,
                     .metrics = {{"accuracy", train::accuracy}},
                     .on_step =
                         [&](const train::StepReport& s) {
                           if (steps != nullptr) *steps = s.step;
                         },
                     .out = folder,
                     .log_every = 3,
                     .notes = {{"purpose", "a \"test\""}},
                     .progress = train::Progress::silent});
}

TEST(RunFolder, HoldsConfigurationMetricsCheckpointAndBestModel) {
  const TemporaryFolder folder;
  const std::filesystem::path here = folder.path() / "runs" / "first";
  const auto result = fit_in(here);

  const auto config = io::parse_json<io::SortedJson>(contents(here / "config.json"));
  EXPECT_EQ(config["likely"], version());
  EXPECT_EQ(config["seed"], 7);
  EXPECT_EQ(config["epochs"], 2);
  EXPECT_EQ(config["batch"], 20);
  EXPECT_EQ(config["lr"], 0.01);
  EXPECT_EQ(config["monitor"], "loss");
  EXPECT_EQ(config["training rows"], 40);
  EXPECT_EQ(config["validation rows"], 20);
  EXPECT_EQ(config["notes"]["purpose"], "a \"test\"");
  EXPECT_EQ(config["optimizer"], "likely::optim::Adam");
  EXPECT_EQ(config["model"], "likely::testing::SmallNetwork");
  EXPECT_EQ(config["parameters"], 4 * 16 + 16 + 2 * 16 + 16 * 3 + 3);
  EXPECT_EQ(config["parts"][0]["name"], "first.weight");
  EXPECT_EQ(config["parts"][0]["kind"], "parameter");
  EXPECT_EQ(config["parts"][0]["shape"], "(16, 4)");
  EXPECT_EQ(config["parts"][0]["type"], "f32");

  std::vector<io::SortedJson> lines;
  std::istringstream metrics(contents(here / "metrics.jsonl"));
  for (std::string line; std::getline(metrics, line);) lines.push_back(io::parse_json<io::SortedJson>(line));
  ASSERT_EQ(lines.size(), 3U);  // epoch 1, step 3, epoch 2
  for (const std::size_t epoch : {0U, 1U}) {
    const io::SortedJson& line = lines[2 * epoch];
    const train::EpochReport& report = result.history[epoch];
    EXPECT_EQ(line["epoch"], epoch + 1);
    EXPECT_EQ(line["step"], 2 * (epoch + 1));
    EXPECT_EQ(line["loss"].get<double>(), report.loss);
    EXPECT_EQ(line["lr"], 0.01);
    EXPECT_EQ(line["validation_loss"].get<double>(), report.measured[0].second);
    EXPECT_EQ(line["validation_accuracy"].get<double>(), report.measured[1].second);
    EXPECT_EQ(line["improved"].get<bool>(), report.improved);
    EXPECT_TRUE(line["seconds"].is_number());
  }
  EXPECT_EQ(lines[1]["step"], 3);
  EXPECT_EQ(lines[1].size(), 3U);

  SmallNetwork best(Rng(2));
  const auto metadata = io::load(here / "best.safetensors", best);
  EXPECT_TRUE(testing::same_bits(best, result.best));
  EXPECT_EQ(metadata.at("epoch"), std::to_string(result.best_epoch));

  // Without gnuplot there is only the script.
  const std::string script = contents(here / "figures" / "loss.gp");
  EXPECT_NE(script.find("validation"), std::string::npos);
  EXPECT_NE(script.find("epoch"), std::string::npos);

  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(here))
    files.push_back(entry.path().filename());
  std::sort(files.begin(), files.end());
  std::erase(files, "figures");
  EXPECT_EQ(files, (std::vector<std::string>{"best.safetensors", "checkpoint.safetensors", "config.json",
                                             "metrics.jsonl"}));
}

void expect_refused_before_training(const std::filesystem::path& folder, const std::string& message) {
  std::int64_t steps = 0;
  expect_refusal([&] { fit_in(folder, &steps); }, message);
  EXPECT_EQ(steps, 0);
}

TEST(RunFolder, RefusesAFolderThatCannotBeMade) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "in the way";
  const std::filesystem::path below = folder.path() / "file" / "run";
  expect_refused_before_training(
      below, "[fit] cannot make the run folder \"" + below.string() + "\": Not a directory");
}

TEST(RunFolder, RefusesOneThatAnotherTrainingUses) {
  const TemporaryFolder folder;
  const train::detail::RunFolder taken("fit", folder.path());
  expect_refused_before_training(folder.path(),
                                 "[fit] another process is training in \"" + folder.path().string() + "\"");
}

TEST(RunFolder, RefusesADiskWithoutRoom) {
  const TemporaryFolder folder;
  const train::detail::RunFolder run("fit", folder.path());
  run.check_room(1000);
  const auto free = static_cast<double>(std::filesystem::space(folder.path()).available);
  try {
    run.check_room(static_cast<std::int64_t>(4e18));
    FAIL() << free;
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("[fit] no room in \"" + folder.path().string() + "\": ")) << message;
    EXPECT_TRUE(message.ends_with(" MB are free, checkpoints need 4000000000000.0 MB")) << message;
  }
}

// In a process of its own, where no file may be longer than this: as on a disk that is full.
TEST(DISABLED_RunFolderChild, MayWriteLittle) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit little{1000, 1000};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  std::int64_t steps = 0;
  try {
    fit_in(std::getenv("LIKELY_FOLDER"), &steps);
    FAIL() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("File too large"), std::string::npos) << error.what();
  }
  EXPECT_EQ(steps, 0);
}

TEST(RunFolder, AFullDiskIsReportedBeforeTraining) {
  const TemporaryFolder folder;
  EXPECT_EQ(testing::wait_for(testing::start_test("DISABLED_RunFolderChild.MayWriteLittle",
                                                  {{"LIKELY_FOLDER", (folder.path() / "run").string()}})),
            0);
  // Nothing half-written is left under a name that counts.
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run" / "checkpoint.safetensors"));
}

// Somebody writes into the folder while it is trained in.
train::FitResult<SmallNetwork> fit_disturbed(const std::filesystem::path& folder,
                                             const std::function<void(std::int64_t epoch)>& disturb) {
  SmallNetwork model(Rng(1));
  optim::Adam adam(model, {.lr = 0.01});
  return train::fit(model, adam, {.train = three_classes(40, 1), .validation = three_classes(20, 2)},
                    kCrossEntropy,
                    {.epochs = 3,
                     .batch = 20,
                     .seed = 7,
                     .on_epoch = [&](const train::EpochReport& report) { disturb(report.epoch); },
                     .out = folder,
                     .checkpoint_seconds = 0.0,
                     .figures = false,
                     .progress = train::Progress::silent});
}

TEST(RunFolder, KeepsWhatOthersPutUnderItsNames) {
  const TemporaryFolder folder;
  const std::filesystem::path run = folder / "run";
  // No run is there, but a file of that name: nobody said that it may go.
  std::filesystem::create_directory(run);
  testing::write_bytes(run / "metrics.jsonl", "my measurements");
  testing::write_bytes(run / "best.safetensors", "my model");
  fit_disturbed(run, [&](std::int64_t epoch) {
    if (epoch == 2) {
      testing::write_bytes(run / "theirs", "theirs");
      std::filesystem::rename(run / "theirs", run / "checkpoint.safetensors");
    }
  });
  EXPECT_EQ(contents(run / "metrics.jsonl.kept"), "my measurements");
  EXPECT_EQ(contents(run / "best.safetensors.kept"), "my model");
  EXPECT_EQ(contents(run / "checkpoint.safetensors.kept"), "theirs");
  EXPECT_EQ(io::load_safetensors(run / "checkpoint.safetensors").metadata.at("epoch"), "3");
  EXPECT_EQ(contents(run / "metrics.jsonl").find("my measurements"), std::string::npos);
}

TEST(RunFolder, IsNotContinuedInAFolderPutInItsPlace) {
  const TemporaryFolder folder;
  const std::filesystem::path run = folder / "run";
  const auto swap = [&](std::int64_t epoch) {
    if (epoch != 2) return;
    std::filesystem::rename(run, folder / "moved");
    std::filesystem::create_directory(run);
    testing::write_bytes(run / "checkpoint.safetensors", "theirs");
  };
  expect_refusal([&] { fit_disturbed(run, swap); },
                 "[fit] \"" + run.string() +
                     "\": another folder was put in its place meanwhile; nothing is written there");
  EXPECT_EQ(contents(run / "checkpoint.safetensors"), "theirs");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(run), {}), 1);
  EXPECT_EQ(io::load_safetensors(folder / "moved/checkpoint.safetensors").metadata.at("epoch"), "1");
}

// Also by a training that fails then.
TEST(RunFolder, TellsAtOnceWhatItHasSetAside) {
  const TemporaryFolder folder;
  const std::filesystem::path run = folder / "run";
  std::filesystem::create_directory(run);
  testing::write_bytes(run / "metrics.jsonl", "my measurements");
  std::vector<std::string> told;
  SmallNetwork model(Rng(1));
  optim::Adam adam(model, {.lr = 0.01});
  const auto failing = [](SmallNetwork&, const data::Batch&, const Training&) -> Tensor {
    throw Error("the weather is bad");
  };
  EXPECT_THROW(train::fit(model, adam, {.train = three_classes(40, 1)}, failing,
                          {.epochs = 1,
                           .out = run,
                           .progress = train::Progress::silent,
                           .events =
                               [&](const train::Event& event) {
                                 if (const auto* warning = std::get_if<train::event::Warning>(&event))
                                   told.push_back(warning->text);
                               }}),
               Error);
  EXPECT_EQ(told, std::vector<std::string>{(run / "metrics.jsonl").string() +
                                           " was somebody else's: it is kept as metrics.jsonl.kept"});
}

// Nothing was learned, and the corrected program is not told of a run.
TEST(RunFolder, IsTakenBackWhereTheFirstStepIsRefused) {
  const TemporaryFolder folder;
  const auto train = [](const std::filesystem::path& out, std::int64_t fails_at) {
    SmallNetwork model(Rng(1));
    optim::Adam adam(model, {.lr = 0.01});
    std::int64_t step = 0;
    const auto loss = [&](SmallNetwork& network, const data::Batch& batch, const Training& training) {
      if (step++ == fails_at) throw Error("the weather is bad");
      return kCrossEntropy(network, batch, training);
    };
    train::fit(model, adam, {.train = three_classes(40, 1)}, loss,
               {.epochs = 1, .batch = 20, .out = out, .progress = train::Progress::silent});
  };
  EXPECT_THROW(train(folder / "runs/first", 0), Error);
  EXPECT_EQ(folder.list(), "");
  std::filesystem::create_directory(folder / "mine");
  testing::write_bytes(folder / "mine/notes.txt", "mine");
  EXPECT_THROW(train(folder / "mine", 0), Error);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "mine"), {}), 1);
  train(folder / "mine", -1);
  EXPECT_TRUE(std::filesystem::exists(folder / "mine/checkpoint.safetensors"));
  // A step was made: what it said stays.
  EXPECT_THROW(train(folder / "later", 1), Error);
  EXPECT_TRUE(std::filesystem::exists(folder / "later/config.json"));
  // What goes on is not taken back.
  SmallNetwork model(Rng(1));
  optim::Adam adam(model, {.lr = 0.01});
  const auto failing = [](SmallNetwork&, const data::Batch&, const Training&) -> Tensor {
    throw Error("the weather is bad");
  };
  EXPECT_THROW(train::fit(model, adam, {.train = three_classes(40, 1)}, failing,
                          {.epochs = 1,
                           .batch = 20,
                           .out = folder / "later",
                           .resume = true,
                           .progress = train::Progress::silent}),
               Error);
  EXPECT_TRUE(std::filesystem::exists(folder / "later/config.json"));
}

// A relative name is that of the folder it named at the beginning.
TEST(RunFolder, StaysWhereItWasWhenTheCurrentFolderChanges) {
  const TemporaryFolder folder;
  const std::filesystem::path before = std::filesystem::current_path();
  const std::vector<std::string> names{"config.json", "metrics.jsonl", "checkpoint.safetensors",
                                       "best.safetensors", "best-next.safetensors"};
  std::filesystem::create_directories(folder / "other/run");
  for (const std::string& name : names) testing::write_bytes(folder / "other/run" / name, "theirs");
  std::filesystem::current_path(folder.path());
  std::vector<std::string> told;
  {
    SmallNetwork model(Rng(1));
    optim::Adam adam(model, {.lr = 0.01});
    train::fit(model, adam, {.train = three_classes(40, 1), .validation = three_classes(20, 2)},
               kCrossEntropy,
               {.epochs = 3,
                .batch = 20,
                .seed = 7,
                .on_epoch =
                    [&](const train::EpochReport& report) {
                      if (report.epoch == 1) std::filesystem::current_path(folder / "other");
                      if (report.epoch != 2) return;
                      testing::write_bytes(folder / "theirs", "theirs");
                      std::filesystem::rename(folder / "theirs", folder / "run/checkpoint.safetensors");
                    },
                .out = "run",
                .checkpoint_seconds = 0.0,
                .progress = train::Progress::silent,
                .events =
                    [&](const train::Event& event) {
                      if (const auto* warning = std::get_if<train::event::Warning>(&event))
                        told.push_back(warning->text);
                    }});
  }
  std::filesystem::current_path(before);
  for (const std::string& name : names) EXPECT_EQ(contents(folder / "other/run" / name), "theirs") << name;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "other/run"), {}),
            static_cast<std::ptrdiff_t>(names.size()));
  EXPECT_EQ(io::load_safetensors(folder / "run/checkpoint.safetensors").metadata.at("epoch"), "3");
  EXPECT_TRUE(std::filesystem::exists(folder / "run/best.safetensors"));
  EXPECT_TRUE(std::filesystem::exists(folder / "run/figures/loss.gp"));
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back(),
            "run/checkpoint.safetensors was somebody else's: it is kept as checkpoint.safetensors.kept");
}

// A backup by links shares its files with the run.
TEST(RunFolder, WritesToNoFileThatHasASecondName) {
  const TemporaryFolder folder;
  const std::filesystem::path run = folder / "run", backup = folder / "backup";
  const auto train = [&](std::int64_t epochs) {
    SmallNetwork model(Rng(1));
    optim::Adam adam(model, {.lr = 0.01});
    train::fit(model, adam, {.train = three_classes(40, 1)}, kCrossEntropy,
               {.epochs = epochs, .batch = 20, .seed = 7, .out = run, .resume = true});
  };
  train(1);
  std::filesystem::create_hard_link(run / "metrics.jsonl", backup);
  const std::string before = contents(backup);
  EXPECT_FALSE(before.empty());
  train(3);
  EXPECT_EQ(contents(backup), before);
  const std::string after = contents(run / "metrics.jsonl");
  EXPECT_GT(after.size(), before.size());
  EXPECT_EQ(after.substr(0, before.size()), before);
}

TEST(RunFolder, RefusesMetricsThatAreTooShort) {
  const TemporaryFolder folder;
  const std::filesystem::path here = folder.path() / "run";
  fit_in(here);
  std::ofstream(here / "metrics.jsonl", std::ios::trunc) << "{}\n";
  SmallNetwork model(Rng(1));
  optim::Adam adam(model, {.lr = 0.01});
  try {
    train::fit(model, adam, {.train = three_classes(40, 1), .validation = three_classes(20, 2)},
               kCrossEntropy, {.epochs = 2, .batch = 20, .seed = 7, .out = here, .resume = true});
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with("[fit] \"" + (here / "metrics.jsonl").string() +
                                 "\" has 3 bytes, the checkpoint was made when it had "))
        << error.what();
  }
}

}  // namespace
}  // namespace likely
