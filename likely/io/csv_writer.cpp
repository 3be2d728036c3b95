#include "likely/io/csv_writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "likely/core/error.hpp"

namespace likely::io {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;

}  // namespace

std::string csv_field(std::string_view word, char separator) {
  const bool plain = !word.empty() && word.find_first_of("\"\r\n ") == std::string_view::npos &&
                     word.find(separator) == std::string_view::npos;
  if (plain) return std::string(word);
  std::string quoted = "\"";
  for (const char c : word) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

CsvWriter::CsvWriter(const std::filesystem::path& path, const std::vector<std::string>& names, char separator,
                     const AtomicFileOptions& options)
    : file_(path, options), path_(path.string()), separator_(separator), columns_(names.size()) {
  for (const std::string& name : names) text(name);
  end_row();
}

void CsvWriter::begin_field() {
  if (fields_++ > 0) rows_ += separator_;
}

CsvWriter& CsvWriter::text(std::string_view word) {
  begin_field();
  rows_ += csv_field(word, separator_);
  return *this;
}

CsvWriter& CsvWriter::number(double x) {
  begin_field();
  if (std::isfinite(x)) fmt::format_to(std::back_inserter(rows_), "{}", x);
  return *this;
}

CsvWriter& CsvWriter::whole(std::int64_t x) {
  begin_field();
  fmt::format_to(std::back_inserter(rows_), "{}", x);
  return *this;
}

void CsvWriter::end_row() {
  if (fields_ != columns_)
    refuse("CsvWriter", fmt::format("{}: a row has {} fields, {} are needed", path_, fields_, columns_));
  fields_ = 0;
  rows_ += '\n';
  if (rows_.size() < kPiece) return;
  file_.write(rows_);
  rows_.clear();
}

void CsvWriter::commit(const BeforeNaming& before) {
  file_.write(rows_);
  file_.commit(before);
}

}  // namespace likely::io
