#include "likely/io/csv_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

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

std::size_t filled(const Record& record) {
  return static_cast<std::size_t>(
      std::count_if(record.begin(), record.end(), [](const std::string& field) { return !field.empty(); }));
}

bool is_number(const std::string& text) {
  return !is_usually_missing(text) && kind_of_field(text) != CsvColumn::Kind::category;
}

// "Report of 2024;;;" or ";;;": what a spreadsheet makes of a title, and of an empty line.
bool is_title(const Record& record) {
  return record.size() > 1 && filled(record) <= 1 && std::none_of(record.begin(), record.end(), is_number);
}

// Words in all fields, but for one behind a last separator.
bool are_names(const Record& record) {
  return std::none_of(record.begin(), record.end(), is_number) &&
         filled(record) + (record.back().empty() ? 1 : 0) == record.size();
}

// How many records stand above those of the table, which have so many fields. A title that has as many, too,
// is one only above names.
std::size_t count_above(const std::vector<Record>& records, std::size_t fields) {
  const auto stands_above = [&](const Record& record, bool may_be_title) {
    if (record.size() == fields) return may_be_title && is_title(record);
    return record.size() == 1 || record.front().starts_with('#') || record.front().starts_with('%');
  };
  for (const bool may_be_title : {true, false}) {
    const auto table = std::find_if(records.begin(), records.end(), [&](const Record& record) {
      return !stands_above(record, may_be_title);
    });
    if (table == records.end() || (may_be_title && !are_names(*table))) continue;
    return static_cast<std::size_t>(table - records.begin());
  }
  return 0;
}

// Lines above a table, all of whose lines have as many fields, which they have not, or do not fill.
void refuse_records_above(const std::string& reader, const std::filesystem::path& path,
                          const std::vector<Record>& records, const std::vector<std::int64_t>& lines,
                          bool may_skip) {
  constexpr std::size_t kMostAbove = 20, kFewestBelow = 3;
  const Usual usual = usual_of(records);
  const std::size_t above = count_above(records, usual.fields);
  if (above == 0 || above > kMostAbove || records.size() - above < kFewestBelow || usual.fields < 2) return;
  for (std::size_t i = above; i < records.size(); ++i) {
    if (records[i].size() != usual.fields) return;
  }
  const std::string remedy =
      may_skip ? fmt::format("`skip = {}` passes over what stands before the table", lines[above] - 1)
               : std::string("take out what stands before the table");
  if (records.front().size() == usual.fields)
    refuse(reader,
           fmt::format("{}, line {}: {} of {} fields filled, but line {} has names in all: {}", path.string(),
                       lines.front(), filled(records.front()), usual.fields, lines[above], remedy));
  refuse(reader, fmt::format("{}, line {}: {} field{}, but the lines from line {} on have {}: {}",
                             path.string(), lines.front(), records.front().size(),
                             records.front().size() == 1 ? "" : "s", lines[above], usual.fields, remedy));
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

std::optional<SeparatorLine> separator_line(const std::filesystem::path& path, std::int64_t skip) {
  CsvRecords records(kReader, path, {'\t', '"'});
  try {
    records.skip_lines(skip);
    if (!records.next()) return std::nullopt;
  } catch (const Error& error) {
    if (error.fault() == Fault::memory) throw;
    return std::nullopt;  // the reading will say so
  }
  std::string text(records.record());
  text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  constexpr std::string_view kNames = "sep=";
  if (text.size() != kNames.size() + 1 || !text.starts_with(kNames)) return std::nullopt;
  if (std::find(kSeparators.begin(), kSeparators.end(), text.back()) == kSeparators.end())
    return std::nullopt;
  return SeparatorLine{
      text.back(), records.line(),
      fmt::format("line {} names the separator (sep=): it is no part of the table", records.line())};
}

char guess_separator(const std::filesystem::path& path, std::int64_t skip) {
  if (const auto named = separator_line(path, skip)) return named->separator;
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
  if (const auto named = separator_line(path, hints.skip)) {
    layout.skip = named->line;
    layout.separator_note = named->note;
  }
  std::vector<std::int64_t> lines;
  const std::vector<Record> records = first_records(kReader, path, layout.separator, layout.skip, lines);
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
