// A training that can be continued: everything that a learner changes, and the place in the data. Internal to
// train/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "likely/train/any_learner.hpp"

namespace likely::train::detail {

// Where a training stands. Random numbers need no state of their own: they are made from the seed and these.
struct Position {
  std::uint64_t seed = 0;
  std::int64_t epoch = 0;                               // epochs finished
  std::int64_t batch = 0;                               // batches of the current one that were used
  std::int64_t batches = 0;                             // batches used in all
  std::int64_t step = 0;                                // steps made
  std::int64_t rows = 0;                                // of the current epoch
  std::vector<LossSum> losses{};                        // over these rows
  std::vector<std::pair<std::string, double>> rates{};  // by the names of the optimizers; "": the only one
  double best_value = 0.0;
  std::int64_t best_epoch = 0;                      // counted from 1; 0: none yet
  std::int64_t waited = 0;                          // how often it was measured since then
  bool converged = false;                           // no further step makes it better
  double seconds = 0.0;                             // spent so far
  std::int64_t metrics_bytes = 0;                   // how much of metrics.jsonl belongs to it
  std::optional<std::uint32_t> metrics_checksum{};  // of these bytes; older checkpoints have none
};

// One safetensors file with the tensors of the learner's slots, such as "model.<part>" and
// "optimizer.<part>", and the position as metadata. Slots that are empty are left out.
void save_checkpoint(const std::filesystem::path& path, AnyLearner& learner, const Position& position);

// The best model alone, by the names of its parts: io::load reads it.
void save_best(const std::filesystem::path& path, AnyLearner& learner, const Position& position);

// Whether save_best wrote this file, by what it says of itself.
bool is_best_model(const std::filesystem::path& path);

// The files of a training. The best models are read where the position speaks of a best epoch.
struct CheckpointFiles {
  std::filesystem::path checkpoint;
  std::filesystem::path best;
  // Written before the checkpoint that speaks of it, and gone once it is in the place of `best`: whenever a
  // training dies, one of the two belongs to its checkpoint. Somebody else's is passed over.
  std::filesystem::path next_best;
};

// Puts back what save_checkpoint and save_best wrote. Refuses, naming the file and what is wrong: numbers of
// the position that cannot be, what `check` refuses of it, best models of another epoch or value, another
// number of tensors than were written, and tensors that are missing (after the first step also those of the
// optimizer), unknown, counts of steps that do not follow from those of the training, of another shape or
// type (F16 in place of F32, too), not finite where they are learned, or not what they are there for
// (tree/misfit.hpp). Nothing has been changed then.
Position load_checkpoint(const CheckpointFiles& files, AnyLearner& learner,
                         const std::function<void(const Position&)>& check);

// Where the training of a checkpoint stands. Refuses the same.
Position read_position(const char* caller, const std::filesystem::path& checkpoint);

}  // namespace likely::train::detail
