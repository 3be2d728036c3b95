// Hot: every line of a file of trials.
// Tables of trials into Trials: rows first, then subjects, when it is known how choices are written.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "likely/core/error.hpp"
#include "likely/io/csv_layout.hpp"
#include "likely/io/missing_words.hpp"
#include "likely/models/choice/files/number_column.hpp"
#include "likely/models/choice/files/odd_choices.hpp"
#include "likely/models/choice/files/trial_columns.hpp"
#include "likely/models/choice/files/trial_warnings.hpp"
#include "likely/models/choice/files/trial_words.hpp"

namespace likely::choice {

namespace {

struct Row {
  std::int64_t line;
  std::int32_t choice, offered, block;  // numbers of words; -1: none
  std::int32_t cues;                    // where the words of its cues begin; -1: none
  double outcome, gain, loss, trial;
};

class Reader {
 public:
  Reader(const std::filesystem::path& path, const ReadTrialsOptions& options)
      : options_(options),
        table_{path.string()},
        separator_(options.separator != '\0' ? options.separator : io::guess_separator(path, options.skip)),
        records_("read_trials", path, {separator_, '"', options.cancelled}) {
    std::int64_t skip = options.skip;
    if (const auto named = io::separator_line(path, skip)) {
      skip = named->line;
      separator_note_ = named->note;
    }
    io::refuse_lines_above("read_trials", path, {.separator = separator_, .skip = skip});
    records_.skip_lines(skip);
  }

  Trials read() {
    if (!records_.next())
      table_.refuse("the file is empty: a line with the names of the columns is expected");
    columns_ = find_columns(records_, options_);
    for (const std::string& name : columns_.names) numbers_.emplace_back(name, separator_ != ',');
    while (records_.next()) add_row();
    std::size_t count = 0;
    for (const auto& rows : rows_) count += rows.size();
    if (count == 0)
      table_.refuse(missing_ > 0 ? "every row has a missing field" : "there are no rows of trials");
    words_ = read_choices(table_, choices_, options_, columns_.names[columns_.choice], minus_line_);
    set_options(words_.options);
    name_options();
    trials_.cue_names = trials_.option_names;
    if (!cue_lists_.empty()) {
      CueWords cues = read_cues(table_, lists_of_cues_);
      trials_.cues = static_cast<int>(cues.names.size());
      trials_.cue_names = std::move(cues.names);
      bits_of_cues_ = std::move(cues.bits);
    }
    bits_of_offers_ = read_offers(table_, offers_, trials_.option_names);
    trials_.block_names = blocks_.words;
    for (std::size_t s = 0; s < rows_.size(); ++s) make_subject(s);
    report();
    check_trials(trials_);
    return std::move(trials_);
  }

 private:
  std::string_view text(std::size_t column) const { return records_.fields()[column].text; }
  bool is_missing(std::size_t column) const { return io::is_usually_missing(text(column)); }
  double number(std::size_t column) { return numbers_[column].read(records_, text(column)); }

  bool has_missing() const {
    std::vector<std::size_t> needed{columns_.subject, columns_.choice};
    for (const auto& column : {columns_.outcome, columns_.gain, columns_.loss, columns_.block,
                               columns_.session, columns_.trial, columns_.offered, columns_.cues}) {
      if (column) needed.push_back(*column);
    }
    return std::any_of(needed.begin(), needed.end(), [&](std::size_t column) { return is_missing(column); });
  }

  // "2/1": the first block of the second session.
  std::string block_text() const {
    std::string block(text(*columns_.block));
    return columns_.session ? fmt::format("{}/{}", text(*columns_.session), block) : block;
  }

