#include "likely/io/csv_schema.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "likely/core/create.hpp"
#include "likely/io/decimal_comma.hpp"
#include "likely/io/parse_number.hpp"

namespace likely::io {

namespace {

using Kind = CsvColumn::Kind;

// Free text is not a category.
constexpr std::size_t kMostCategories = 1'000'000;

std::string in_quotes(std::string_view text) { return std::string(1, '"').append(text) + '"'; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "1.906": a number that is a thousand times as large where points separate thousands.
bool may_have_thousands(std::string_view text) {
  if (!text.empty() && text.front() == '-') text.remove_prefix(1);
  const std::size_t point = text.find('.');
  return point >= 1 && point <= 3 && point != text.npos && text.size() == point + 4 &&
         std::count_if(text.begin(), text.end(), is_digit) + 1 == static_cast<std::ptrdiff_t>(text.size());
}

// "007", "-01": digits that a number would not have.
bool has_leading_zero(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text.front() == '0' && std::all_of(text.begin(), text.end(), is_digit);
}

// A whole number that f64 may not hold to its last digit.
bool has_many_digits(std::string_view text) {
  constexpr std::size_t kDigitsKept = 15;
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > kDigitsKept && std::all_of(text.begin(), text.end(), is_digit);
}

// A number and something more: "5.0%", "$6.0", "1,300", "6.0D+00". Not "A12", "2019-01-02", "10:30", "3/4".
bool is_number_with_more(std::string_view text) {
  const auto first =
      std::find_if(text.begin(), text.end(), [](char c) { return is_digit(c) || is_letter(c); });
  if (first == text.end() || !is_digit(*first)) return false;
  std::ptrdiff_t letters = 0;
  for (auto at = first; at != text.end(); ++at) {
    letters += is_letter(*at) ? 1 : 0;
    const bool joins = *at == '/' || *at == ':' || *at == '_' || (*at == '-' && is_digit(*(at - 1)));
    if (joins) return false;
  }
  return letters <= 1;
}

}  // namespace

Kind kind_of_field(std::string_view text) {
  std::int64_t whole = 0;
  double number = 0.0;
  if (parse_number(text, whole)) return Kind::whole;
  return parse_number(text, number) ? Kind::number : Kind::category;
}

CsvSchema::CsvSchema(const std::string& reader, const std::filesystem::path& path, const CsvOptions& options,
                     CsvIndex* index)
    : options_(options),
      file_(path.string()),
      missing_words_(options.missing_words.begin(), options.missing_words.end()) {
  for (const std::string& word : missing_words_) {
    longest_missing_word_ = std::max(longest_missing_word_, word.size());
  }
  if (options.skip < 0) {
    refuse(reader, "a number of lines to skip is expected, got " + std::to_string(options.skip));
  }
  bool learned = false;
  while (!learned) {
    columns_.clear();
    seen_.clear();
    ends_in_separator_ = false;
    if (index != nullptr) *index = {};
    CsvRecords records(reader, path, dialect());
    records.skip_lines(options.skip);
    name_columns(records);
    learned = learn_kinds(records, index);
  }
  const bool words = std::any_of(columns_.begin(), columns_.end(),
                                 [](const CsvColumn& column) { return column.kind == Kind::category; });
  codes_.resize(columns_.size());
  if (!words) return;
  CsvRecords again(reader, path, dialect());
  skip_header(again, options_);
  learn_words(again);
}

// From the names, or from the first row where columns have numbers instead.
void CsvSchema::add_columns(const std::vector<CsvField>& names, bool numbered) {
  for (std::size_t i = 0; i < names.size(); ++i)
    columns_.push_back({.name = numbered ? std::to_string(i) : std::string(names[i].text)});
  // Where every line ends in a separator, so do these.
  ends_in_separator_ = last_may_be_none_ && options_.separator != ' ' && names.size() > 1 &&
                       names.back().text.empty() && !names.back().quoted;
  if (ends_in_separator_) columns_.pop_back();
  seen_.resize(columns_.size());
  signs_.resize(columns_.size());
}

void CsvSchema::name_columns(CsvRecords& records) {
  if (!options_.header) return;
  if (!records.next()) records.refuse("a line with the names of the columns is expected");
  add_columns(records.fields(), false);
  std::set<std::string> names;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string& name = columns_[i].name;
    if (names.insert(name).second) continue;
    if (name.empty())
      records.refuse("two columns have no name, one of them is number " + std::to_string(i + 1));
    records.refuse("two columns are named " + in_quotes(name));
  }
  for (const std::string& name : options_.categories) {
    if (!names.contains(name)) records.refuse("there is no column " + in_quotes(name));
  }
}

// False where something was taken for granted that is not so: then it is known now.
bool CsvSchema::learn_kinds(CsvRecords& records, CsvIndex* index) {
  while (records.next()) {
    const std::vector<CsvField>& fields = records.fields();
    if (columns_.empty()) add_columns(fields, true);
    if (ends_in_separator_ && fields.size() >= this->fields() && !fields[columns_.size()].text.empty()) {
      last_may_be_none_ = false;
      return false;
    }
    if (fields.size() != this->fields()) records.refuse_fields(this->fields());
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      seen_[i].plus = seen_[i].plus || fields[i].text == "+";
      seen_[i].minus = seen_[i].minus || fields[i].text == "-";
    }
    if (options_.missing == Missing::drop_row && has_missing(fields)) continue;
    for (std::size_t i = 0; i < columns_.size(); ++i) look_at(records, i, fields[i].text);
    if (index == nullptr) continue;
    index->offsets.push_back(records.offset());
    index->lengths.push_back(static_cast<std::uint32_t>(records.record().size()));
  }
  if (found_signs()) return false;
  refuse_minus(records);
  notes_.clear();
  if (!records.note().empty()) notes_.push_back(records.note());
  if (ends_in_separator_)
    notes_.emplace_back("every line ends in a separator: the empty last column is none");
  for (std::size_t i = 0; i < columns_.size(); ++i) decide(i);
  note_thousands();
  note_codes();
  return true;
}

