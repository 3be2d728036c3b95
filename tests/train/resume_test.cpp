// A training that was killed, interrupted or stopped, and went on, ends in the same bits as one that was not.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <thread>
#include <utility>

#include "likely/io/json.hpp"
#include "likely/kernels/instruction_set.hpp"
#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/train/child_process.hpp"
#include "tests/train/small_network.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::kCrossEntropy;
using testing::SmallNetwork;
using testing::start_test;
using testing::TemporaryFolder;
using testing::three_classes;
using testing::wait_for;

constexpr std::int64_t kEpochs = 5;  // of 5 steps each; of 3 with "everything"

using Change = std::function<void(train::FitOptions<SmallNetwork>&)>;

// Biases learn slowly, and weights decay.
const optim::Groups kGroups{{.max_rank = 1, .lr_multiple = 0.5}, {.lr_multiple = 2.0, .weight_decay = 0.01}};

template <class Optimizer, class OptimizerOptions>
train::FitResult<SmallNetwork> train_with(const OptimizerOptions& optimizer_options,
                                          const std::filesystem::path& folder, const Change& change,
                                          bool everything = false, const optim::Groups& groups = kGroups) {
  SmallNetwork model(Rng(5));
  Optimizer optimizer(model, optimizer_options, everything ? groups : optim::Groups{});
  optim::Average average(model, {.decay = 0.9});
  optim::Plateau plateau({.lr = 0.02, .factor = 0.5, .patience = 0});
  train::FitOptions<SmallNetwork> options{.epochs = kEpochs,
                                          .batch = 16,
                                          .seed = 9,
                                          .metrics = {{"accuracy", train::accuracy}},
                                          .out = folder,
                                          .resume = true,
                                          .log_every = 1,
                                          .figures = false,
                                          .progress = train::Progress::silent};
  if (everything) {
    options.prefetch = 2;
    options.accumulate = 2;
    options.clip_norm = 0.5;
    options.average = &average;
    options.plateau = &plateau;
    options.monitor = "accuracy";
  }
  change(options);
  const data::Dataset rows = three_classes(70, 1).augment([](data::Batch batch, Rng rng) {
    batch.x = batch.x + rng.normal(batch.x.shape(), 0.0, 0.1);
    return batch;
  });
  return train::fit(model, optimizer, {.train = rows, .validation = three_classes(30, 2)}, kCrossEntropy,
                    options);
}

train::FitResult<SmallNetwork> run(
    const std::string& optimizer, const std::filesystem::path& folder, const Change& change = [](auto&) {}) {
  if (optimizer == "sgd")
    return train_with<optim::Sgd>(optim::SgdOptions{.lr = 0.05, .momentum = 0.9}, folder, change);
  return train_with<optim::Adam>(optim::AdamOptions{.lr = 0.01}, folder, change, optimizer == "everything");
}

// The lines of metrics.jsonl without what the clock wrote.
std::vector<std::string> metrics_of(const std::filesystem::path& folder) {
  std::vector<std::string> lines;
  std::ifstream file(folder / "metrics.jsonl");
  for (std::string line; std::getline(file, line);) {
    auto json = io::parse_json(line);
    json.erase("seconds");
    lines.push_back(io::json_text(json));
  }
  return lines;
}

void expect_same_run(const std::filesystem::path& a, const std::filesystem::path& b) {
  for (const char* name : {"checkpoint.safetensors", "best.safetensors"}) {
    io::NamedTensors left = io::load_safetensors(a / name);
    io::NamedTensors right = io::load_safetensors(b / name);
    ASSERT_EQ(left.tensors.size(), right.tensors.size());
    ASSERT_GT(left.tensors.size(), 0U);
    for (std::size_t i = 0; i < left.tensors.size(); ++i) {
      EXPECT_EQ(left.tensors[i].first, right.tensors[i].first);
      EXPECT_TRUE(array_equal(left.tensors[i].second, right.tensors[i].second))
          << name << " " << left.tensors[i].first;
    }
    left.metadata.erase("seconds");
    right.metadata.erase("seconds");
    for (const char* name_of_metrics : {"metrics_bytes", "metrics_checksum"}) {  // the clock's numbers differ
      left.metadata.erase(name_of_metrics);
      right.metadata.erase(name_of_metrics);
    }
    EXPECT_EQ(left.metadata, right.metadata) << name;
  }
  EXPECT_EQ(metrics_of(a), metrics_of(b));
}

