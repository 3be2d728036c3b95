#include "likely/io/csv_records.hpp"

#include <algorithm>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/core/printable.hpp"
#include "likely/io/windows_1252.hpp"

namespace likely::io {

namespace {

// What is read at a time: little at first, since most files are small.
constexpr std::size_t kFirstPiece = std::size_t{1} << 12;
constexpr std::size_t kLargestPiece = std::size_t{1} << 18;
// A longer one is a quote that nobody closed.
constexpr std::size_t kLongestRecord = std::size_t{64} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view without_spaces(std::string_view text, char separator) {
  while (!text.empty() && is_space(text.front()) && text.front() != separator) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back()) && text.back() != separator) text.remove_suffix(1);
  return text;
}

// Without a way out of the loop, so that it takes many bytes at a time.
bool is_plain(std::string_view text) {
  unsigned all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80;
}

void decode(std::vector<CsvField>& fields, std::string& scratch) {
  for (CsvField& field : fields) {
    if (is_utf8(field.text)) continue;
    const std::size_t kept = scratch.size();
    append_windows_1252(field.text, scratch);
    field.text = std::string_view(scratch).substr(kept);
    field.decoded = true;
  }
}

bool split(std::string_view record, const CsvDialect& dialect, std::vector<CsvField>& fields,
           std::string& scratch) {
  const bool blanks = dialect.separator == ' ';
  const std::string_view separators = blanks ? " \t" : std::string_view(&dialect.separator, 1);
  const auto separates = [&](char c) { return separators.find(c) != std::string_view::npos; };
  if (blanks) record = without_spaces(record, '\0');
  std::size_t place = 0;
  while (true) {
    std::size_t start = place;
    while (start < record.size() && is_space(record[start]) && !separates(record[start])) ++start;
    if (start >= record.size() || record[start] != dialect.quote) {
      const std::size_t end = std::min(record.find_first_of(separators, place), record.size());
      fields.push_back({without_spaces(record.substr(place, end - place), dialect.separator), false});
      place = end;
    } else {
      const std::size_t kept = scratch.size();
      std::size_t i = start + 1;
      while (i < record.size()) {
        const bool mark = record[i] == dialect.quote;
        if (mark && (i + 1 >= record.size() || record[i + 1] != dialect.quote)) break;
        scratch += record[i];
        i += mark ? 2 : 1;
      }
      if (i >= record.size()) return false;
      fields.push_back({std::string_view(scratch).substr(kept), true});
      place = i + 1;
      while (place < record.size() && is_space(record[place]) && !separates(record[place])) ++place;
      if (place < record.size() && !separates(record[place])) return false;
    }
    if (place >= record.size()) return true;
    ++place;
    while (blanks && is_space(record[place])) ++place;  // a record of blanks does not end in one
  }
}

}  // namespace

bool split_record(std::string_view record, const CsvDialect& dialect, std::vector<CsvField>& fields,
                  std::string& scratch) {
  fields.clear();
  scratch.clear();
  const bool plain = is_plain(record);
  // So that views into it stay valid: fields without their quotes, and fields in other letters.
  scratch.reserve(plain ? record.size() : (1 + kLongestWindows1252) * record.size());
  if (!split(record, dialect, fields, scratch)) return false;
  if (!plain) decode(fields, scratch);
  return true;
}

CsvRecords::CsvRecords(std::string reader, const std::filesystem::path& path, const CsvDialect& dialect)
    : reader_(std::move(reader)), path_(path.string()), dialect_(dialect), file_(reader_, path) {
  while (buffer_.size() < kByteOrderMark.size() && fill()) {
  }
  if (std::string_view(buffer_).starts_with(kByteOrderMark)) place_ = kByteOrderMark.size();
  if (buffer_.find('\0') != std::string::npos) {
    const bool wide = buffer_.starts_with("\xFF\xFE") || buffer_.starts_with("\xFE\xFF");
    likely::refuse(reader_, path_ + (wide ? ": the text is UTF-16, save it as UTF-8" : ": this is no text"));
  }
}

void CsvRecords::refuse(const std::string& message) const { refuse(line_, message); }

void CsvRecords::refuse(std::int64_t line, const std::string& message) const {
  likely::refuse(reader_, path_ + ", line " + std::to_string(line) + ": " + message);
}

