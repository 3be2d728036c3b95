// What people see while a model trains.
#include "likely/train/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "likely/train/terminal.hpp"

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

TEST(Progress, OtherWorkSaysWhereItIs) {
  EXPECT_EQ(stage_line({"rw-dual", "sampling", 0.421}, 7.2), "rw-dual: sampling 42 %, 7 s");
  EXPECT_EQ(stage_line({"rw-dual", "sampling", 0.0021}, 0.0), "rw-dual: sampling 0.2 %, 0 s");
  EXPECT_EQ(stage_line({.of = "folds", .doing = "epoch 12", .numbers = {{"loss", 0.43119}}}, 1.0),
            "folds: epoch 12, loss 0.4312, 1 s");
  EXPECT_EQ(trial_line({.number = 3, .settings = {{"lr", "0.01"}, {"units", "40"}}, .value = 0.98}),
            "trial 3: lr=0.01 units=40  0.98");
  EXPECT_EQ(trial_line({.number = 4, .settings = {{"lr", "9"}}, .error = "the loss is NaN"}),
            "trial 4: lr=9  failed: the loss is NaN");
}

// What is written for 50 epochs of one step each.
std::string written(Progress how) {
  ::testing::internal::CaptureStderr();
  {
    const EventSink show = terminal(how);
    show(event::Training{.epochs = 50, .steps = 50});
    for (std::int64_t epoch = 1; epoch <= 50; ++epoch)
      show(event::Epoch{{.epoch = epoch, .step = epoch, .loss = 0.5, .lr = 0.1, .losses = {{"loss", 0.5}}}});
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

std::string shown(Progress how, const std::vector<Event>& events) {
  ::testing::internal::CaptureStderr();
  {
    const EventSink show = terminal(how);
    for (const Event& event : events) show(event);
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(Terminal, SaysHowATrainingBeginsAndEnds) {
  EXPECT_EQ(
      shown(Progress::lines,
            {event::Training{.out = "a", .steps = 9, .step = 3},
             event::Trained{.stopped = Stopped::interrupted, .step = 5, .out = "a"},
             event::Trained{.stopped = Stopped::interrupted, .step = 5},
             event::Trained{
                 .stopped = Stopped::early, .monitored = "accuracy", .best_epoch = 2, .best_value = 0.75},
             event::Trained{.stopped = Stopped::finished}}),
      "continuing \"a\" after step 3\n"
      "interrupted after step 5: saved in \"a\", set resume to continue\n"
      "interrupted after step 5\n"
      "stopped early: accuracy was best in epoch 2 (0.75)\n");
  EXPECT_EQ(shown(Progress::lines, {event::Training{.out = "a", .steps = 9, .step = 9, .is_done = true}}),
            "nothing is left to do in \"a\" after step 9\n");
}

TEST(Terminal, EndsTheLineBeforeItSaysSomethingElse) {
  const Event epoch = event::Epoch{{.epoch = 1, .step = 1, .loss = 0.5, .lr = 0.1}};
  const std::string text = shown(
      Progress::bar, {event::Training{.epochs = 2, .steps = 2}, epoch, event::Warning{"one\x1b[2J"}, epoch});
  EXPECT_TRUE(text.starts_with("\repoch 1/2 [")) << text;
  EXPECT_NE(text.find("\x1b[K\none\\x1b[2J\n\repoch 1/2 ["), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\x1b[K\n")) << text;
}

TEST(Terminal, LetsQuickWorkPassAndLeavesTheReportToOthers) {
  EXPECT_EQ(shown(Progress::bar,
                  {event::Stage{"rw", "fitting", 0.0}, event::Stage{"rw", "fitting", 1.0}, event::Begin{},
                   event::Metric{"accuracy", 0.5}, event::Picture{"areas"}, event::End{}}),
            "");
  EXPECT_FALSE(terminal(Progress::silent));
}

TEST(Terminal, ErasesWhereOtherWorkWas) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  ::testing::internal::CaptureStderr();
  const EventSink show = terminal(Progress::bar);
  show(event::Stage{"rw", "fitting", 0.0});
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  show(event::Stage{"rw", "fitting", 0.5});
  show(event::Stage{"rw", "fitting", 1.0});
  const std::string text = ::testing::internal::GetCapturedStderr();
  // A machine that has much to do may sleep for longer.
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(Clock::now() - begin).count();
  bool is_one = false;
  for (std::int64_t s = 0; s <= seconds; ++s) {
    const std::string line = stage_line({"rw", "fitting", 0.5}, static_cast<double>(s));
    is_one = is_one || text == "\r" + line + "\x1b[K\r\x1b[K";
  }
  EXPECT_TRUE(is_one) << text;
  EXPECT_EQ(stage_line({"rw", "fitting", 0.5}, 0.0), "rw: fitting 50 %, 0 s");
}

}  // namespace
}  // namespace likely::train::detail