void expect_same_result(const train::FitResult<SmallNetwork>& a, const train::FitResult<SmallNetwork>& b) {
  EXPECT_TRUE(testing::same_bits(a.best, b.best));
  EXPECT_EQ(a.best_value, b.best_value);
  EXPECT_EQ(a.best_epoch, b.best_epoch);
  EXPECT_EQ(a.steps, b.steps);
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t i = 0; i < a.history.size(); ++i) {
    EXPECT_EQ(a.history[i].step, b.history[i].step);
    EXPECT_EQ(a.history[i].loss, b.history[i].loss);
    EXPECT_EQ(a.history[i].measured, b.history[i].measured);
    EXPECT_EQ(a.history[i].improved, b.history[i].improved);
  }
}

class Resume : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, Resume, ::testing::Values("sgd", "adam", "everything"),
                         [](const auto& chosen) { return chosen.param; });

TEST_P(Resume, AfterAStopAtEveryStepTheBitsAreThoseOfOneRun) {
  const TemporaryFolder folder;
  const auto whole = run(GetParam(), folder.path() / "whole");
  EXPECT_EQ(whole.steps, GetParam() == "everything" ? 15 : 25);
  for (std::int64_t at = 1; at <= whole.steps; ++at) {
    const std::filesystem::path here = folder.path() / std::to_string(at);
    const auto first = run(
        GetParam(), here, [&](auto& o) { o.on_step = [&](train::StepReport& s) { s.stop = s.step == at; }; });
    EXPECT_EQ(first.steps, at);
    expect_same_result(run(GetParam(), here), whole);
    expect_same_run(here, folder.path() / "whole");
  }
}

TEST_P(Resume, AFinishedRunIsReadAndCanBeMadeLonger) {
  const TemporaryFolder folder;
  const auto whole = run(GetParam(), folder.path() / "whole");
  expect_same_result(run(GetParam(), folder.path() / "whole",
                         [](auto& o) {
                           o.on_step = [](const train::StepReport&) {
                             FAIL() << "there was nothing left to do";
                           };
                         }),
                     whole);
  run(GetParam(), folder.path() / "short", [](auto& o) { o.epochs = 2; });
  expect_same_result(run(GetParam(), folder.path() / "short"), whole);
}

// Whatever is written can be read: here after each step, where no epoch is ever whole and nothing gets
// better.
TEST_P(Resume, ARunThatNeverGetsBetterGoesOnAsOftenAsItEnds) {
  const TemporaryFolder folder;
  const std::int64_t an_epoch = GetParam() == "everything" ? 3 : 5;
  for (std::int64_t at = 1; at <= 3 * an_epoch; ++at) {
    const auto result = run(GetParam(), folder.path() / "run", [&](auto& o) {
      o.epochs = 0;
      o.steps = at;
      o.monitor = "worse";
      o.metrics = {
          {"worse",
           [&](const SmallNetwork&, const data::Batch&) { return constant({}, -static_cast<double>(at)); },
           true}};
    });
    EXPECT_EQ(result.steps, at);
    EXPECT_EQ(result.best_epoch, 1);
    EXPECT_EQ(std::ssize(result.history), at);
  }
}

