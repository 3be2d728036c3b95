#include "likely/models/tables/csv_settings.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "likely/core/error.hpp"
#include "likely/core/finite_number.hpp"
#include "likely/core/whole_number.hpp"
#include "likely/runs/inputs.hpp"

namespace likely::tables {

namespace {

const std::map<std::string, char> kSeparators{{"comma", ','}, {",", ','},     {"semicolon", ';'}, {";", ';'},
                                              {"tab", '\t'},  {"space", ' '}, {"pipe", '|'},      {"|", '|'}};

// What stands between commas, be it nothing; of an empty text, none.
std::vector<std::string> pieces(const std::string& text) {
  std::vector<std::string> result;
  for (std::size_t start = 0; !text.empty() && start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    result.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return result;
}

}  // namespace

std::vector<runs::Setting> csv_settings() {
  const ModelOptions defaults;
  using runs::file_setting;
  using runs::number_setting;
  using runs::text_setting;
  using runs::whole_setting;
  using runs::word_setting;
  return {
      text_setting("target", "last", "the column to predict: its name, its number from 0, or last"),
      file_setting("target_file", "a file with the targets, where they are kept apart"),
      text_setting("ignore", "", "columns that are no inputs: a,b"),
      word_setting("header", "auto", "whether the first line names the columns", {"auto", "yes", "no"}),
      whole_setting("skip", 0, "lines before the table", 0),
      word_setting("separator", "auto", "what stands between fields",
                   {"auto", "comma", ",", "tab", "space", "semicolon", ";", "pipe", "|"}),
      word_setting("missing", "impute", "rows with missing inputs: fill in means, leave out, or stop",
                   {"impute", "drop", "refuse"}),
      word_setting("task", "auto", "predict classes or a number", {"auto", "classify", "regress"}),
      number_setting("holdout", -1.0, "the share of rows to be judged by; -1: 0.25, or 0 where folds judge",
                     -1.0, 0.9),
      whole_setting("folds", -1,
                    "judge by so many folds, and let the model learn from all rows; -1: 5 folds from 50 to "
                    "999 rows, unless holdout is given",
                    -1),
      text_setting("hidden", "64", "units of each hidden layer: 64 or 64,32"),
      whole_setting("members", defaults.members, "models in each committee; 0: by the number of rows", 0, 10),
      whole_setting("epochs", defaults.epochs, "at most, for each member"),
      whole_setting("patience", defaults.patience, "epochs without a better one before a member stops", 0),
      whole_setting("batch", defaults.batch, "rows a step; 0: by the number of rows", 0),
      number_setting("lr", defaults.lr, "learning rate"),
      text_setting("weight_decay", "0.3", "pulls weights to 0; of several, the inner rows choose")};
}

ReadOptions read_options(const runs::Run& run) {
  const runs::Settings& settings = run.settings;
  ReadOptions options{.file = run.data,
                      .target = settings.text("target"),
                      .target_file = runs::file_of(run, settings.text("target_file")),
                      .ignore = pieces(settings.text("ignore"))};
  const std::string& separator = settings.text("separator");
  if (separator != "auto") options.hints.separator = kSeparators.at(separator);
  const std::string& header = settings.text("header");
  if (header != "auto") options.hints.header = header == "yes";
  options.hints.skip = settings.whole("skip");
  const std::string& missing = settings.text("missing");
  options.missing = missing == "impute" ? Missing::impute
                    : missing == "drop" ? Missing::drop
                                        : Missing::refuse;
  const std::string& task = settings.text("task");
  options.task = task == "auto" ? Task::automatic : task == "classify" ? Task::classify : Task::regress;
  return options;
}

Judging judging_of(const runs::Run& run, std::int64_t rows) {
  constexpr std::int64_t kEnoughToFold = 50;
  constexpr std::int64_t kEnoughToHoldOut = 1000;
  Judging judging{.holdout = run.settings.number("holdout"), .folds = run.settings.whole("folds")};
  if (judging.holdout < 0.0 && judging.holdout != -1.0) {
    refuse("csv", fmt::format("holdout must be a share from 0 to 0.9, or -1, got {}", judging.holdout));
  }
  const bool free_to_choose = judging.holdout == -1.0;
  if (judging.folds == -1)
    judging.folds = free_to_choose && rows >= kEnoughToFold && rows < kEnoughToHoldOut ? 5 : 0;
  if (free_to_choose) judging.holdout = judging.folds > 0 ? 0.0 : 0.25;
  return judging;
}

ModelOptions model_options(const runs::Run& run) {
  const runs::Settings& settings = run.settings;
  ModelOptions options{.hidden = {},
                       .members = settings.whole("members"),
                       .epochs = settings.whole("epochs"),
                       .patience = settings.whole("patience"),
                       .batch = settings.whole("batch"),
                       .lr = settings.number("lr"),
                       .weight_decay = {}};
  for (const std::string& piece : pieces(settings.text("hidden"))) {
    const auto width = whole_number<std::int64_t>(piece, 1, 100'000);
    if (!width) {
      refuse("csv",
             fmt::format("hidden must be whole numbers from 1 to 100000 such as 64 or 64,32, got \"{}\"",
                         settings.text("hidden")));
    }
    options.hidden.push_back(*width);
  }
  for (const std::string& piece : pieces(settings.text("weight_decay"))) {
    const std::optional<double> decay = finite_number(piece);
    if (!decay || !(*decay >= 0.0 && *decay < 1e6)) {
      refuse("csv", fmt::format("weight_decay must be numbers from 0 on such as 0.1 or 0.01,1, got \"{}\"",
                                settings.text("weight_decay")));
    }
    options.weight_decay.push_back(*decay);
  }
  return options;
}

}  // namespace likely::tables