// Who writes decimal commas may mean thousands by a point.
void CsvSchema::note_thousands() {
  const bool commas = std::any_of(columns_.begin(), columns_.end(),
                                  [](const CsvColumn& column) { return column.decimal_comma; });
  for (std::size_t i = 0; commas && i < columns_.size(); ++i) {
    const Seen& seen = seen_[i];
    if (columns_[i].kind != Kind::number || seen.points == 0 || seen.points != seen.thousands) continue;
    notes_.push_back(
        "column " + in_quotes(columns_[i].name) + ": " + in_quotes(seen.first_thousand) + " in line " +
        std::to_string(seen.first_thousand_line) +
        " is read as a number with a decimal point, though other columns have decimal commas: if "
        "points separate thousands here, take them out");
  }
}

void CsvSchema::note_codes() {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string note = columns_[i].kind == Kind::category ? "" : seen_[i].codes.note();
    if (!note.empty()) notes_.push_back("column " + in_quotes(columns_[i].name) + ": " + note);
  }
}

// Columns that hold "+" and "-", which is not missing there.
bool CsvSchema::found_signs() {
  bool found = false;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!seen_[i].plus || !seen_[i].minus || signs_[i]) continue;
    signs_[i] = true;
    found = true;
  }
  return found;
}

void CsvSchema::refuse_minus(const CsvRecords& records) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (seen_[i].missing_minus_line == 0) continue;
    records.refuse(seen_[i].missing_minus_line,
                   "column " + in_quotes(columns_[i].name) + ": the value is missing");
  }
}

void CsvSchema::look_at(const CsvRecords& records, std::size_t i, std::string_view text) {
  CsvColumn& column = columns_[i];
  Seen& seen = seen_[i];
  if (is_missing(i, text)) {
    if (options_.missing == Missing::refuse && text != "-") {
      records.refuse("column " + in_quotes(column.name) + ": the value is missing");
    }
    if (options_.missing == Missing::refuse && seen.missing_minus_line == 0)
      seen.missing_minus_line = records.line();
    if (column.missing_word.empty() && !text.empty()) {
      column.missing_word = std::string(text);
      column.missing_word_line = records.line();
    }
    column.kind = std::max(column.kind, Kind::number);  // NaN is none of the whole numbers
    return;
  }
  const Kind kind = kind_of_field(text);
  double value = 0.0;
  if (kind != Kind::category) {
    column.kind = std::max(column.kind, kind);
    ++column.numbers;
    parse_number(text, value);
    seen.codes.add(value, records.line());
    if (column.leading_zero.empty() && has_leading_zero(text)) column.leading_zero = std::string(text);
    if (column.many_digits.empty() && has_many_digits(text)) column.many_digits = std::string(text);
    seen.points += text.find('.') != text.npos ? 1 : 0;
    if (may_have_thousands(text) && seen.thousands++ == 0) {
      seen.first_thousand = std::string(text);
      seen.first_thousand_line = records.line();
    }
  } else if (options_.separator != ',' && parse_decimal_comma(text, value)) {
    seen.codes.add(value, records.line());
    if (seen.commas++ > 0) return;
    seen.first_comma = std::string(text);
    seen.first_comma_line = records.line();
  } else {
    seen.with_more += is_number_with_more(text) ? 1 : 0;
    if (column.words++ > 0) return;
    column.first_word = std::string(text);
    column.first_word_line = records.line();
  }
}

