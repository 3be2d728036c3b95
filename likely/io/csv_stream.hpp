// CSV files that do not fit in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "likely/io/csv.hpp"

namespace likely::io {

class CsvSchema;
class CsvRecords;

// A file, plain or gzip, read piece by piece. It is read once through at the start to learn what the columns
// hold.
//
//   io::CsvStream stream("trials.csv.gz");
//   while (const auto table = stream.next(1000)) { ... }
class CsvStream {
 public:
  explicit CsvStream(const std::filesystem::path& path, const CsvOptions& options = {});
  ~CsvStream();
  CsvStream(const CsvStream&) = delete;
  CsvStream& operator=(const CsvStream&) = delete;

  const std::vector<CsvColumn>& columns() const;
  // As in Table.
  const std::vector<std::string>& notes() const;
  // The next rows, fewer at the end and then nothing. Refuses rows < 1.
  std::optional<Table> next(std::int64_t rows);

 private:
  std::unique_ptr<CsvSchema> schema_;
  std::unique_ptr<CsvRecords> records_;
};

// A file seen as a dataset whose rows are read when they are asked for, in any order: what stays in memory is
// where each row starts (12 bytes a row). x and y as in Table::dataset. The file must not change meanwhile.
// Refuses gzip files, of which no row can be read without those before it.
data::Dataset csv_dataset(const std::filesystem::path& path, const std::string& target,
                          const std::vector<std::string>& inputs = {}, const CsvOptions& options = {});

}  // namespace likely::io