TEST(ResumeBest, EveryNumberIsBetterThanAnInfiniteLoss) {
  const TemporaryFolder folder;
  const auto train_until = [&](std::int64_t epochs) {
    return run("adam", folder.path() / "run", [&](auto& o) {
      o.epochs = epochs;
      o.monitor = "late";
      o.metrics = {{"late",
                    [=](const SmallNetwork&, const data::Batch&) {
                      return constant({}, epochs == 1 ? std::numeric_limits<double>::infinity() : 3.0);
                    },
                    /*higher_is_better=*/false}};
    });
  };
  EXPECT_EQ(train_until(1).best_value, std::numeric_limits<double>::infinity());
  const auto result = train_until(2);
  EXPECT_EQ(result.best_epoch, 2);
  EXPECT_EQ(result.best_value, 3.0);
}

// Notes and names of metrics in Latin-1.
TEST(ResumeNames, NeedNotBeUtf8) {
  const TemporaryFolder folder;
  const auto train_until = [&](std::int64_t epochs) {
    return run("adam", folder / "run", [&](auto& o) {
      o.epochs = epochs;
      o.notes = {{"author", "Andr\xe9"}};
      o.metrics = {
          {"pr\xe9"
           "cision",
           train::accuracy}};
    });
  };
  EXPECT_EQ(train_until(1).history.size(), 1U);
  EXPECT_EQ(train_until(2).history.size(), 2U);
  EXPECT_NE(testing::read_bytes(folder / "run/config.json").find("Andr\xef\xbf\xbd"), std::string::npos);
}

TEST(ResumeFrozen, PartsStayFrozen) {
  const TemporaryFolder folder;
  const data::Dataset rows = three_classes(70, 1);
  for (std::int64_t epochs = 1; epochs <= 2; ++epochs) {
    SmallNetwork model(Rng(5));
    freeze(model.first);
    optim::Adam optimizer(model, {.lr = 0.01});
    const auto result = train::fit(model, optimizer, {.train = rows}, kCrossEntropy,
                                   {.epochs = epochs,
                                    .out = folder / "run",
                                    .resume = true,
                                    .figures = false,
                                    .progress = train::Progress::silent});
    for (const SmallNetwork* network : {&std::as_const(model), &result.best}) {
      EXPECT_TRUE(network->first.weight.frozen());
      EXPECT_FALSE(network->out.weight.frozen());
      EXPECT_TRUE(array_equal(network->first.weight, SmallNetwork(Rng(5)).first.weight));
    }
  }
}

// The best model and the checkpoint are two files, and a training may die between them.
TEST(ResumeBest, BelongsToTheCheckpointWheneverATrainingDies) {
  const TemporaryFolder folder;
  const auto train_in = [&](const std::filesystem::path& here, std::int64_t epochs) {
    return run("adam", here, [&](auto& o) { o.epochs = epochs; });
  };
  const std::filesystem::path one = folder / "one", two = folder / "two", here = folder / "here";
  const auto first = train_in(one, 1);
  const auto second = train_in(two, 2);
  ASSERT_EQ(first.best_epoch, 1);
  ASSERT_EQ(second.best_epoch, 2);
  const auto put = [&](const std::filesystem::path& checkpoint, const std::filesystem::path& best) {
    std::filesystem::remove_all(here);
    std::filesystem::copy(checkpoint, here);
    std::filesystem::copy(best / "best.safetensors", here / "best.safetensors",
                          std::filesystem::copy_options::overwrite_existing);
  };
  const auto put_next = [&](const std::filesystem::path& best) {
    std::filesystem::copy(best / "best.safetensors", here / "best-next.safetensors");
  };
  // Before the second checkpoint, and after it.
  for (const auto& [checkpoint, result] : {std::pair(one, &first), std::pair(two, &second)}) {
    put(checkpoint, one);
    put_next(two);
    expect_same_result(train_in(here, result->best_epoch), *result);
    expect_same_run(here, checkpoint);
    EXPECT_FALSE(std::filesystem::exists(here / "best-next.safetensors"));
    expect_same_result(train_in(here, 2), second);
  }
  // Before the first one that speaks of a best model.
  const std::filesystem::path none = folder / "none";
  run("adam", none, [](auto& o) { o.on_step = [](train::StepReport& s) { s.stop = s.step == 2; }; });
  std::filesystem::copy(one / "best.safetensors", none / "best-next.safetensors");
  expect_same_result(train_in(none, 2), second);
  EXPECT_FALSE(std::filesystem::exists(none / "best-next.safetensors"));
  // What belongs to another checkpoint or run.
  for (const bool older : {true, false}) {
    const auto &there = older ? first : second, &meant = older ? second : first;
    put(older ? two : one, older ? one : two);
    expect_refusal([&] { train_in(here, 2); },
                   fmt::format("[fit] \"{}\": this is the best model of epoch {} ({}), the checkpoint speaks "
                               "of best_epoch {}, best_value {}",
                               (here / "best.safetensors").string(), there.best_epoch, there.best_value,
                               meant.best_epoch, meant.best_value));
  }
}

