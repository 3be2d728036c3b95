// A run folder when a training begins or goes on: what it holds is checked and read. Internal to train/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "likely/train/any_learner.hpp"
#include "likely/train/checkpoint.hpp"
#include "likely/train/run_folder.hpp"

namespace likely::train::detail {

// How many steps so many batches of an epoch make.
std::int64_t steps_for(const AnyLearner& learner, std::int64_t batches);

// What was found in a folder.
struct OpenedRun {
  bool began_here = false;  // and did not go on with a run that was there
  bool resumed = false;     // there was a checkpoint: the learner and the position are as in it
  std::vector<EpochReport> history{};
};

// Makes a folder ready for a training whose options are `options`, with what is monitored by its name.
// Refuses a run that is there where none is to be continued, another run, a checkpoint that is damaged or is
// none of this training, and a disk without room. Tells what it has found as it goes, so that it is known
// where something is refused.
void open_run(RunFolder& folder, AnyLearner& learner, const LoopOptions& options, Position& position,
              OpenedRun& found);

// The best model that a checkpoint speaks of takes its place.
void settle_best(RunFolder& folder, AnyLearner& learner, const Position& position);

}  // namespace likely::train::detail
