// Run folders that were changed: by a byte, which the checksums see, or by somebody who wrote them anew.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "likely/likely.hpp"
#include "tests/support/check_gradients.hpp"
#include "tests/support/comma_locale.hpp"
#include "tests/support/hostile_tensors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/train/small_network.hpp"

namespace likely {
namespace {

using testing::expect_refusal;
using testing::hostile_metadata;
using testing::hostile_tensors;
using testing::HostileFile;
using testing::kCrossEntropy;
using testing::read_bytes;
using testing::SmallNetwork;
using testing::three_classes;
using testing::write_bytes;

// A run of two epochs and the first batches of a third, with everything that is kept.
class HostileRun : public ::testing::Test {
 protected:
  template <class Make>
  void train(const Make& make, std::int64_t steps) {
    SmallNetwork model(Rng(5));
    auto optimizer = make(model);
    optim::Average average(model, {.decay = 0.9});
    optim::Plateau plateau({.lr = 0.02, .factor = 0.5, .patience = 0});
    static const data::Dataset rows = three_classes(70, 1), others = three_classes(30, 2);
    const SmallNetwork before = model;
    constexpr bool kByGradient = train::detail::StepsByGradient<decltype(optimizer), SmallNetwork>;
    try {
      train::fit(model, optimizer, {.train = rows, .validation = others}, kCrossEntropy,
                 {.steps = steps,
                  .batch = kByGradient ? 16 : rows.size(),
                  .seed = 9,
                  .accumulate = kByGradient ? 2 : 1,
                  .plateau = &plateau,
                  .average = &average,
                  .out = folder_.path(),
                  .resume = true,
                  .figures = false,
                  .progress = train::Progress::silent});
    } catch (const Error&) {
      // Whatever was refused, nothing of it is in the model.
      EXPECT_TRUE(testing::same_bits(model, before));
      EXPECT_TRUE(testing::same_bits(average.model, before));
      EXPECT_EQ(plateau.lr(), 0.02);
      throw;
    }
  }
  static optim::Adam adam(const SmallNetwork& model) { return optim::Adam(model, {.lr = 0.01}); }
  void begin() { train(adam, kSteps); }
  void resume() { train(adam, kSteps); }  // reads everything and has nothing left to do

