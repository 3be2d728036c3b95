// Hot: every line of a file of trials.
// Tables of trials into Trials: rows first, then subjects, when it is known how choices are written.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>

#include "likely/core/error.hpp"
#include "likely/io/csv_layout.hpp"
#include "likely/io/missing_words.hpp"
#include "likely/io/parse_number.hpp"
#include "likely/models/choice/files/number_column.hpp"
#include "likely/models/choice/files/odd_choices.hpp"
#include "likely/models/choice/files/trial_columns.hpp"

namespace likely::choice {

namespace {

// Different words of a column, numbered as they come, with the line of the first.
class Words {
 public:
  std::int32_t number(std::string_view word, std::int64_t line) {
    const auto [place, is_new] =
        places_.try_emplace(std::string(word), static_cast<std::int32_t>(words.size()));
    if (is_new) {
      words.emplace_back(word);
      lines.push_back(line);
    }
    return place->second;
  }
  std::vector<std::string> words;
  std::vector<std::int64_t> lines;

 private:
  std::unordered_map<std::string, std::int32_t> places_;
};

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
        path_(path.string()),
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
    if (!records_.next()) refuse("the file is empty: a line with the names of the columns is expected");
    columns_ = find_columns(records_, options_);
    for (const std::string& name : columns_.names) numbers_.emplace_back(name, separator_ != ',');
    while (records_.next()) add_row();
    std::size_t count = 0;
    for (const auto& rows : rows_) count += rows.size();
    if (count == 0) refuse(missing_ > 0 ? "every row has a missing field" : "there are no rows of trials");
    decode_choices();
    decode_cues();
    decode_offered();
    trials_.block_names = blocks_.words;
    for (std::size_t s = 0; s < rows_.size(); ++s) make_subject(s);
    report();
    check_trials(trials_);
    return std::move(trials_);
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    likely::refuse("read_trials", fmt::format("{}: {}", path_, message));
  }
  [[noreturn]] void refuse(std::int64_t line, const std::string& message) const {
    likely::refuse("read_trials", fmt::format("{}, line {}: {}", path_, line, message));
  }

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
      if (row.gain < 0.0 && negative_gain_.line == 0) negative_gain_ = {row.gain, line};
      const double loss = number(*columns_.loss);
      if (AmountSeen& first = loss > 0.0 ? positive_loss_ : negative_loss_; loss != 0.0 && first.line == 0)
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

