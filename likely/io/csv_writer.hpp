// CsvWriter: a table of text, row by row, in a file that appears whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "likely/io/atomic_file.hpp"

namespace likely::io {

// A word as a field of a table: in quotes where it would not be read back as it is.
std::string csv_field(std::string_view word, char separator = ',');

//   io::CsvWriter table("people.csv", {"id", "alpha"});
//   table.text("S 1").number(0.25).end_row();
//   table.commit();
//
// Words are written as csv_field says; numbers are written to the last digit, and as an empty field
// where they are not finite. Refuses rows of another length, and what AtomicFile refuses.
class CsvWriter {
 public:
  CsvWriter(const std::filesystem::path& path, const std::vector<std::string>& names, char separator = ',',
            const AtomicFileOptions& options = {});

  CsvWriter& text(std::string_view word);
  CsvWriter& number(double x);
  CsvWriter& whole(std::int64_t x);
  void end_row();
  // Once, at the end, as AtomicFile does.
  void commit(const BeforeNaming& before = {});

 private:
  void begin_field();

  AtomicFile file_;
  std::string path_;
  std::string rows_;  // not in the file yet
  char separator_;
  std::size_t columns_;
  std::size_t fields_ = 0;  // of the row so far
};

}  // namespace likely::io