  static constexpr std::int64_t kSteps = 8;
  testing::TemporaryFolder folder_;
  const std::filesystem::path checkpoint_ = folder_ / "checkpoint.safetensors";
};

bool is_square(const std::string& name) {
  return name.find("square") != std::string::npos || name.find("running_") != std::string::npos;
}

TEST_F(HostileRun, TensorsOfACheckpointAreCheckedOneByOne) {
  begin();
  resume();
  testing::expect_all_refused(
      hostile_tensors(io::load_safetensors(checkpoint_)), checkpoint_, [&] { resume(); },
      [](const HostileFile& hostile) {
        // Sums and statistics may overflow in good faith, a best loss may be infinite.
        return hostile.change == "infinite" && (is_square(hostile.name) || hostile.name == "plateau.best");
      });
}

TEST_F(HostileRun, TensorsOfTheBestModelAreCheckedToo) {
  begin();
  const std::filesystem::path best = folder_ / "best.safetensors";
  testing::expect_all_refused(
      hostile_tensors(io::load_safetensors(best)), best, [&] { resume(); },
      [](const HostileFile& hostile) { return hostile.change == "infinite" && is_square(hostile.name); });
}

TEST_F(HostileRun, StatesOfEveryOptimizerAreChecked) {
  const auto expect = [&](const auto& make) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      std::filesystem::remove_all(entry.path());
    train(make, kSteps);
    std::vector<HostileFile> files = hostile_tensors(io::load_safetensors(checkpoint_));
    std::erase_if(files, [](const HostileFile& file) { return !file.name.starts_with("optimizer."); });
    for (HostileFile& file : files) {
      // Named second, beside the moves that they must fit.
      if (file.name == "optimizer.changes") file.name = "changes";
    }
    testing::expect_all_refused(
        files, checkpoint_, [&] { train(make, kSteps); },
        [](const HostileFile& hostile) { return hostile.change == "infinite" && is_square(hostile.name); });
  };
  expect([](const SmallNetwork& m) { return optim::Sgd(m, {.lr = 0.05, .momentum = 0.9}); });
  expect([](const SmallNetwork& m) { return optim::Adam(m, {.lr = 0.01}); });
  expect([](const SmallNetwork& m) { return optim::AdamW(m, {.lr = 0.01}); });
  expect([](const SmallNetwork& m) {
    return optim::Rmsprop(m, {.lr = 0.001, .momentum = 0.5, .centred = true});
  });
  expect([](const SmallNetwork& m) { return optim::Adagrad(m, {.lr = 0.01}); });
  expect([](const SmallNetwork& m) { return optim::Langevin(m, {.lr = 0.01, .examples = 70}, Rng(1)); });
  expect([](const SmallNetwork&) { return optim::Lbfgs({.history = 3}); });
  expect([](const SmallNetwork&) { return optim::GradientDescent(); });
}

// What is gone is named, also where all of it is.
TEST_F(HostileRun, WhatAnOptimizerRememberedMustBeThere) {
  const auto expect = [&](const auto& make, const std::string& part, const std::string& message) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      std::filesystem::remove_all(entry.path());
    train(make, kSteps);
    io::NamedTensors file = io::load_safetensors(checkpoint_);
    std::erase_if(file.tensors, [&](const auto& tensor) { return tensor.first.starts_with(part); });
    testing::write_plain_safetensors(checkpoint_, file);
    expect_refusal([&] { train(make, kSteps); },
                   "[fit] \"" + checkpoint_.string() + "\" does not fit the model and optimizer: " + message);
  };
  const auto sgd = [](const SmallNetwork& m) { return optim::Sgd(m, {.lr = 0.05, .momentum = 0.9}); };
  expect(adam, "optimizer.mean.0", "optimizer.mean.0 is empty, must be (16, 4) f32");
  expect(adam, "optimizer.square.", "optimizer.square.0 is empty, must be (16, 4) f32");
  expect(sgd, "optimizer.velocity.1", "optimizer.velocity.1 is empty, must be (16,) f32");
  expect(sgd, "optimizer.velocity.", "optimizer.velocity.0 is empty, must be (16, 4) f32");
  expect([](const SmallNetwork&) { return optim::GradientDescent(); }, "optimizer.rate",
         "optimizer.rate is empty, must be () f64");
}

// 8 steps of 2 batches: an optimizer counts updates, not batches.
TEST_F(HostileRun, CountsOfStepsFollowFromThoseOfTheTraining) {
  const auto expect = [&](const auto& make, const std::string& part, const std::vector<std::int64_t>& counts,
                          const std::string& message) {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      std::filesystem::remove_all(entry.path());
    train(make, kSteps);
    io::NamedTensors file = io::load_safetensors(checkpoint_);
    for (auto& [name, tensor] : file.tensors) {
      if (name == part) tensor = likely::tensor(counts, tensor.shape());
    }
    testing::write_plain_safetensors(checkpoint_, file);
    expect_refusal([&] { train(make, kSteps); },
                   "[fit] \"" + checkpoint_.string() + "\" does not fit the model and optimizer: " + message);
  };
  const auto adam_w = [](const SmallNetwork& m) { return optim::AdamW(m, {.lr = 0.01}); };
  const auto langevin = [](const SmallNetwork& m) {
    return optim::Langevin(m, {.lr = 0.01, .examples = 70}, Rng(1));
  };
  const std::string why = "must be 8: 0 before this training, 8 in it";
  // Three in the middle are running statistics, which are not learned.
  expect(adam, "optimizer.steps", {8, 8, 7, 8, 0, 0, 0, 8, 8}, "optimizer.steps is 7, " + why);
  expect(adam, "optimizer.steps", {16, 16, 16, 16, 0, 0, 0, 16, 16}, "optimizer.steps is 16, " + why);
  expect(adam, "optimizer.steps", {8, 0, 8, 8, 0, 0, 0, 8, 8},
         "optimizer.steps.1 is 0, but mean.1 remembers steps");
  expect(adam_w, "optimizer.steps", {1, 1, 1, 1, 0, 0, 0, 1, 1}, "optimizer.steps is 1, " + why);
  expect(langevin, "optimizer.steps", {9}, "optimizer.steps is 9, " + why);
  expect(adam, "average.updates", {800}, "average.updates is 800, " + why);
}

