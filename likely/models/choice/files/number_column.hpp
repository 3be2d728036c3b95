// A column of numbers in a table of trials, read field by field. Internal to models/choice.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "likely/io/csv_records.hpp"
#include "likely/io/missing_words.hpp"

namespace likely::choice {

class NumberColumn {
 public:
  // Whether numbers may have decimal commas: not in files that are separated by commas.
  NumberColumn(std::string name, bool may_have_commas);

  // A field of the current record. Refuses what is no number, and numbers beyond 1e100, which no model can
  // learn from.
  double read(const io::CsvRecords& records, std::string_view text);
  // What is to be told about the column. Refuses decimal commas beside decimal points.
  std::vector<std::string> notes(const io::CsvRecords& records) const;

 private:
  struct Field {
    std::string text{};
    std::int64_t line = 0;
  };

  std::string name_;
  bool may_have_commas_;
  Field comma_, point_;  // the first of each
  io::MissingCodes codes_;
};

}  // namespace likely::choice