  void add_row() {
    if (records_.fields().size() != columns_.count) records_.refuse_fields(columns_.count);
    const std::int64_t line = records_.line();
    columns_.ends_in_separator = columns_.ends_in_separator && text(columns_.count - 1).empty();
    if (!is_missing(columns_.subject)) {
      const auto subject = static_cast<std::size_t>(subjects_.number(text(columns_.subject), line));
      if (subject == rows_.size()) rows_.emplace_back();
    }
    if (minus_line_ == 0 && text(columns_.choice) == "-") minus_line_ = line;
    if (has_missing()) {
      if (missing_++ < kLinesNamed) missing_lines_.push_back(line);
      return;
    }
    Row row{line, -1, -1, -1, -1, 0.0, 0.0, 0.0, 0.0};
    row.choice = choices_.number(text(columns_.choice), line);
    if (columns_.gain) {
      row.gain = number(*columns_.gain);
      if (row.gain < 0.0 && seen_.negative_gain.line == 0) seen_.negative_gain = {row.gain, line};
      const double loss = number(*columns_.loss);
      if (AmountSeen& first = loss > 0.0 ? seen_.positive_loss : seen_.negative_loss;
          loss != 0.0 && first.line == 0)
        first = {loss, line};
      row.loss = -std::fabs(loss);
    }
    row.outcome = columns_.outcome ? number(*columns_.outcome) : row.gain + row.loss;
    if (columns_.trial) row.trial = number(*columns_.trial);
    if (columns_.block) row.block = blocks_.number(block_text(), line);
    if (columns_.offered) row.offered = offers_.number(text(*columns_.offered), line);
    if (columns_.cues) {
      row.cues = static_cast<std::int32_t>(cue_lists_.size());
      cue_lists_.push_back(lists_of_cues_.number(text(*columns_.cues), line));
    }
    if (!columns_.option_cues.empty()) {
      row.cues = static_cast<std::int32_t>(cue_lists_.size());
      for (const std::size_t column : columns_.option_cues) {
        cue_lists_.push_back(is_missing(column) ? -1 : lists_of_cues_.number(text(column), line));
      }
    }
    rows_[static_cast<std::size_t>(subjects_.number(text(columns_.subject), line))].push_back(row);
  }

  // Numbers are called as they are written, and an option that nobody named by its place.
  void name_options() {
    trials_.option_names = words_.names;
    const bool named = words_.coding == Coding::names;
    const int first = words_.coding == Coding::from_one ? 1 : 0;
    for (auto k = static_cast<int>(trials_.option_names.size()); k < trials_.options; ++k)
      trials_.option_names.push_back(named ? fmt::format("option {}", k + 1) : std::to_string(k + first));
  }

  void set_options(int seen) {
    const int columns = columns_.cues ? 2 : static_cast<int>(columns_.option_cues.size());
    if (columns > 0 && seen > columns) {
      table_.refuse(fmt::format("{} options are chosen, but the columns of cues have {}", seen, columns));
    }
    if (options_.options != 0 && (options_.options < 2 || options_.options > kMostOptions)) {
      table_.refuse(fmt::format("2 to {} options are possible, got {}", kMostOptions, options_.options));
    }
    if (columns > 0 && options_.options > 0 && options_.options != columns) {
      table_.refuse(fmt::format("{} options are asked for, but the columns of cues have {}", options_.options,
                                columns));
    }
    trials_.options = std::max({seen, columns, options_.options});
    trials_.cues = trials_.options;
  }