// What made steps before is counted on with.
TEST_F(HostileRun, AnOptimizerThatWasUsedBeforeGoesOn) {
  const auto used = [](const SmallNetwork& m) {
    optim::Adam optimizer(m, {.lr = 0.01});
    SmallNetwork other = m;
    optimizer.step(other, m);
    return optimizer;
  };
  train(used, kSteps);
  train(adam, kSteps);
  io::NamedTensors file = io::load_safetensors(checkpoint_);
  EXPECT_EQ(file.metadata.at("optimizer.steps.before"), "1");
  EXPECT_EQ(file.metadata.at("average.updates.before"), "0");
  file.metadata["optimizer.steps.before"] = "0";
  testing::write_plain_safetensors(checkpoint_, file);
  expect_refusal([&] { resume(); },
                 "[fit] \"" + checkpoint_.string() +
                     "\" does not fit the model and optimizer: optimizer.steps is 9, must be 8: 0 before "
                     "this training, 8 in it");
}

// What learned only for a while has made fewer steps.
TEST_F(HostileRun, APartThatWasFrozenForAWhileGoesOn) {
  const data::Dataset rows = three_classes(70, 1);
  const auto learn = [&](std::int64_t steps) {
    SmallNetwork model(Rng(5));
    optim::Adam optimizer(model, {.lr = 0.01});
    freeze(model.first);
    train::fit(model, optimizer, {.train = rows}, kCrossEntropy,
               {.steps = steps,
                .batch = 16,
                .on_step =
                    [&](train::StepReport& report) {
                      if (report.step == 3) unfreeze(model.first);
                    },
                .out = folder_.path(),
                .resume = true,
                .figures = false,
                .progress = train::Progress::silent});
    return optimizer.steps.to_vector<std::int64_t>();
  };
  EXPECT_EQ(learn(4), (std::vector<std::int64_t>{1, 1, 4, 4, 0, 0, 0, 4, 4}));
  EXPECT_FALSE(io::load_safetensors(checkpoint_).metadata.contains("optimizer.steps.before"));
  learn(5);
}

// Without momentum there is no velocity.
TEST_F(HostileRun, WhatWasNeverRememberedNeedNotBeThere) {
  train([](const SmallNetwork& m) { return optim::Sgd(m, {.lr = 0.05}); }, kSteps);
  train([](const SmallNetwork& m) { return optim::Sgd(m, {.lr = 0.05}); }, kSteps);
}

// A checkpoint holds the model's own types: whatever has fewer digits was not written by this training.
TEST_F(HostileRun, OtherTypesThanItsOwnAreRefused) {
  begin();
  const auto expect = [&](const std::filesystem::path& path, const std::string& name,
                          const std::string& type) {
    const io::NamedTensors valid = io::load_safetensors(path);
    testing::write_plain_safetensors(path, valid, {{name, type}});
    expect_refusal([&] { resume(); }, "[fit] \"" + path.string() +
                                          "\" does not fit the model and optimizer: " + name + " is " + type +
                                          " in the file, which no training writes");
    testing::write_plain_safetensors(path, valid);
  };
  expect(checkpoint_, "optimizer.mean.0", "F16");
  expect(checkpoint_, "model.first.weight", "BF16");
  expect(checkpoint_, "optimizer.steps", "I32");
  expect(folder_ / "best.safetensors", "first.weight", "F16");
  resume();
}

