// Which column of a table of trials holds what. Internal to models/choice.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "likely/io/csv_records.hpp"
#include "likely/models/choice/trials.hpp"

namespace likely::choice {

struct TrialColumns {
  std::size_t count = 0;  // in the table
  std::size_t subject = 0, choice = 0;
  std::optional<std::size_t> outcome, gain, loss, block, trial, offered;
  std::optional<std::size_t> session;    // where there is a block, too
  std::optional<std::size_t> cues;       // of a task to predict
  std::vector<std::size_t> option_cues;  // cues_1, cues_2, ...
  std::vector<std::string> names;
};

// From the record with the names, which must be the current one. Refuses what is not there.
TrialColumns find_columns(const io::CsvRecords& records, const ReadTrialsOptions& options);

}  // namespace likely::choice