  // Blocks in the order in which they began, trials in theirs.
  void sort_rows(std::vector<Row>& rows, const std::string& subject) const {
    std::map<std::int32_t, std::int32_t> order;
    for (const Row& row : rows) order.try_emplace(row.block, static_cast<std::int32_t>(order.size()));
    std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
      const std::int32_t first = order[a.block];
      const std::int32_t second = order[b.block];
      return first != second ? first < second : columns_.trial && a.trial < b.trial;
    });
    if (!columns_.trial) return;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (rows[i].block == rows[i - 1].block && rows[i].trial == rows[i - 1].trial) {
        table_.refuse(
            std::max(rows[i].line, rows[i - 1].line),
            fmt::format(
                "trial {} of subject {} was already on line {}{}", rows[i].trial, subject,
                std::min(rows[i].line, rows[i - 1].line),
                columns_.block ? "" : "; where trials are counted anew, a column \"block\" must say so"));
      }
    }
  }

  void make_subject(std::size_t s) {
    std::vector<Row>& rows = rows_[s];
    const std::string& id = subjects_.words[s];
    if (rows.empty()) {
      warn(fmt::format("subject {} has no complete row and is left out", id));
      return;
    }
    sort_rows(rows, id);
    Subject subject;
    subject.id = id;
    for (const Row& row : rows) add_trial(subject, row);
    const bool constant = std::all_of(subject.choice.begin(), subject.choice.end(),
                                      [&](std::int32_t choice) { return choice == subject.choice[0]; });
    if (constant) {
      warn(fmt::format("subject {} always chose {}: there is little to be learned about its parameters", id,
                       trials_.option_names[static_cast<std::size_t>(subject.choice[0])]));
    }
    if (learns_nothing(subject)) seen_.subjects_without_outcomes.push_back(id);
    trials_.subjects.push_back(std::move(subject));
  }

  // Whatever was chosen, the same came of it, and more often than by chance.
  static bool learns_nothing(const Subject& subject) {
    constexpr std::int64_t kFew = 10;
    const auto same = [](const std::vector<double>& values) {
      return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
    };
    return subject.size() >= kFew && same(subject.outcome) && same(subject.gain) && same(subject.loss);
  }

  void add_trial(Subject& subject, const Row& row) {
    const std::int32_t choice = words_.choice_of[static_cast<std::size_t>(row.choice)];
    const auto options = static_cast<std::size_t>(trials_.options);
    subject.choice.push_back(choice);
    subject.outcome.push_back(row.outcome);
    if (columns_.gain) {
      subject.gain.push_back(row.gain);
      subject.loss.push_back(row.loss);
    }
    if (columns_.block) subject.block.push_back(row.block);
    if (columns_.trial) subject.trial.push_back(row.trial);
    std::uint32_t offered = (std::uint32_t{1} << trials_.options) - 1;
    if (columns_.offered) offered = bits_of_offers_[static_cast<std::size_t>(row.offered)];
    if (columns_.cues) {
      const std::uint32_t bits =
          bits_of_cues_[static_cast<std::size_t>(cue_lists_[static_cast<std::size_t>(row.cues)])];
      subject.cues.insert(subject.cues.end(), {0, bits});
      subject.learned.push_back(bits);
    }
    for (std::size_t k = 0; k < options && !columns_.option_cues.empty(); ++k) {
      const std::int32_t list = cue_lists_[static_cast<std::size_t>(row.cues) + k];
      subject.cues.push_back(list < 0 ? 0 : bits_of_cues_[static_cast<std::size_t>(list)]);
      if (list < 0) offered &= ~(std::uint32_t{1} << k);
    }
    if (((offered >> choice) & 1U) == 0) {
      table_.refuse(row.line, fmt::format("the choice is {}, which was not offered",
                                          trials_.option_names[static_cast<std::size_t>(choice)]));
    }
    seen_.chosen |= std::uint32_t{1} << choice;
    seen_.offered |= offered;
    if (columns_.offered || !columns_.option_cues.empty()) subject.offered.push_back(offered);
  }

  void warn(const std::string& message) {
    trials_.warnings.push_back(fmt::format("{}: {}", table_.path, message));
  }

  void report() {
    const bool names = words_.coding == Coding::names;
    for (const std::string& line : odd_choices(
             trials_,
             {.are_numbers = !names,
             .are_told = options_.options > 0,
             .zero_is_guessed = options_.coding == Coding::guess && words_.coding == Coding::from_zero})) {
      warn(line);
    }
    const auto warn_of_same = [&](const char* what, const NumberedWords& words) {
      if (const std::string line = same_words(what, words.words); !line.empty()) warn(line);
    };
    if (names) warn_of_same("options", choices_);
    warn_of_same("subjects", subjects_);
    warn_of_same("blocks", blocks_);
    for (const std::string& line : warnings_of(trials_, seen_, columns_)) warn(line);
    if (!separator_note_.empty()) warn(separator_note_);
    if (!records_.note().empty()) warn(records_.note());
    if (columns_.ends_in_separator) warn("every line ends in a separator: the empty last column is none");
    trials_.notes.push_back(columns_text(columns_));
    for (const NumberColumn& column : numbers_) {
      for (const std::string& note : column.notes(records_)) warn(note);
    }
    if (missing_ == 0) return;
    warn(fmt::format("{} row{} with missing fields left out: line{} {}{}", missing_, missing_ == 1 ? "" : "s",
                     missing_ == 1 ? "" : "s", fmt::join(missing_lines_, ", "),
                     missing_ > kLinesNamed ? ", ..." : ""));
    // What is not there at all comes before what is odd in the rest, of which a long list shows only the
    // first.
    std::rotate(trials_.warnings.begin(), trials_.warnings.end() - 1, trials_.warnings.end());
  }

  static constexpr std::int64_t kLinesNamed = 5;
  std::string separator_note_;

  const ReadTrialsOptions& options_;
  TrialsTable table_;
  char separator_;
  io::CsvRecords records_;
  TrialColumns columns_;
  std::vector<NumberColumn> numbers_;  // of all columns, whether they hold numbers or not
  NumberedWords subjects_, choices_, blocks_, offers_, lists_of_cues_;
  std::vector<std::vector<Row>> rows_;   // of each subject
  std::vector<std::int32_t> cue_lists_;  // numbers of lists, several a row
  std::vector<std::uint32_t> bits_of_cues_, bits_of_offers_;
  ChoiceWords words_;
  std::int64_t missing_ = 0;
  std::int64_t minus_line_ = 0;  // of the first choice "-"
  std::vector<std::int64_t> missing_lines_;
  TrialsSeen seen_;
  Trials trials_;
};

}  // namespace

Trials read_trials(const std::filesystem::path& path, const ReadTrialsOptions& options) {
  return Reader(path, options).read();
}

}  // namespace likely::choice
