// What a run folder says in JSON: the configuration, and one line for an epoch or step. Internal to train/.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "likely/train/any_learner.hpp"

namespace likely::train::detail {

// config.json: likely's version, the options, what the learner says of itself, its parts.
std::string config_text(AnyLearner& learner, const std::vector<Fact>& facts, const LoopOptions& options);

// Where two configurations disagree on what must be the same for a training to go on, such as "batch 32 now,
// 64 then". How long to train, and what is reported, may change.
std::vector<std::string> differences(const std::vector<std::string>& keys, const std::string& now,
                                     const std::string& then);
// Those keys.
std::vector<std::string> keys_that_stay(const std::vector<Fact>& facts);

// One line of metrics.jsonl. Numbers are written so that they are read back exactly; NaN and infinities are
// null.
std::string line_of(const EpochReport& report);
std::string line_of(const StepReport& report);

// Seconds as they are written: to the thousandth.
double rounded_seconds(double seconds);

// The epochs of a metrics.jsonl. Refuses, naming file and line, what is no line of one; the last may be cut
// off.
std::vector<EpochReport> read_epochs(const char* caller, const std::filesystem::path& path);

}  // namespace likely::train::detail
