#include "likely/io/csv_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "likely/core/error.hpp"
#include "likely/core/whole_number.hpp"
#include "likely/io/csv_records.hpp"
#include "likely/io/csv_schema.hpp"
#include "likely/io/first_line.hpp"
#include "likely/io/missing_words.hpp"

namespace likely::io {

namespace {

constexpr const char* kReader = "read_csv";
// Enough to tell a habit from an accident.
constexpr std::size_t kLinesToLookAt = 200;
// Of separators that fit equally well the first is taken: blanks and commas also occur inside of fields.
constexpr std::array kSeparators{'\t', ';', '|', ',', ' '};

using Record = std::vector<std::string>;

// With the line of each.
std::vector<Record> first_records(const std::string& reader, const std::filesystem::path& path,
                                  char separator, std::int64_t skip, std::vector<std::int64_t>& lines) {
  CsvRecords records(reader, path, {separator, '"'});
  records.skip_lines(skip);
  std::vector<Record> result;
  while (result.size() < kLinesToLookAt && records.next()) {
    lines.push_back(records.line());
    Record& record = result.emplace_back();
    for (const CsvField& field : records.fields()) record.emplace_back(field.text);
  }
  return result;
}

// The most frequent number of fields, and how many records have it.
struct Usual {
  std::size_t fields = 0, records = 0;
};
Usual usual_of(const std::vector<Record>& records) {
  std::map<std::size_t, std::size_t> counts;
  for (const Record& record : records) ++counts[record.size()];
  Usual usual;
  for (const auto& [size, count] : counts) {
    if (count >= usual.records) usual = {size, count};
  }
  return usual;
}

// The share of records that have the most frequent number of fields; 0 if that is one.
double agreement(const std::vector<Record>& records) {
  const Usual usual = usual_of(records);
  return usual.fields < 2 ? 0.0 : static_cast<double>(usual.records) / static_cast<double>(records.size());
}

// Lines above a table, all of whose lines have as many fields, which they have not.
void refuse_records_above(const std::string& reader, const std::filesystem::path& path,
                          const std::vector<Record>& records, const std::vector<std::int64_t>& lines,
                          bool may_skip) {
  constexpr std::size_t kMostAbove = 20, kFewestBelow = 3;
  const Usual usual = usual_of(records);
  const std::size_t above = records.size() - usual.records;
  if (above == 0 || above > kMostAbove || usual.records < kFewestBelow || usual.fields < 2) return;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if ((records[i].size() != usual.fields) != (i < above)) return;
    const std::string& start = records[i].front();
    if (i < above && records[i].size() > 1 && !start.starts_with('#') && !start.starts_with('%')) return;
  }
  const std::string remedy =
      may_skip ? fmt::format("`skip = {}` passes over what stands before the table", lines[above] - 1)
               : std::string("take out what stands before the table");
  refuse(reader, fmt::format("{}, line {}: {} field{}, but the lines from line {} on have {}: {}",
                             path.string(), lines.front(), records.front().size(),
                             records.front().size() == 1 ? "" : "s", lines[above], usual.fields, remedy));
}

bool is_number(const std::string& text) {
  return !is_usually_missing(text) && kind_of_field(text) != CsvColumn::Kind::category;
}

// Where the first record counts the others (rows, columns without the class, names of the classes), the
// number of its line; else 0.
std::int64_t counting_line(const std::filesystem::path& path, const CsvLayout& layout, const Record& first) {
  if (first.size() < 4) return 0;
  const std::int64_t rows = whole_number<std::int64_t>(first[0]).value_or(0);
  const std::int64_t columns = whole_number<std::int64_t>(first[1]).value_or(0);
  if (rows < 1 || columns < 1 || std::all_of(first.begin() + 2, first.end(), is_number)) return 0;
  CsvRecords records(kReader, path, {layout.separator, '"'});
  records.skip_lines(layout.skip);
  records.next();
  const std::int64_t line = records.line();
  std::int64_t seen = 0;
  while (records.next()) {
    const std::vector<CsvField>& fields = records.fields();
    if (static_cast<std::int64_t>(fields.size()) != columns + 1) return 0;
    const std::int64_t label = whole_number<std::int64_t>(fields.back().text).value_or(-1);
    if (label < 0 || label >= static_cast<std::int64_t>(first.size()) - 2) return 0;
    ++seen;
  }
  return seen == rows ? line : 0;
}

}  // namespace

char guess_separator(const std::filesystem::path& path, std::int64_t skip) {
  char best = ',';
  double agreed = 0.0;
  for (const char separator : kSeparators) {
    double found = 0.0;
    std::vector<std::int64_t> lines;
    try {
      found = agreement(first_records(kReader, path, separator, skip, lines));
    } catch (const Error&) {
      continue;  // a quoted field that this separator does not end: the reading will say so if none does
    }
    if (found > agreed) {
      agreed = found;
      best = separator;
    }
  }
  return best;
}

CsvLayout guess_csv_layout(const std::filesystem::path& path, const CsvHints& hints) {
  if (hints.skip < 0) {
    refuse(kReader, "a number of lines to skip is expected, got " + std::to_string(hints.skip));
  }
  CsvLayout layout{.separator = hints.separator ? *hints.separator : guess_separator(path, hints.skip),
                   .skip = hints.skip};
  std::vector<std::int64_t> lines;
  const std::vector<Record> records = first_records(kReader, path, layout.separator, hints.skip, lines);
  if (records.empty()) refuse(kReader, path.string() + ": there are no lines to read");
  refuse_records_above(kReader, path, records, lines, hints.may_skip);
  if (hints.header) {
    layout.header = *hints.header;
  } else if (const std::int64_t counting = counting_line(path, layout, records.front()); counting > 0) {
    layout.classes.assign(records.front().begin() + 2, records.front().end());
    layout.skip = counting;
  } else {
    const FirstLine first = judge_first_line(records, lines.front(), layout.separator);
    layout.header = first.has_names;
    layout.note = first.note;
  }
  return layout;
}

void refuse_lines_above(const std::string& reader, const std::filesystem::path& path, const CsvHints& hints) {
  std::vector<std::int64_t> lines;
  const std::vector<Record> records =
      first_records(reader, path, hints.separator.value_or(','), hints.skip, lines);
  if (!records.empty()) refuse_records_above(reader, path, records, lines, hints.may_skip);
}

}  // namespace likely::io