TEST_F(HostileRun, TheBestEpochIsOneThatWasBegun) {
  train(adam, 9);  // three whole epochs
  io::NamedTensors file = io::load_safetensors(checkpoint_);
  EXPECT_EQ(file.metadata.at("epoch"), "3");
  file.metadata["best_epoch"] = "4";
  testing::write_plain_safetensors(checkpoint_, file);
  expect_refusal([&] { train(adam, 9); }, "[fit] \"" + checkpoint_.string() +
                                              "\": best_epoch 4 lies behind the epochs that were begun, 3");
}

TEST_F(HostileRun, ThePlaceInTheDataIsChecked) {
  begin();
  const io::NamedTensors valid = io::load_safetensors(checkpoint_);
  testing::expect_all_refused(
      hostile_metadata(valid), checkpoint_, [&] { resume(); },
      [](const HostileFile& hostile) {
        // Who wrote it does not matter; what older likelies did not write may be missing: without it the
        // metrics, the number of tensors and the counts of steps are not compared; a sum of losses may be any
        // number.
        const bool is_newer = hostile.name == "metrics_checksum" || hostile.name == "tensors" ||
                              hostile.name.ends_with(".before");
        return hostile.name == "likely" || (is_newer && hostile.change == "missing") ||
               (hostile.name == "loss_sum" &&
                (hostile.change == "\"-0x1p+0\"" || hostile.change == "\"-inf\""));
      });
  const auto expect = [&](const std::map<std::string, std::string>& changes, const std::string& message) {
    io::NamedTensors file = valid;
    for (const auto& [key, value] : changes) file.metadata.at(key) = value;
    testing::write_plain_safetensors(checkpoint_, file);
    expect_refusal([&] { resume(); }, "[fit] \"" + checkpoint_.string() + "\"" + message);
  };
  expect({{"epoch", "-1"}}, ": epoch is -1, must be a count from 0 to 2^53");
  expect({{"step", "9223372036854775807"}}, ": step is 9223372036854775807, must be a count from 0 to 2^53");
  expect({{"step", "9223372036854775808"}},
         ": its step is \"9223372036854775808\", which is not such a number");
  expect({{"batch", "6"}}, ": batch is 6, an epoch has 5");
  // 8 steps of 2 batches, 3 an epoch: 2 epochs of 5 batches, and 4 of the third.
  expect({{"epoch", "3"}}, ": epoch 3, batch 4, batches 14 and step 8 are no place of one training");
  expect({{"step", "7"}}, ": epoch 2, batch 4, batches 14 and step 7 are no place of one training");
  expect({{"batch", "3"}}, ": epoch 2, batch 3, batches 14 and step 8 are no place of one training");
  expect({{"batches", "9007199254740992"}},
         ": epoch 2, batch 4, batches 9007199254740992 and step 8 are no place of one training");
  expect({{"rows", "3"}}, ": 4 batches of the epoch cannot have 3 rows");
  expect({{"best_epoch", "4"}}, ": best_epoch 4 lies behind the epochs that were begun, 3");
  expect({{"waited", "9"}}, ": waited is 9, more than could be measured after 8 steps");
  expect({{"lr", "nan"}}, ": lr is nan, must be finite and at least 0");
  expect({{"lr", "-0x1p-3"}}, ": lr is -0.125, must be finite and at least 0");
  expect({{"best_value", "nan"}}, ": best_value is nan, must be a number");
  expect({{"metrics_bytes", "-1"}}, ": metrics_bytes is -1, must be a count from 0 to 2^53");
  expect({{"seed", "10"}}, ": its seed is 10, that of this training 9");
  expect({{"metrics_checksum", "4294967296"}}, ": metrics_checksum is 4294967296, which is no checksum");
}

