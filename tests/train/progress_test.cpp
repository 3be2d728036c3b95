// What people see while a model trains.
#include "likely/train/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace likely::train::detail {
namespace {

ProgressState some_state() {
  return {.epoch = 3,
          .epochs = 10,
          .step = 47,
          .steps = 100,
          .losses = {{"loss", 0.41234}},
          .measured = {{"loss", 0.5}, {"accuracy", 0.87352}},
          .held_out = true,
          .rows_per_second = 12345.6,
          .seconds_left = 64.2};
}

TEST(Progress, OneLineSaysEverything) {
  EXPECT_EQ(progress_line(some_state(), 200),
            "epoch 3/10 [===========>            ]  47%  1:05 left  12,346 rows/s  loss 0.4123  held out: "
            "loss 0.5000 accuracy 0.8735");
}

TEST(Progress, TheLineFitsTheTerminal) {
  EXPECT_EQ(progress_line(some_state(), 110),
            "epoch 3/10 [====>     ]  47%  1:05 left  12,346 rows/s  loss 0.4123  held out: loss 0.5000 "
            "accuracy 0.8735");
  EXPECT_EQ(progress_line(some_state(), 100),
            "epoch 3/10 [====>     ]  47%  1:05 left  loss 0.4123  held out: loss 0.5000 accuracy 0.8735");
  EXPECT_EQ(progress_line(some_state(), 80),
            "epoch 3/10  47%  1:05 left  loss 0.4123  held out: loss 0.5000 accuracy 0.8735");
  EXPECT_EQ(progress_line(some_state(), 40), "epoch 3/10  47%  1:05 left  loss 0.4123 ");
  EXPECT_EQ(progress_line(some_state(), 0), "");
}

TEST(Progress, TheBarIsFullAtTheEnd) {
  ProgressState state = some_state();
  state.step = 100;
  state.seconds = 61.0;
  state.epochs = 0;
  state.held_out = false;
  state.measured = {{"accuracy", 1.0}};
  EXPECT_EQ(progress_line(state, 200),
            "epoch 3 [========================] 100%  in 1:01  12,346 rows/s  loss 0.4123  accuracy 1.000");
}

TEST(Progress, AnEpochsLineIsPlain) {
  EXPECT_EQ(epoch_line(some_state()),
            "epoch 3/10  step 47  12,346 rows/s  loss 0.4123  held out: loss 0.5000 accuracy 0.8735");
}

TEST(Progress, TimesReadAsClocksDo) {
  EXPECT_EQ(clock_time(0.0), "0:00");
  EXPECT_EQ(clock_time(6.1), "0:07");
  EXPECT_EQ(clock_time(725.0), "12:05");
  EXPECT_EQ(clock_time(10812.0), "3:00:12");
  EXPECT_EQ(clock_time(1e9), "100+ hours");
}

// What is written for 50 epochs of one step each.
std::string written(Progress how) {
  ::testing::internal::CaptureStderr();
  {
    ProgressDisplay display(how, 50, 50, 0, /*counts_rows=*/true);
    for (std::int64_t epoch = 1; epoch <= 50; ++epoch)
      display.epoch({.epoch = epoch, .step = epoch, .loss = 0.5, .lr = 0.1, .losses = {{"loss", 0.5}}});
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(Progress, WithoutATerminalShortEpochsAreNotAllWritten) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string text = written(Progress::automatic);
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_TRUE(text.starts_with("epoch 1/50  step 1  ")) << text;
  EXPECT_NE(text.find("\nepoch 50/50  step 50  "), std::string::npos) << text;
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 2 + seconds);

  const std::string all = written(Progress::lines);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 50);
}

}  // namespace
}  // namespace likely::train::detail