// A training writes this name for a moment alone: what somebody keeps under it is theirs.
TEST(ResumeBest, LeavesAFileOfAnothersUnderTheNextName) {
  const TemporaryFolder folder;
  const std::filesystem::path here = folder / "run", next = here / "best-next.safetensors";
  const std::filesystem::path kept = here / "best-next.safetensors.kept";
  SmallNetwork mine(Rng(8));
  for (const bool parses : {true, false}) {
    std::filesystem::remove_all(here);
    run("adam", here, [](auto& o) { o.epochs = 1; });
    if (parses) io::save(next, mine);
    if (!parses) testing::write_bytes(next, "my notes");
    const std::string bytes = testing::read_bytes(next);
    std::vector<std::string> told;
    run("adam", here, [&](auto& o) {
      o.epochs = 2;
      o.events = [&](const train::Event& event) {
        if (const auto* warning = std::get_if<train::event::Warning>(&event)) told.push_back(warning->text);
      };
    });
    EXPECT_EQ(testing::read_bytes(kept), bytes);
    EXPECT_FALSE(std::filesystem::exists(next));
    EXPECT_EQ(told, std::vector<std::string>{
                        next.string() + " was somebody else's: it is kept as best-next.safetensors.kept"});
  }
}

// Run in a process of its own: ends itself with SIGKILL in the middle of things.
TEST(DISABLED_ResumeChild, Trains) {
  const std::string die_at = std::getenv("LIKELY_DIE_AT");
  run(std::getenv("LIKELY_OPTIMIZER"), std::getenv("LIKELY_FOLDER"), [&](auto& o) {
    o.checkpoint_every = std::stoll(std::getenv("LIKELY_CHECKPOINT_EVERY"));
    o.on_step = [&](const train::StepReport& s) {
      if (std::to_string(s.step) == die_at) std::raise(SIGKILL);
      if (die_at == "never") std::this_thread::sleep_for(std::chrono::milliseconds(3));
    };
  });
}

TEST_P(Resume, KilledAtRandomStepsTheBitsAreThoseOfOneRun) {
  const TemporaryFolder folder;
  run(GetParam(), folder.path() / "whole");
  Rng rng(3);
  for (const std::int64_t every : {1, 3, 7}) {
    const std::filesystem::path here = folder.path() / std::to_string(every);
    std::int64_t killed = 0;
    for (int attempt = 0; attempt < 4; ++attempt) {
      const auto step = static_cast<std::int64_t>(rng.randint(1, 16, {}).item());
      const int end = wait_for(
          start_test("DISABLED_ResumeChild.Trains", {{"LIKELY_FOLDER", here.string()},
                                                     {"LIKELY_OPTIMIZER", GetParam()},
                                                     {"LIKELY_CHECKPOINT_EVERY", std::to_string(every)},
                                                     {"LIKELY_DIE_AT", std::to_string(step)}}));
      ASSERT_TRUE(end == -SIGKILL || end == 0) << end;
      killed += end == -SIGKILL ? 1 : 0;
    }
    EXPECT_GT(killed, 0);
    run(GetParam(), here);
    expect_same_run(here, folder.path() / "whole");
  }
}