// What a column holds, when all of it was seen.
void CsvSchema::decide(std::size_t i) {
  CsvColumn& column = columns_[i];
  const Seen& seen = seen_[i];
  const std::vector<std::string>& asked = options_.categories;
  const bool names = std::find(asked.begin(), asked.end(), column.name) != asked.end();
  column.decimal_comma = seen.commas > 0 && seen.points == 0 && column.words == 0 && !names;
  if (column.decimal_comma) {
    column.kind = Kind::number;
    column.numbers += seen.commas;
    notes_.push_back("column " + in_quotes(column.name) + ": " + in_quotes(seen.first_comma) + " in line " +
                     std::to_string(seen.first_comma_line) + " is read as a number with a decimal comma");
    return;
  }
  if (seen.commas > 0 && (column.words == 0 || seen.first_comma_line < column.first_word_line)) {
    column.first_word = seen.first_comma;
    column.first_word_line = seen.first_comma_line;
  }
  column.words += seen.commas;
  if (column.words > 0 || names) column.kind = Kind::category;
  if (names) return;
  if (column.words == 0) return;
  const std::int64_t all = column.words + column.numbers;
  // Where half are numbers they may all have been meant so, whatever the others are.
  if (!column.has_strays() && 2 * column.numbers < all) {
    if (2 * (seen.with_more + seen.commas) > all)
      notes_.push_back("column " + in_quotes(column.name) +
                       " is read as words: " + in_quotes(column.first_word) + " in line " +
                       std::to_string(column.first_word_line) + " is not a number");
    return;
  }
  notes_.push_back("column " + in_quotes(column.name) + " is read as words: " + in_quotes(column.first_word) +
                   " in line " + std::to_string(column.first_word_line) + " is not a number, as " +
                   std::to_string(column.numbers) + " of its " + std::to_string(all) + " fields are");
}

void CsvSchema::learn_words(CsvRecords& records) {
  std::vector<std::set<std::string, std::less<>>> words(columns_.size());
  while (records.next()) {
    const std::vector<CsvField>& fields = records.fields();
    if (fields.size() != this->fields()) records.refuse("the file has changed while it was read");
    if (options_.missing == Missing::drop_row && has_missing(fields)) continue;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string_view text = fields[i].text;
      if (columns_[i].kind != Kind::category || is_missing(i, text) || words[i].contains(text)) continue;
      words[i].emplace(text);
      if (words[i].size() > kMostCategories) {
        records.refuse("column " + in_quotes(columns_[i].name) + " has more than " +
                       std::to_string(kMostCategories) + " different words");
      }
    }
  }
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].categories.assign(words[i].begin(), words[i].end());
    for (const std::string& word : columns_[i].categories) {
      codes_[i].emplace(word, static_cast<std::int64_t>(codes_[i].size()));
    }
  }
}

bool CsvSchema::has_missing(const std::vector<CsvField>& fields) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (is_missing(i, fields[i].text)) return true;
  }
  return false;
}

std::int64_t CsvSchema::code(std::size_t column, std::string_view word) const {
  const auto found = codes_[column].find(std::string(word));
  return found == codes_[column].end() ? -1 : found->second;
}

TableBuilder::TableBuilder(const CsvSchema& schema)
    : schema_(schema), whole_(schema.columns().size()), numbers_(schema.columns().size()) {
  table_.file_ = schema.file();
  table_.columns_ = schema.columns();
  table_.notes_ = schema.notes();
}

void TableBuilder::add(const std::vector<CsvField>& fields, std::int64_t line) {
  if (fields.size() != schema_.fields()) refuse("CSV", schema_.file() + " has changed while it was read");
  if (schema_.options().missing == Missing::drop_row && schema_.has_missing(fields)) return;
  table_.lines_.push_back(line);
  for (std::size_t i = 0; i < whole_.size(); ++i) {
    const std::string_view text = fields[i].text;
    const bool missing = schema_.is_missing(i, text);
    bool fits = true;
    if (table_.columns_[i].kind == Kind::number) {
      double value = std::numeric_limits<double>::quiet_NaN();
      fits = missing || parse_number(text, value) ||
             (table_.columns_[i].decimal_comma && parse_decimal_comma(text, value));
      numbers_[i].push_back(value);
    } else if (table_.columns_[i].kind == Kind::whole) {
      std::int64_t value = 0;
      fits = parse_number(text, value);
      whole_[i].push_back(value);
    } else {
      whole_[i].push_back(missing ? -1 : schema_.code(i, text));
    }
    if (!fits) refuse("CSV", schema_.file() + " has changed while it was read");
  }
  ++table_.rows_;
}

Table TableBuilder::finish() {
  for (std::size_t i = 0; i < whole_.size(); ++i) {
    const bool numbers = table_.columns_[i].kind == Kind::number;
    table_.values_.push_back(numbers ? tensor(numbers_[i]) : tensor(whole_[i]));
  }
  return std::move(table_);
}

}  // namespace likely::io
