// Whether the first line of a table has the names of the columns. Internal to io/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace likely::io {

struct FirstLine {
  bool has_names = false;
  std::string note{};  // what was decided and why, where it is doubtful
};

// By the rule that guess_csv_layout states. There is at least one record, and the first is on this line.
FirstLine judge_first_line(const std::vector<std::vector<std::string>>& records, std::int64_t line,
                           char separator);

}  // namespace likely::io