// Killed by somebody else, wherever that hits: also within a write.
TEST_P(Resume, KilledFromOutsideTheBitsAreThoseOfOneRun) {
  const TemporaryFolder folder;
  run(GetParam(), folder.path() / "whole");
  const std::filesystem::path here = folder.path() / "killed";
  for (int attempt = 0; attempt < 6; ++attempt) {
    const pid_t child = start_test("DISABLED_ResumeChild.Trains", {{"LIKELY_FOLDER", here.string()},
                                                                   {"LIKELY_OPTIMIZER", GetParam()},
                                                                   {"LIKELY_CHECKPOINT_EVERY", "1"},
                                                                   {"LIKELY_DIE_AT", "never"}});
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + 13 * attempt));
    kill(child, SIGKILL);
    wait_for(child);
  }
  run(GetParam(), here);
  expect_same_run(here, folder.path() / "whole");
}

void note_nothing(int) {}

TEST(Interrupt, EndsTheStepSavesAndPutsTheHandlerBack) {
  const TemporaryFolder folder;
  const auto whole = run("adam", folder.path() / "whole");
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::filesystem::path here = folder.path() / std::to_string(signal);
    struct sigaction ours = {};
    ours.sa_handler = note_nothing;
    struct sigaction before = {};
    sigaction(signal, &ours, &before);
    const auto first = run("adam", here, [&](auto& o) {
      o.on_step = [&](const train::StepReport& s) {
        if (s.step == 7) std::raise(signal);
      };
    });
    struct sigaction after = {};
    sigaction(signal, &before, &after);
    EXPECT_EQ(after.sa_handler, &note_nothing);
    EXPECT_EQ(first.stopped, train::Stopped::interrupted);
    EXPECT_EQ(first.steps, 7);
    EXPECT_EQ(io::load_safetensors(here / "checkpoint.safetensors").metadata.at("step"), "7");
    expect_same_result(run("adam", here), whole);
  }
}

// As whoever started the program wished, such as nohup.
TEST(Interrupt, StaysIgnoredWhereItWas) {
  const TemporaryFolder folder;
  const auto whole = run("adam", folder.path() / "whole");
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction ignored = {};
    ignored.sa_handler = SIG_IGN;
    struct sigaction before = {};
    sigaction(signal, &ignored, &before);
    const auto all = run("adam", folder.path() / std::to_string(signal), [&](auto& o) {
      o.on_step = [&](const train::StepReport& s) {
        if (s.step == 7) std::raise(signal);
      };
    });
    struct sigaction after = {};
    sigaction(signal, &before, &after);
    EXPECT_EQ(after.sa_handler, SIG_IGN);
    expect_same_result(all, whole);
  }
}

TEST(DISABLED_InterruptChild, GetsTwoSignals) {
  run("adam", std::getenv("LIKELY_FOLDER"), [](auto& o) {
    o.on_step = [](const train::StepReport&) {
      std::raise(SIGINT);
      std::raise(SIGINT);
    };
  });
}
TEST(DISABLED_InterruptChild, DoesNotCatch) {
  run("adam", std::getenv("LIKELY_FOLDER"), [](auto& o) {
    o.catch_interrupt = false;
    o.on_step = [](const train::StepReport&) { std::raise(SIGINT); };
  });
}

TEST(Interrupt, ASecondOneKills) {
  const TemporaryFolder folder;
  const std::map<std::string, std::string> environment = {
      {"LIKELY_FOLDER", (folder.path() / "run").string()}};
  EXPECT_EQ(wait_for(start_test("DISABLED_InterruptChild.GetsTwoSignals", environment)), -SIGINT);
  EXPECT_EQ(wait_for(start_test("DISABLED_InterruptChild.DoesNotCatch", environment)), -SIGINT);
}