void CsvRecords::refuse_fields(std::size_t columns) const {
  const bool one_more =
      fields_.size() == columns + 1 && fields_.back().text.empty() && !fields_.back().quoted;
  refuse(std::to_string(fields_.size()) + (fields_.size() == 1 ? " field, " : " fields, ") +
         std::to_string(columns) + (columns == 1 ? " column is expected" : " columns are expected") +
         (one_more ? ": the line ends in a separator, that of the names does not" : ""));
}

bool CsvRecords::fill() {
  if (ended_) return false;
  buffer_.erase(0, place_);
  buffer_offset_ += place_;
  place_ = 0;
  const std::size_t before = buffer_.size();
  piece_ = std::clamp(2 * piece_, kFirstPiece, kLargestPiece);
  buffer_.resize(before + piece_);
  const std::size_t got = file_.read(buffer_.data() + before, piece_);
  buffer_.resize(before + got);
  ended_ = got < piece_;
  return got > 0;
}

// Sets record_, its line and its offset. Only a quote at the start of a field opens one: elsewhere it is a
// letter. Whether \r ends a line by itself is known when the next character has been seen.
bool CsvRecords::find_record() {
  enum class State { start, plain, quoted, closed };
  State state = State::start;
  std::size_t scanned = 0;  // from place_ on
  std::int64_t lines = 0;
  bool returned = false;  // the character before was \r
  line_ = next_line_;
  const auto finish = [&](std::size_t length) {
    record_ = std::string_view(buffer_).substr(place_, length);
    offset_ = buffer_offset_ + place_;
    place_ += scanned;
    next_line_ += lines;
    return true;
  };
  while (true) {
    while (place_ + scanned < buffer_.size()) {
      const char c = buffer_[place_ + scanned++];
      lines += c == '\n' || returned ? 1 : 0;
      if (returned && c != '\n' && state != State::quoted) {
        --scanned;
        return finish(scanned);
      }
      returned = c == '\r';
      if (state == State::quoted) {
        if (c == dialect_.quote) state = State::closed;
      } else if (c == '\n') {
        return finish(scanned - 1);
      } else if (c == dialect_.separator) {
        state = State::start;
      } else if (c == dialect_.quote && state != State::plain) {
        state = State::quoted;  // opened, or doubled
      } else if (state == State::start && !is_space(c)) {
        state = State::plain;
      }
    }
    if (scanned > kLongestRecord) refuse("a record of more than 64 MiB starts here: is a quote missing?");
    if (fill()) continue;
    if (state == State::quoted) refuse("a quote is opened here and never closed");
    return scanned > 0 && finish(scanned);
  }
}

void CsvRecords::skip_lines(std::int64_t count) {
  for (std::int64_t skipped = 0; skipped < count; ++skipped) {
    std::size_t end = buffer_.find_first_of("\r\n", place_);
    while (end == std::string::npos && fill()) end = buffer_.find_first_of("\r\n", place_);
    if (end == std::string::npos && place_ == buffer_.size()) {
      likely::refuse(reader_, path_ + ": " + std::to_string(count) + " lines are to be skipped, there are " +
                                  std::to_string(skipped));
    }
    if (end == std::string::npos) end = buffer_.size() - 1;
    place_ = end + 1;
    if (buffer_[end] == '\r') {
      if (place_ == buffer_.size()) fill();
      if (place_ < buffer_.size() && buffer_[place_] == '\n') ++place_;
    }
    ++next_line_;
  }
}

bool CsvRecords::next() {
  while (find_record()) {
    give_up_if(dialect_.cancelled);
    if (record_.ends_with('\r')) record_.remove_suffix(1);
    const char separator = dialect_.separator == ' ' ? '\0' : dialect_.separator;
    if (without_spaces(record_, separator).empty()) continue;
    if (!split_record(record_, dialect_, fields_, scratch_))
      refuse("a quoted field goes on after its closing quote");
    for (std::size_t i = 0; note_.empty() && i < fields_.size(); ++i) {
      if (!fields_[i].decoded) continue;
      note_ = "line " + std::to_string(line_) + ": \"" + std::string(fields_[i].text) +
              "\" is not written in UTF-8: such letters are read as Windows-1252 (Latin-1)";
    }
    return true;
  }
  return false;
}

}  // namespace likely::io