  // What each word for a choice means: a number from 0.
  void decode_choices() {
    bool whole = true;
    bool zero = false;
    std::vector<std::int64_t> numbers;
    std::optional<std::size_t> number, word;  // the first of each
    for (std::size_t i = 0; i < choices_.words.size(); ++i) {
      std::int64_t value = 0;
      const bool is_whole = io::parse_number(choices_.words[i], value);
      whole = is_whole && whole;
      zero = zero || (is_whole && value == 0);
      numbers.push_back(value);
      if (std::optional<std::size_t>& first = is_whole ? number : word; !first) first = i;
    }
    check_signs();
    coding_ = options_.coding;
    if (coding_ == Coding::guess && number && word) {
      refuse(
          choices_.lines[*word],
          fmt::format("column \"{}\" holds \"{}\", and the number {} in line {}: if both are names, say so "
                      "(`coding = names`)",
                      columns_.names[columns_.choice], choices_.words[*word], choices_.words[*number],
                      choices_.lines[*number]));
    }
    if (coding_ == Coding::guess)
      coding_ = !whole ? Coding::names : zero ? Coding::from_zero : Coding::from_one;
    if (coding_ == Coding::names) {
      decode_names();
      return;
    }
    const std::int64_t first = coding_ == Coding::from_one ? 1 : 0;
    const std::int64_t most = options_.options > 0 ? options_.options : kMostOptions;
    std::int64_t highest = 1;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      std::int64_t value = 0;
      if (!io::parse_number(choices_.words[i], value) || value < first || value >= first + most) {
        const bool guessed = options_.coding == Coding::guess;
        refuse(
            choices_.lines[i],
            fmt::format(
                "column \"{}\" must hold whole numbers {}from {} to {}, got \"{}\"{}",
                columns_.names[columns_.choice],
                guessed && !zero ? fmt::format("from 0 to {} or ", most - 1) : "", first, first + most - 1,
                choices_.words[i],
                guessed ? ": NA says that nothing was chosen, `coding = names` that numbers are names" : ""));
      }
      choice_of_.push_back(static_cast<std::int32_t>(value - first));
      highest = std::max(highest, value - first);
    }
    set_options(static_cast<int>(highest) + 1);
    for (int k = 0; k < trials_.options; ++k) trials_.option_names.push_back(std::to_string(k + first));
  }

  // "+" and "-" are a pair of choices, but "-" alone stands for none.
  void check_signs() const {
    const bool plus = std::find(choices_.words.begin(), choices_.words.end(), "+") != choices_.words.end();
    if (!plus || minus_line_ == 0) return;
    refuse(minus_line_, fmt::format("column \"{}\" holds \"+\" and \"-\", which stands for a missing value: "
                                    "write words for both",
                                    columns_.names[columns_.choice]));
  }

  void decode_names() {
    std::vector<std::string> sorted = choices_.words;
    std::sort(sorted.begin(), sorted.end());
    const int most = options_.options > 0 ? options_.options : kMostOptions;
    if (static_cast<int>(sorted.size()) > most) {
      refuse(fmt::format("column \"{}\" has {} different words, at most {} are options",
                         columns_.names[columns_.choice], sorted.size(), most));
    }
    for (const std::string& word : choices_.words) {
      choice_of_.push_back(
          static_cast<std::int32_t>(std::lower_bound(sorted.begin(), sorted.end(), word) - sorted.begin()));
    }
    set_options(std::max<int>(2, static_cast<int>(sorted.size())));
    trials_.option_names = std::move(sorted);
    while (static_cast<int>(trials_.option_names.size()) < trials_.options) {
      trials_.option_names.push_back(fmt::format("option {}", trials_.option_names.size() + 1));
    }
  }

  void set_options(int seen) {
    const int columns = columns_.cues ? 2 : static_cast<int>(columns_.option_cues.size());
    if (columns > 0 && seen > columns) {
      refuse(fmt::format("{} options are chosen, but the columns of cues have {}", seen, columns));
    }
    if (options_.options != 0 && (options_.options < 2 || options_.options > kMostOptions)) {
      refuse(fmt::format("2 to {} options are possible, got {}", kMostOptions, options_.options));
    }
    if (columns > 0 && options_.options > 0 && options_.options != columns) {
      refuse(fmt::format("{} options are asked for, but the columns of cues have {}", options_.options,
                         columns));
    }
    trials_.options = std::max({seen, columns, options_.options});
    trials_.cues = trials_.options;
  }

  static std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> items;
    std::size_t start = 0;
    while (start <= list.size()) {
      const std::size_t end = std::min(list.find('+', start), list.size());
      items.push_back(list.substr(start, end - start));
      start = end + 1;
    }
    return items;
  }

  // Cues are sorted by name; each list of them becomes bits.
  void decode_cues() {
    if (cue_lists_.empty()) {
      trials_.cue_names = trials_.option_names;
      return;
    }
    std::map<std::string, int> places;
    for (std::size_t i = 0; i < lists_of_cues_.words.size(); ++i) {
      for (const std::string& cue : split(lists_of_cues_.words[i])) {
        if (cue.empty()) {
          refuse(lists_of_cues_.lines[i],
                 fmt::format("\"{}\" is no list of cues like A+B", lists_of_cues_.words[i]));
        }
        places[cue] = 0;
      }
      if (static_cast<int>(places.size()) > kMostCues) {
        refuse(lists_of_cues_.lines[i], fmt::format("there are more than {} different cues", kMostCues));
      }
    }
    for (auto& [name, place] : places) {
      place = static_cast<int>(trials_.cue_names.size());
      trials_.cue_names.push_back(name);
    }
    trials_.cues = static_cast<int>(places.size());
    for (const std::string& list : lists_of_cues_.words) {
      std::uint32_t bits = 0;
      for (const std::string& cue : split(list)) bits |= std::uint32_t{1} << places[cue];
      bits_of_cues_.push_back(bits);
    }
  }

  void decode_offered() {
    for (std::size_t i = 0; i < offers_.words.size(); ++i) {
      std::uint32_t bits = 0;
      for (const std::string& item : split(offers_.words[i])) {
        const auto found = std::find(trials_.option_names.begin(), trials_.option_names.end(), item);
        if (found == trials_.option_names.end()) {
          refuse(offers_.lines[i],
                 fmt::format("\"{}\" offers \"{}\", which is not an option: {}", offers_.words[i], item,
                             fmt::join(trials_.option_names, ", ")));
        }
        bits |= std::uint32_t{1} << (found - trials_.option_names.begin());
      }
      bits_of_offers_.push_back(bits);
    }
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
        refuse(std::max(rows[i].line, rows[i - 1].line),
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
    if (learns_nothing(subject)) subjects_without_outcomes_.push_back(id);
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
    const std::int32_t choice = choice_of_[static_cast<std::size_t>(row.choice)];
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
      refuse(row.line, fmt::format("the choice is {}, which was not offered",
                                   trials_.option_names[static_cast<std::size_t>(choice)]));
    }
    chosen_ |= std::uint32_t{1} << choice;
    offered_ |= offered;
    if (columns_.offered || !columns_.option_cues.empty()) subject.offered.push_back(offered);
  }

  void warn(const std::string& message) { trials_.warnings.push_back(fmt::format("{}: {}", path_, message)); }

  void report_same(const std::string& what, const std::vector<std::string>& words) {
    if (const std::string line = same_words(what, words); !line.empty()) warn(line);
  }

  // The sign of a loss is not looked at: some write what was lost, others what came of it.
  void report_losses() {
    if (positive_loss_.line == 0 || negative_loss_.line == 0) return;
    warn(fmt::format(
        "column \"{}\" has {} in line {} and {} in line {}: its sign is passed over, and both are "
        "losses",
        columns_.names[*columns_.loss], positive_loss_.amount, positive_loss_.line, negative_loss_.amount,
        negative_loss_.line));
  }

  void report_outcomes() {
    if (subjects_without_outcomes_.empty()) return;
    const bool all = subjects_without_outcomes_.size() == trials_.subjects.size();
    for (const std::string& id : subjects_without_outcomes_) {
      warn(fmt::format("{} the same outcome on every trial: the trials say nothing about learning from it{}",
                       all ? "every subject had" : fmt::format("subject {} had", id),
                       all ? ", and estimates of it come from the prior" : ""));
      if (all) return;
    }
  }

  void report_gains() {
    if (negative_gain_.line == 0) return;
    warn(fmt::format("column \"{}\" has {} in line {}: it is taken as it is, a gain below 0",
                     columns_.names[*columns_.gain], negative_gain_.amount, negative_gain_.line));
  }

  void report() {
    const bool names = coding_ == Coding::names;
    for (const std::string& line : odd_choices(
             trials_, {.are_numbers = !names,
                      .are_told = options_.options > 0,
                      .zero_is_guessed = options_.coding == Coding::guess && coding_ == Coding::from_zero})) {
      warn(line);
    }
    if (names) report_same("options", choices_.words);
    report_same("subjects", subjects_.words);
    report_same("blocks", blocks_.words);
    report_losses();
    report_gains();
    report_outcomes();
    for (int k = 0; k < trials_.options; ++k) {
      const std::string& name = trials_.option_names[static_cast<std::size_t>(k)];
      if (((offered_ >> k) & 1U) == 0) {
        warn(fmt::format("option {} is never offered", name));
      } else if (((chosen_ >> k) & 1U) == 0) {
        warn(fmt::format("option {} is never chosen", name));
      }
    }
    if (columns_.session) {
      warn(fmt::format(
          "values start anew with each \"{0}\" and each \"{1}\": `block = {0}` or `block = {1}` to go by "
          "one of them",
          columns_.names[*columns_.session], columns_.names[*columns_.block]));
    }
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
  std::string path_;
  char separator_;
  io::CsvRecords records_;
  TrialColumns columns_;
  std::vector<NumberColumn> numbers_;  // of all columns, whether they hold numbers or not
  Words subjects_, choices_, blocks_, offers_, lists_of_cues_;
  std::vector<std::vector<Row>> rows_;   // of each subject
  std::vector<std::int32_t> cue_lists_;  // numbers of lists, several a row
  std::vector<std::uint32_t> bits_of_cues_, bits_of_offers_;
  std::vector<std::int32_t> choice_of_;
  Coding coding_ = Coding::guess;
  std::int64_t missing_ = 0;
  std::int64_t minus_line_ = 0;  // of the first choice "-"
  std::vector<std::int64_t> missing_lines_;
  struct AmountSeen {
    double amount = 0.0;
    std::int64_t line = 0;
  };
  AmountSeen positive_loss_, negative_loss_, negative_gain_;  // the first of each
  std::vector<std::string> subjects_without_outcomes_;
  std::uint32_t chosen_ = 0, offered_ = 0;
  Trials trials_;
};

}  // namespace

Trials read_trials(const std::filesystem::path& path, const ReadTrialsOptions& options) {
  return Reader(path, options).read();
}

}  // namespace likely::choice
