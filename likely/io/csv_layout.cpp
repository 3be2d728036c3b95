#include "likely/io/csv_layout.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "likely/core/error.hpp"
#include "likely/io/csv_records.hpp"
#include "likely/io/csv_schema.hpp"

namespace likely::io {

namespace {

constexpr const char* kReader = "read_csv";
// Enough to tell a habit from an accident.
constexpr std::size_t kLinesToLookAt = 200;
// Of separators that fit equally well the first is taken: blanks and commas also occur inside of fields.
constexpr std::array kSeparators{'\t', ';', ',', ' '};

using Record = std::vector<std::string>;

std::vector<Record> first_records(const std::filesystem::path& path, char separator, std::int64_t skip) {
  CsvRecords records(kReader, path, {separator, '"'});
  records.skip_lines(skip);
  std::vector<Record> result;
  while (result.size() < kLinesToLookAt && records.next()) {
    Record& record = result.emplace_back();
    for (const CsvField& field : records.fields()) record.emplace_back(field.text);
  }
  return result;
}

// The share of records that have the most frequent number of fields; 0 if that is one.
double agreement(const std::vector<Record>& records) {
  std::map<std::size_t, std::size_t> counts;
  for (const Record& record : records) ++counts[record.size()];
  std::size_t most = 0;
  std::size_t fields = 0;
  for (const auto& [size, count] : counts) {
    if (count < most) continue;
    most = count;
    fields = size;
  }
  return fields < 2 ? 0.0 : static_cast<double>(most) / static_cast<double>(records.size());
}

char guess_separator(const std::filesystem::path& path, std::int64_t skip) {
  char best = ',';
  double agreed = 0.0;
  for (const char separator : kSeparators) {
    double found = 0.0;
    try {
      found = agreement(first_records(path, separator, skip));
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

bool is_missing(const std::string& text) {
  static const CsvOptions kDefaults;
  const std::vector<std::string>& words = kDefaults.missing_words;
  return text.empty() || std::find(words.begin(), words.end(), text) != words.end();
}
bool is_number(const std::string& text) {
  return !is_missing(text) && kind_of_field(text) != CsvColumn::Kind::category;
}

bool looks_like_header(const std::vector<Record>& records) {
  const Record& first = records.front();
  if (std::any_of(first.begin(), first.end(), is_number)) return false;
  bool again = false;
  for (std::size_t column = 0; column < first.size(); ++column) {
    bool numbers = false;
    bool words = false;
    for (std::size_t row = 1; row < records.size(); ++row) {
      if (column >= records[row].size()) continue;
      const std::string& text = records[row][column];
      (is_number(text) ? numbers : words) |= !is_missing(text);
      again |= text == first[column];
    }
    if (numbers && !words && !is_missing(first[column])) return true;
  }
  return !again && records.size() > 1;
}

std::int64_t whole(const std::string& text) {
  std::int64_t value = -1;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? value : -1;
}

// Where the first record counts the others (rows, columns without the class, names of the classes), the
// number of its line; else 0.
std::int64_t counting_line(const std::filesystem::path& path, const CsvLayout& layout, const Record& first) {
  if (first.size() < 4) return 0;
  const std::int64_t rows = whole(first[0]);
  const std::int64_t columns = whole(first[1]);
  if (rows < 1 || columns < 1 || std::all_of(first.begin() + 2, first.end(), is_number)) return 0;
  CsvRecords records(kReader, path, {layout.separator, '"'});
  records.skip_lines(layout.skip);
  records.next();
  const std::int64_t line = records.line();
  std::int64_t seen = 0;
  while (records.next()) {
    const std::vector<CsvField>& fields = records.fields();
    if (static_cast<std::int64_t>(fields.size()) != columns + 1) return 0;
    const std::int64_t label = whole(std::string(fields.back().text));
    if (label < 0 || label >= static_cast<std::int64_t>(first.size()) - 2) return 0;
    ++seen;
  }
  return seen == rows ? line : 0;
}

}  // namespace

CsvLayout guess_csv_layout(const std::filesystem::path& path, const CsvHints& hints) {
  if (hints.skip < 0) {
    refuse(kReader, "a number of lines to skip is expected, got " + std::to_string(hints.skip));
  }
  CsvLayout layout{.separator = hints.separator ? *hints.separator : guess_separator(path, hints.skip),
                   .skip = hints.skip};
  const std::vector<Record> records = first_records(path, layout.separator, hints.skip);
  if (records.empty()) refuse(kReader, path.string() + ": there are no lines to read");
  if (hints.header) {
    layout.header = *hints.header;
  } else if (const std::int64_t line = counting_line(path, layout, records.front()); line > 0) {
    layout.classes.assign(records.front().begin() + 2, records.front().end());
    layout.skip = line;
  } else {
    layout.header = looks_like_header(records);
  }
  return layout;
}

}  // namespace likely::io
