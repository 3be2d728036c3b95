// The records of a CSV file, one after the other: RFC 4180 with any separator. For readers of tables.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "likely/core/cancel.hpp"
#include "likely/io/byte_stream.hpp"

namespace likely::io {

struct CsvField {
  std::string_view text;  // without quotes, and without spaces around where it was not quoted
  bool quoted;
  bool decoded = false;  // it was no UTF-8
};

struct CsvDialect {
  char separator;
  char quote;
  CancelTest cancelled{};  // asked at each record
};

// The fields of one record, as UTF-8: a field that is none is read as Windows-1252, of which Latin-1 is a
// part. A blank as the separator stands for a run of blanks. What must be changed to be read (doubled quotes,
// other letters) is kept in `scratch`. False where a quote is followed by something that is neither a
// separator nor the end.
bool split_record(std::string_view record, const CsvDialect& dialect, std::vector<CsvField>& fields,
                  std::string& scratch);

// Reads a file, plain or gzip, in pieces. Lines end in \n, \r\n or \r; empty ones and those of blanks are
// passed over; a quoted field may hold line ends. A byte-order mark at the start is no part of the first
// field. Refuses files that start with something else than text.
class CsvRecords {
 public:
  CsvRecords(std::string reader, const std::filesystem::path& path, const CsvDialect& dialect);

  // Passes over lines as they are, without looking for quotes. Refuses a file that has fewer.
  void skip_lines(std::int64_t count);
  // The next record; false at the end. Views stay valid until the next call.
  bool next();
  const std::vector<CsvField>& fields() const { return fields_; }
  // Where the record starts.
  std::int64_t line() const { return line_; }
  std::uint64_t offset() const { return offset_; }
  // Without its line end.
  std::string_view record() const { return record_; }

  // Refuses the record because it does not have so many fields.
  [[noreturn]] void refuse_fields(std::size_t columns) const;
  // What is to be told about the letters read so far: of the first field that was no UTF-8; else nothing.
  const std::string& note() const { return note_; }

  // "[reader] path, line 3: message".
  [[noreturn]] void refuse(const std::string& message) const;
  [[noreturn]] void refuse(std::int64_t line, const std::string& message) const;

 private:
  bool find_record();
  bool fill();

  std::string reader_;
  std::string path_;
  CsvDialect dialect_;
  ByteStream file_;
  std::string buffer_;
  std::size_t place_ = 0;            // of what was not read yet, in the buffer
  std::uint64_t buffer_offset_ = 0;  // of the buffer in the file
  std::size_t piece_ = 0;
  bool ended_ = false;
  std::int64_t line_ = 0;
  std::int64_t next_line_ = 1;
  std::uint64_t offset_ = 0;
  std::string_view record_;
  std::vector<CsvField> fields_;
  std::string scratch_;
  std::string note_;
};

}  // namespace likely::io
