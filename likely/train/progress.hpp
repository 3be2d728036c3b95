// What a person sees while a model trains. Internal to train/.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "likely/train/losses.hpp"
#include "likely/train/options.hpp"

namespace likely::train::detail {

// What the line shows.
struct ProgressState {
  std::int64_t epoch = 0;   // counted from 1
  std::int64_t epochs = 0;  // in all; 0 where only the steps are limited
  std::int64_t step = 0;
  std::int64_t steps = 0;        // in all
  NamedNumbers losses{};         // the epoch's means so far
  NamedNumbers measured{};       // after the last epoch
  bool held_out = false;         // whether that was on data that are not learned from
  double rows_per_second = 0.0;  // 0: not known yet
  const char* rows = "rows";     // what these are
  double seconds = 0.0;          // so far
  double seconds_left = 0.0;
};

// "epoch 3/10 [====>     ]  47%  1:05 left  12,346 rows/s  loss 0.4123  held out: loss 0.5000 accuracy
// 0.8735". Where that is wider than `width` characters, the bar shrinks, then the rate goes, then the bar;
// then it is cut.
std::string progress_line(const ProgressState& state, int width);

// "epoch 3/10  step 1200  12,346 rows/s  loss 0.4123  held out: loss 0.5000 accuracy 0.8735".
std::string epoch_line(const ProgressState& state);

// "0:07", "12:05", "3:00:12".
std::string clock_time(double seconds);

// Writes to stderr, so that a program's own output stays its own.
class ProgressDisplay {
 public:
  // `counts_rows`: or else steps are counted.
  ProgressDisplay(Progress wanted, std::int64_t epochs, std::int64_t steps, std::int64_t first_step,
                  bool counts_rows);
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void step(std::int64_t epoch, std::int64_t step, const std::vector<LossSum>& losses, std::int64_t rows);
  void epoch(const EpochReport& report);
  // One last sentence, on a line of its own.
  void say(const std::string& sentence);

 private:
  using Clock = std::chrono::steady_clock;
  void draw();
  void end_line();

  Progress how_;
  ProgressState state_;
  std::int64_t first_step_;
  std::int64_t rows_ = 0;
  Clock::time_point begin_;
  Clock::time_point drawn_;
  Clock::duration between_lines_{};  // at the least, but for the first and the last epoch
  bool line_open_ = false;
};

}  // namespace likely::train::detail
