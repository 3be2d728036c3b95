// What a person reads while a model trains: the words of terminal.hpp. Internal to train/.
#pragma once

#include <cstdint>
#include <string>

#include "likely/train/events.hpp"
#include "likely/train/reports.hpp"

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

// "rw-dual: sampling 42 %, 7 s", "folds: epoch 12, loss on rows not learned from 0.4312, 1 s".
std::string stage_line(const event::Stage& stage, double seconds);

// "trial 3: lr=0.01 units=40  0.98", or why it failed.
std::string trial_line(const event::Trial& trial);

}  // namespace likely::train::detail
