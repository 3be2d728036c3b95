// Trials: who chose what, and what came of it. The data of every choice model.
//
//   const choice::Trials trials = choice::read_trials("bandit.tsv");
//   fmt::print("{} subjects, {} options\n", trials.subjects.size(), trials.options);
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "likely/core/cancel.hpp"

namespace likely::io {
class AtomicFile;
}

namespace likely::choice {

// The most options a trial may offer, and the most cues a task may have.
inline constexpr int kMostOptions = 16;
inline constexpr int kMostCues = 32;

// The trials of one subject in the order in which they happened. A list that is empty means the usual: one
// block, every option offered, every option its own cue.
struct Subject {
  std::string id;
  std::vector<std::int32_t> choice;    // 0 ... options - 1
  std::vector<double> outcome;         // of the option chosen: gain and loss together
  std::vector<double> gain, loss;      // apart, where the file has them; losses are <= 0
  std::vector<std::int32_t> block;     // values start anew where the number changes
  std::vector<double> trial;           // as the file numbers them; else they are counted from 1 in each block
  std::vector<std::uint32_t> offered;  // a bit an option
  // Which cues make up an option (a bit a cue), `options` numbers a trial: option k of trial t at
  // t * options + k. The value of an option is the sum over its cues.
  std::vector<std::uint32_t> cues;
  // The cues that learn, a number a trial. Without it they are those of the option chosen.
  std::vector<std::uint32_t> learned;

  std::int64_t size() const { return static_cast<std::int64_t>(choice.size()); }
};

struct Trials {
  int options = 2;
  int cues = 2;  // as many as options where each option is its own cue
  std::vector<std::string> option_names;
  std::vector<std::string> cue_names;
  std::vector<std::string> block_names;  // by the numbers of blocks; else they are called 1, 2, ...
  std::vector<Subject> subjects;
  // What a reader left out or finds odd: one line each, with the file and the line.
  std::vector<std::string> warnings;
  // What it decided: "columns: subject=subjID, choice=choice, outcome=reward; not used: rt".
  std::vector<std::string> notes;

  // Over all subjects.
  std::int64_t size() const;
  // Whether every option is its own cue, and whether gains and losses are apart.
  bool own_cues() const;
  bool has_losses() const;
};

// Refuses subjects without trials, lists of unequal length, choices that are out of range or not offered, and
// numbers that are not finite, naming the subject and the trial.
void check_trials(const Trials& trials);

// How choices are written in a file.
enum class Coding : std::uint8_t {
  guess,     // names, if there are only words; from 0, if there is a 0; else from 1
  from_one,  // 1 ... K
  from_zero,
  names,  // words, sorted
};

struct ReadTrialsOptions {
  char separator = '\0';  // found out from the first lines, if not given
  std::int64_t skip = 0;  // lines before the table
  Coding coding = Coding::guess;
  int options = 0;  // how many there are; 0: the highest choice that is seen, at least 2
  // Names of columns. An empty one is looked for under the usual names.
  std::string subject{};           // subjID, subject, subj, id
  std::string choice{};            // choice
  std::string outcome{};           // outcome, reward; or gain and loss
  std::string gain{}, loss{};      // the sign of a loss is passed over: 5 and -5 are the same
  std::string block{};             // block and session: where both are there, values start anew with either
  std::string trial{};             // trial: rows are put in its order within a block
  CancelTest cancelled = nullptr;  // asked at each row
};

// Reads a table with a header, separated as io::guess_separator finds, plain or gzip, one row a trial:
//   subjID   choice   outcome (or gain and loss)   [block]   [trial]   [offered]   [cues | cues_1 ... cues_K]
// `offered` lists the options of a trial as 1+3. `cues_k` lists the cues that option k is made of as A+B;
// with a single `cues` column the task is to predict: the second of two options has the value of the cues
// shown, the first has none, and all cues shown learn whatever the answer. Rows with a missing field (empty,
// NA, ...: io/missing_words.hpp) are left out, counted and reported in `warnings`; so are letters that are no
// UTF-8, decimal commas (in files that are not separated by commas), numbers such as -999 that may stand for
// a missing value, choices that are so rare, or so far from the others, that they may be no options, options
// that no subject chooses together, words that differ only in capitals, losses of both signs, separators at
// the end of every line, and sessions beside blocks. Refuses lines before the table that are not skipped, a
// table without a line of names, and, with the file, line and column: a column that is not there, a field
// that is no number or beyond 1e100, decimal commas and points in one column, words and numbers as choices
// (unless all are names), a choice out of range or not offered, a trial number that comes twice, a file
// without rows.
Trials read_trials(const std::filesystem::path& path, const ReadTrialsOptions& options = {});

// Writes the same format, tab-separated (comma for .csv), choices from 1, numbers to the last digit.
void write_trials(const std::filesystem::path& path, const Trials& trials);
// The same into a file that is open, and is left to be committed. Cancelled is asked at each subject.
void write_trials(io::AtomicFile& file, const Trials& trials, char separator,
                  const CancelTest& cancelled = nullptr);

}  // namespace likely::choice