TEST(ResumeRefusal, RefusesAnotherRunAndNamesWhatDiffers) {
  const TemporaryFolder folder;
  const std::filesystem::path here = folder.path() / "run";
  run("adam", here, [](auto& o) { o.epochs = 1; });
  expect_refusal([&] { run("adam", here, [](auto& o) { o.resume = false; }); },
                 "[fit] \"" + here.string() +
                     "\" already holds a run: set resume to continue it, or choose another folder");
  expect_refusal(
      [&] {
        run("sgd", here, [](auto& o) {
          o.batch = 8;
          o.seed = 1;
        });
      },
      "[fit] \"" + here.string() +
          "\" holds another run: seed 1 now, 9 then; batch 8 now, 16 then; optimizer \"likely::optim::Sgd\" "
          "now, "
          "\"likely::optim::Adam\" then; lr 0.05 now, 0.01 then");
}

TEST(ResumeRefusal, OfAnotherOptionOfTheOptimizer) {
  const TemporaryFolder folder;
  const std::filesystem::path here = folder.path() / "run";
  const auto train = [&](const optim::AdamOptions& options) {
    train_with<optim::Adam>(options, here, [](auto& o) { o.epochs = 1; });
  };
  train({.lr = 0.01});
  for (const auto& [options, values] : std::vector<std::pair<optim::AdamOptions, std::string>>{
           {{.lr = 0.01, .beta1 = 0.5}, "[0.5,0.999,1e-08,0.0,0.0]"},
           {{.lr = 0.01, .weight_decay = 0.1}, "[0.9,0.999,1e-08,0.1,0.0]"},
           {{.lr = 0.01, .decoupled = true}, "[0.9,0.999,1e-08,0.0,1.0]"}}) {
    expect_refusal([&, chosen = options] { train(chosen); },
                   "[fit] \"" + here.string() + "\" holds another run: optimizer_options " + values +
                       " now, [0.9,0.999,1e-08,0.0,0.0] then");
  }
  train({.lr = 0.01});
}

TEST(ResumeRefusal, OfOtherGroupsAveragesAndPlateaus) {
  const TemporaryFolder folder;
  const std::filesystem::path here = folder.path() / "run";
  const optim::AdamOptions options{.lr = 0.01};
  const auto train = [&](
                         const optim::Groups& groups, const Change& change = [](auto&) {}) {
    train_with<optim::Adam>(
        options, here,
        [&](auto& o) {
          o.epochs = 1;
          change(o);
        },
        true, groups);
  };
  train(kGroups);
  const std::string other = "[fit] \"" + here.string() + "\" holds another run: ";
  const SmallNetwork model(Rng(5));
  optim::Average slower(model, {.decay = 0.99}), mean(model, {});
  expect_refusal([&] { train(kGroups, [&](auto& o) { o.average = &slower; }); },
                 other + "average \"decay 0.99\" now, \"decay 0.9\" then");
  expect_refusal([&] { train(kGroups, [&](auto& o) { o.average = &mean; }); },
                 other + "average \"mean\" now, \"decay 0.9\" then");
  expect_refusal([&] { train(kGroups, [&](auto& o) { o.average = nullptr; }); },
                 other + "average \"\" now, \"decay 0.9\" then");
  optim::Plateau patient({.lr = 0.02, .factor = 0.5, .patience = 3});
  expect_refusal([&] { train(kGroups, [&](auto& o) { o.plateau = &patient; }); },
                 other +
                     "plateau \"lr 0.02, factor 0.5, patience 3, threshold 0.0001, cooldown 0, last 0\" now, "
                     "\"lr 0.02, factor 0.5, patience 0, threshold 0.0001, cooldown 0, last 0\" then");
  optim::Groups heavier = kGroups;
  heavier[1].weight_decay = 0.1;
  try {
    train(heavier);
    FAIL() << "other groups go on";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with(other + "groups \"0: lr x 2, weight_decay 0.1; 1: lr x 0.5; ")) << text;
    EXPECT_NE(text.find(" now, \"0: lr x 2, weight_decay 0.01; 1: lr x 0.5; "), std::string::npos) << text;
  }
  EXPECT_THROW(train({}), Error);
  train(kGroups);
}