// What was written by an older likely, without checksums, goes on.
TEST_F(HostileRun, OlderRunsAreContinued) {
  begin();
  io::NamedTensors file = io::load_safetensors(checkpoint_);
  file.metadata.erase("metrics_checksum");
  testing::write_plain_safetensors(checkpoint_, file);
  std::string config = read_bytes(folder_ / "config.json");
  config.erase(2, config.find('\n', 2) - 1);
  EXPECT_EQ(config.find("checksum"), std::string::npos);
  write_bytes(folder_ / "config.json", config);
  resume();
  // The checkpoint is a new one now. What is too short is seen before anything is changed, as ever.
  testing::write_plain_safetensors(checkpoint_, file);
  const std::filesystem::path metrics = folder_ / "metrics.jsonl";
  const std::string lines = read_bytes(metrics);
  write_bytes(metrics, lines.substr(0, 10));
  expect_refusal([&] { resume(); }, "[fit] \"" + metrics.string() +
                                        "\" has 10 bytes, the checkpoint was made when it had " +
                                        file.metadata.at("metrics_bytes"));
}

// Every file that is read again, one byte after the other (of the larger ones, some).
TEST_F(HostileRun, AChangedByteIsSeen) {
  begin();
  for (const char* name : {"config.json", "metrics.jsonl", "checkpoint.safetensors", "best.safetensors"}) {
    SCOPED_TRACE(name);
    const std::filesystem::path path = folder_ / name;
    const std::string valid = read_bytes(path);
    const std::size_t stride = valid.size() / 60 + 1;
    for (std::size_t i = 0; i < valid.size(); i += stride) {
      std::string bytes = valid;
      bytes[i] = static_cast<char>(bytes[i] ^ 1);
      write_bytes(path, bytes);
      try {
        resume();
        ADD_FAILURE() << "byte " << i << " of " << valid.size() << " may be changed";
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      }
    }
    write_bytes(path, valid);
  }
  resume();
  const std::filesystem::path metrics = folder_ / "metrics.jsonl";
  std::string bytes = read_bytes(metrics);
  bytes[bytes.find("loss") + 7] ^= 1;
  write_bytes(metrics, bytes);
  expect_refusal([&] { resume(); }, "[fit] \"" + metrics.string() +
                                        "\" was changed after it was written (its checksum does not fit)");
}

TEST_F(HostileRun, LinesOfMetricsThatCannotBeAreRefused) {
  for (const std::string line : {R"({"epoch": "x", "step": 1})", R"({"epoch": -1, "step": 1})",
                                 R"({"epoch": 1.5, "step": 1})", R"({"epoch": 9223372036854775808})"}) {
    write_bytes(folder_ / "metrics.jsonl", "{\"step\": 1}\n" + line + "\n");
    const std::string value = line.substr(10, line.find_first_of(",}") - 10);
    expect_refusal([&] { train::read_history(folder_.path()); },
                   "[read_history] " + (folder_ / "metrics.jsonl").string() + ", line 2: epoch is " + value +
                       ", must be a count from 0 to 2^53");
  }
  write_bytes(folder_ / "metrics.jsonl", "{\"epoch\": 1, \"step\": 1, \"loss\": null}\n");
  EXPECT_TRUE(std::isnan(train::read_history(folder_.path()).at(0).loss));
}

// Numbers are written and read with a point wherever the program runs.
TEST_F(HostileRun, TheLocaleDoesNotMatter) {
  {
    const testing::CommaLocale comma;
    if (!comma.in_c()) GTEST_SKIP() << "no locale with a decimal comma, and no localedef to make one";
    ASSERT_EQ(std::strtod("1,5", nullptr), 1.5);
    begin();
    resume();
  }
  resume();
  const testing::CommaLocale comma;
  resume();
}

}  // namespace
}  // namespace likely
