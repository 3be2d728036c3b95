// Which column of a table of trials holds what. Internal to models/choice and models/choice_study.
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
  bool ends_in_separator = false;  // the last has no name: it is none if nothing stands below, either
};

// Of a column that says who it was, the best first.
const std::vector<std::string>& usual_subject_names();

// From the record with the names, which must be the current one. Refuses what is not there.
TrialColumns find_columns(const io::CsvRecords& records, const ReadTrialsOptions& options);

// "columns: subject=subjID, choice=choice, outcome=reward; not used: rt, age".
std::string columns_text(const TrialColumns& columns);

}  // namespace likely::choice