TEST(ResumeRefusal, OfWhatWouldBeComparedWithAnotherBest) {
  const TemporaryFolder folder;
  const std::filesystem::path here = folder.path() / "run";
  run("adam", here, [](auto& o) { o.epochs = 1; });
  expect_refusal(
      [&] { run("adam", here, [](auto& o) { o.monitor = "accuracy"; }); },
      "[fit] \"" + here.string() + "\" holds another run: monitor \"accuracy\" now, \"loss\" then");
  SmallNetwork model(Rng(5));
  optim::Adam adam(model, {.lr = 0.01});
  const auto fit_on = [&](const train::Data& data) {
    train::fit(model, adam, data, kCrossEntropy,
               {.epochs = 2,
                .batch = 16,
                .seed = 9,
                .metrics = {{"accuracy", train::accuracy}},
                .out = here,
                .resume = true,
                .progress = train::Progress::silent});
  };
  expect_refusal([&] { fit_on({.train = three_classes(70, 1), .validation = three_classes(20, 2)}); },
                 "[fit] \"" + here.string() + "\" holds another run: validation rows 20 now, 30 then");
}

TEST(ResumeRefusal, OfOtherData) {
  const TemporaryFolder folder;
  const std::filesystem::path here = folder.path() / "run";
  const auto fit_on = [&](std::uint64_t training, std::uint64_t validation, std::int64_t epochs) {
    SmallNetwork model(Rng(5));
    optim::Adam adam(model, {.lr = 0.01});
    train::fit(model, adam,
               {.train = three_classes(70, training), .validation = three_classes(30, validation)},
               kCrossEntropy,
               {.epochs = epochs,
                .batch = 16,
                .out = here,
                .resume = true,
                .figures = false,
                .progress = train::Progress::silent});
  };
  fit_on(1, 2, 1);
  const std::string other = "[fit] \"" + here.string() + "\" holds another run: ";
  expect_refusal([&] { fit_on(3, 2, 2); }, other + "the training data have changed");
  expect_refusal([&] { fit_on(1, 4, 2); }, other + "the validation data have changed");
  expect_refusal([&] { fit_on(3, 4, 2); },
                 other + "the training data have changed; the validation data have changed");
  fit_on(1, 2, 2);
  const std::filesystem::path config = here / "config.json";
  // Data that are generated may be others on another processor, and the refusal says so. Only then.
  const std::string written = testing::read_bytes(config);
  auto moved = io::parse_json(written);
  EXPECT_EQ(moved["instructions"], kernels::instruction_set());
  moved["instructions"] = "of another";
  moved.erase("checksum");
  testing::write_bytes(config, io::json_text(moved, 2));
  expect_refusal([&] { fit_on(3, 2, 2); },
                 other + "the training data have changed (or were generated anew with \"" +
                     kernels::instruction_set() +
                     "\" instructions instead of \"of another\": their last digits may differ)");
  testing::write_bytes(config, written);
  // Older versions did not write what they were.
  auto older = io::parse_json(testing::read_bytes(config));
  for (const char* const key : {"checksum", "training data", "validation data"}) {
    EXPECT_TRUE(older.contains(key)) << key;
    older.erase(key);
  }
  testing::write_bytes(config, io::json_text(older, 2));
  fit_on(3, 4, 3);
}

}  // namespace
}  // namespace likely
